// The log of the selected component or server.

const liveLog = (() => {
  const { make, now } = live;
  // The most lines to keep on the page.
  const LINES = 5000;
  let source = null;
  let of = null;
  let body;
  let heading, note, text, count;

  function start() {
    body = wattle.addTab('live-log', 'Log');
    heading = make('h2', {}, 'Log');
    note = make('p', { class: 'live-note' }, 'Select a component or a server.');
    text = make('pre', { id: 'live-lines', tabindex: '0', 'aria-label': 'lines of the log', role: 'log' });
    body.append(heading, note, text);
    wattle.onSelect((id) => follow(id));
    // A hidden element cannot scroll, so scroll to the end when the tab is shown.
    new MutationObserver(() => (text.scrollTop = text.scrollHeight)).observe(body, { attributes: true, attributeFilter: ['hidden'] });
    live.onChange(() => {
      if (now.ended) close();
    });
  }

  function close() {
    source?.close();
    source = null;
  }

  function follow(id) {
    const isKnown = id !== null && (id in now.components || id in now.servers);
    if (!isKnown || id === of) return;
    close();
    of = id;
    count = 0;
    heading.textContent = `Log of ${id}`;
    note.textContent = '';
    text.replaceChildren();
    failed();
    if (now.ended) {
      note.textContent = 'It has ended, so its log is no longer available.';
      return;
    }
    const address = picture.live.events.replace(/^events/, 'log');
    source = new EventSource(`${address}&of=${encodeURIComponent(id)}`);
    source.addEventListener('lines', (event) => add(JSON.parse(event.data)));
    source.addEventListener('elsewhere', (event) => elsewhere(JSON.parse(event.data)));
  }

  function add(told) {
    if (told.first) {
      text.replaceChildren();
      count = 0;
      note.textContent = told.cut ? `The last lines of ${told.path}` : told.path;
    }
    const atEnd = text.scrollHeight - text.scrollTop - text.clientHeight < 30;
    text.append(...told.lines.map(line));
    count += told.lines.length;
    while (count > LINES) {
      text.firstChild.remove();
      count -= 1;
    }
    if (atEnd) text.scrollTop = text.scrollHeight;
  }

  /** A line of an agent's log: time, level, message, and component. */
  function line(said) {
    const parts = /^(\S+Z) +([A-Z]+) (.*)$/.exec(said);
    if (!parts) return make('span', {}, `${said}\n`);
    const [, stamp, level, rest] = parts;
    const words = rest.replace(/ component="[^"]*"( revision=\d+)?( since=\S+)?$/, '');
    return make(
      'span',
      { 'data-level': level, title: said },
      make('time', {}, `${stamp.slice(11, 19)} `),
      level === 'INFO' ? '' : `${level} `,
      `${words}\n`,
    );
  }

  function elsewhere(told) {
    source.close();
    note.textContent = `The log is on the server ${told.server}, not here: \`wattle logs ${told.server}\` shows its last lines, and \`${told.command}\` all of it there.`;
    failed();
  }

  /** Shows the last lines of a component that has failed. They are known even if its server is elsewhere. */
  function failed() {
    const last = now.components[of]?.failure?.log;
    if (last?.length) text.replaceChildren(...last.map((said) => make('span', {}, `${said}\n`)));
  }

  return { start };
})();
