// The live state: the stream of events, what it has reported, and who listens. Only in a page that is served live.
//
// The events are those of `wattle-live/1` (docs/live-view.md): `state` is everything, `change` is what has changed since, and
// `end` means that no more events come. Everything is shown as text: nothing that was received is ever parsed as HTML.

const live = (() => {
  const MAPS = ['servers', 'components', 'plans', 'entries', 'resources'];
  const empty = () => ({ tally: {}, causes: [], critical: [], exports: [], servers: {}, components: {}, plans: {}, entries: {}, resources: {} });
  const listeners = [];
  const now = { ...empty(), connected: false, ended: null };
  // How far the clock of the program that serves the page is ahead of this one.
  let ahead = 0;
  // When the events stopped; null while they come.
  let stopped = null;

  /** Calls back after every change, with what has changed, or with null if that may be everything. */
  const onChange = (callback) => void listeners.push(callback);

  function changed(keys) {
    for (const listener of listeners) listener(keys);
  }

  /** The time of what is shown; it stands still once the events have stopped. */
  const time = () => stopped ?? Date.now() + ahead;

  function stop(how) {
    stopped ??= time();
    Object.assign(now, { connected: false, ...how });
    changed(null);
  }

  function take(told, isWhole) {
    if (told.at) ahead = Date.parse(told.at) - Date.now();
    const former = now.revision;
    if (isWhole) Object.assign(now, empty());
    for (const [key, value] of Object.entries(told)) {
      if (!MAPS.includes(key)) now[key] = value;
      else if (isWhole) now[key] = value;
      else merge(now[key], value);
    }
    changed(isWhole ? null : told);
    // Another revision may have other components, and so another diagram.
    const known = new Set(picture.components.map((component) => component.key));
    const isOther = Object.keys(now.components).some((key) => !known.has(key));
    if (former !== undefined && former !== now.revision && isOther) location.reload();
  }

  function merge(map, changes) {
    for (const [key, value] of Object.entries(changes)) {
      if (value === null) delete map[key];
      else map[key] = value;
    }
  }

  function connect() {
    const source = new EventSource(picture.live.events);
    const hear = (name, then) => source.addEventListener(name, (event) => then(JSON.parse(event.data)));
    hear('state', (told) => {
      stopped = null;
      Object.assign(now, { connected: true, ended: null });
      take(told, true);
    });
    hear('change', (told) => take(told, false));
    hear('end', (told) => {
      source.close();
      stop({ ended: told.why || 'it has ended' });
    });
    source.addEventListener('error', () => {
      if (now.ended) return;
      stop({ refused: source.readyState === EventSource.CLOSED });
      // A browser reconnects by itself, but not after a response that is not a stream.
      if (now.refused) setTimeout(connect, 5000);
    });
  }

  const since = (stamp) => duration.between(Date.parse(stamp), time());

  /** The component that writes an entry, or the component itself if it is named; null if another stack has it. */
  function writer(what) {
    if (what in now.components) return what;
    const above = what.slice(0, what.lastIndexOf('/'));
    return above in now.components ? above : null;
  }

  const server = (key) => key.slice(0, key.lastIndexOf('/'));

  /** The servers whose agents have gone. A server whose agent has yet to start is not one of them. */
  function lost() {
    const heard = Object.entries(now.components).filter(([, told]) => told.state !== 'not-begun').map(([key]) => server(key));
    return new Set(heard.filter((name) => !now.servers[name]?.agent));
  }

  /** What a component is doing: one of the page's states, and a sentence. */
  function doing(key) {
    const told = now.components[key];
    if (!told || told.state === 'not-begun') return { state: null, text: 'has not begun' };
    const of = (list) => list.map((wait) => wait.for).slice(0, 3).join(', ') + (list.length > 3 ? ', …' : '');
    switch (told.state) {
      case 'waiting':
        if (told.stopped) return { state: 'waiting', text: 'its agent is gone' };
        return { state: 'waiting', text: `waits for ${of(told.waiting)}`, awaits: told.waiting };
      case 'running':
        return told.stopped ? { state: 'failed', text: 'ran when its agent went away' } : { state: 'running', text: 'runs' };
      case 'failed': {
        const isOwn = !told.failure.through?.length;
        return isOwn ? { state: 'failed', text: told.failure.message } : { state: 'blocked', text: `blocked because ${told.failure.component} failed` };
      }
      default:
        return { state: told.state, text: told.state };
    }
  }

  /** Makes an element with attributes, and with children that are elements or text. */
  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (typeof value === 'function') element.addEventListener(name, value);
      else if (value === true) element.setAttribute(name, '');
      else if (value !== false && value != null) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child != null && child !== false));
    return element;
  }

  /** What stands for a name in the diagram: the writer of that entry, or the server with that attribute; null if nothing does. */
  function drawn(name) {
    const server = name.slice(0, Math.max(0, name.indexOf('/')));
    return [writer(name), name, server].find((one) => one && graph.find(one)) ?? null;
  }

  /** A button that selects in the diagram what a name refers to; plain text if the diagram does not show it. */
  function goto(name, text = name) {
    const target = drawn(name);
    return target === null ? make('span', {}, text) : make('button', { type: 'button', class: 'live-goto', 'data-target': target }, text);
  }

  document.addEventListener('click', (event) => {
    const button = event.target.closest?.('.live-goto');
    if (button) wattle.select(button.dataset.target);
  });

  return { now, onChange, connect, time, since, writer, drawn, server, lost, doing, make, goto };
})();
