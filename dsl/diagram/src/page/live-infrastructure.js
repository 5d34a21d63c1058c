// The infrastructure: what exists, what is in progress, and what went wrong. Fills a section of the tab Now, and a tab of its own.
// Only a stack that was deployed by `wattle deploy` has any, and only someone with the operator's key sees it.

const liveInfrastructure = (() => {
  const { make, now, goto } = live;
  // The most resources of one group to list on the page; the filter finds the others.
  const MOST = 300;
  // A group with at most this many resources is open at first.
  const OPEN = 40;
  // The most resources that the section lists by name.
  const FEW = 6;
  const GROUPS = [
    ['failed', 'Failed'],
    ['differs', 'Not as deployed'],
    ['busy', 'Under way'],
    ['leaving', 'Being deleted'],
    ['to-come', 'To be created'],
    ['to-go', 'To be deleted'],
    ['there', 'There'],
  ];
  // What the frames of boxes mean.
  const FRAMES = [
    ['to-come', 'to be created or deleted'],
    ['busy', 'being created, changed or deleted'],
    ['differs', 'not as deployed'],
    ['failed', 'failed in the cloud'],
    ['gone', 'deleted'],
  ];
  const count = (number, one) => `${number} ${one}${number === 1 ? '' : 's'}`;
  const tally = make('p', { id: 'live-built', role: 'status', hidden: true });
  // The groups that somebody has opened or closed.
  const opened = new Map();
  // What the diagram shows.
  let painted = '{}';
  let body = null;
  let filter, list;
  let isDue = false;

  function start() {
    document.getElementById('bar').append(tally);
    live.onChange(update);
  }

  function update(changes) {
    if (!changes || changes.resources || changes.servers || changes.components) paint();
    const { infrastructure } = now;
    tally.hidden = !infrastructure;
    if (!infrastructure) return;
    if (!body) addTab();
    const told = infrastructure.says ?? 'it cannot be read';
    const text = `infrastructure: ${told}`;
    if (tally.textContent !== text) tally.textContent = text;
    tally.dataset.built = mood();
    document.querySelector('#legend [data-frame=gone]').hidden = gone().length === 0;
    later();
  }

  /** Shows on the diagram how far each resource is, and which servers have lost their agents. */
  function paint() {
    const of = (resource) => [resource.server ?? resource.name, { state: resource.state, text: `${resource.name} ${resource.says}` }];
    // Of several states for one name, the last counts, so the most urgent one comes last.
    const rank = ({ state }) => GROUPS.findIndex(([known]) => known === state);
    const built = Object.fromEntries(Object.values(now.resources).sort((a, b) => rank(b) - rank(a)).map(of));
    for (const name of gone()) built[name] ??= { state: 'gone', text: `${name} has been deleted` };
    for (const server of live.lost()) {
      // The agent of a server that is being deleted or replaced goes away with it, so it is not lost.
      if ((built[server]?.state ?? 'there') === 'there') built[server] = { state: 'lost', text: `${server}: its agent is gone` };
    }
    const mark = JSON.stringify(built);
    if (mark !== painted) wattle.setBuilt(built);
    painted = mark;
  }

  /** The names of deleted resources: once the deployment wants no resource at all, all that it does not list have been deleted. */
  function gone() {
    const { tally: { all } = {}, deployment, through, left_out: out } = now.infrastructure ?? {};
    const isEmptied = all === 0 && deployment > 0 && through === 'wattle' && !out;
    return isEmptied ? picture.resources.filter(({ type }) => type).map(({ name }) => name) : [];
  }

  function addTab() {
    body = wattle.addTab('live-infrastructure', 'Infrastructure', 'live-now');
    document.getElementById('legend').append(...FRAMES.map(([state, words]) => make('li', { 'data-frame': state }, words)));
    filter = make('input', { type: 'search', placeholder: 'find by name, type, id or state', 'aria-label': 'find a resource', input: draw });
    list = make('div', { class: 'live-built' });
    body.append(filter, list);
    new MutationObserver(draw).observe(body, { attributes: true, attributeFilter: ['hidden'] });
  }

  /** Draws soon, so that many changes are drawn once. */
  function later() {
    if (isDue || !body || body.hidden) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      draw();
    }, 250);
  }

  /** The state of the infrastructure as a whole, as a state that a resource can have. */
  function mood() {
    const { tally = {}, pace, trouble, notes = [] } = now.infrastructure;
    if (trouble || tally.failed || notes.length) return 'failed';
    if (tally.differ || pace === 'stopped') return 'differs';
    return pace === 'goes-on' ? 'busy' : 'there';
  }

  const ago = (stamp) => make('span', { 'data-since': stamp }, live.since(stamp));

  /** A resource: its name and its state. */
  function item(key, resource) {
    const { name, state, says, type, id, since } = resource;
    const more = [type, key === name ? null : key.slice(name.length + 2, -1), id && make('code', {}, id)].filter(Boolean);
    const parts = more.flatMap((part, at) => (at ? [' · ', part] : [part]));
    const isPast = state === 'failed' || state === 'differs';
    // A pending resource is only waiting, so the time since then is not time that it took.
    const isPending = state === 'to-come' || state === 'to-go';
    if (since && !isPending) parts.push(parts.length ? ' · ' : '', ...(isPast ? [ago(since), ' ago'] : ['for ', ago(since)]));
    return make(
      'li',
      { 'data-key': key, 'data-built': state },
      make('p', {}, goto(resource.server ?? name, name), ' ', make('span', { class: 'live-how' }, says)),
      make('p', { class: 'live-more' }, ...parts),
    );
  }

  function draw() {
    if (!body || body.hidden || !now.infrastructure) return;
    const wanted = filter.value.trim().toLowerCase();
    const isWanted = (key, { name, type, id, says }) => [key, name, type, id, says].some((text) => text?.toLowerCase().includes(wanted));
    const groups = new Map(GROUPS.map(([state]) => [state, []]));
    let found = 0;
    for (const [key, resource] of Object.entries(now.resources)) {
      if (wanted && !isWanted(key, resource)) continue;
      groups.get(resource.state)?.push([key, resource]);
      found += 1;
    }
    const shown = GROUPS.filter(([state]) => groups.get(state).length).map(([state, title]) => {
      const all = groups.get(state).sort(([a], [b]) => order.compare(a, b));
      return group(state, `${title} (${all.length})`, all, wanted !== '');
    });
    const none = found ? [] : [make('p', { 'data-key': 'none' }, wanted ? 'No match.' : 'There are no resources.')];
    keep.become(list, [...head(), ...none, ...shown]);
  }

  function group(state, title, all, isSought) {
    const isOpen = isSought || (opened.get(state) ?? (all.length <= OPEN || state === 'failed' || state === 'differs'));
    const box = make('details', { 'data-key': `group ${state}` }, make('summary', {}, title));
    const there = [...list.children].find((child) => child.dataset.key === box.dataset.key);
    if (!there) {
      box.open = isOpen;
      // A click is a person's choice. The event `toggle` would also tell of changes by this script.
      box.firstChild.addEventListener('click', () => {
        opened.set(state, !box.open);
        setTimeout(draw);
      });
    } else if (isSought) there.open = true;
    if (!(there ?? box).open) return box;
    box.append(make('ul', {}, ...all.slice(0, MOST).map(([key, resource]) => item(key, resource))));
    if (all.length > MOST) box.append(make('p', { class: 'live-note' }, `and ${all.length - MOST} more: use the filter to find them`));
    return box;
  }

  /** Messages about the infrastructure as a whole. */
  function head() {
    const { trouble, notes = [], left_out: out = 0, deployment, through } = now.infrastructure;
    const parts = [];
    if (trouble) parts.push(make('p', { 'data-key': 'trouble', class: 'live-bad' }, `It cannot be read: ${trouble}`));
    if (deployment) parts.push(make('p', { 'data-key': 'goal', class: 'live-note' }, `Deployment ${deployment} of the infrastructure${through === 'heat' ? ', through Heat' : ''}`));
    for (const note of notes) parts.push(make('p', { 'data-key': `note ${note}`, class: 'live-bad' }, note));
    if (out) parts.push(make('p', { 'data-key': 'out', class: 'live-note' }, `${count(out, 'resource')} more are not shown.`));
    return parts;
  }

  /** The section of the tab Now: what went wrong, and what is in progress. */
  function section() {
    const { infrastructure } = now;
    if (!infrastructure) return make('section', { 'data-key': 'infrastructure', hidden: true });
    const { says, trouble, notes = [], tally = {} } = infrastructure;
    const of = (...states) => Object.entries(now.resources).filter(([, { state }]) => states.includes(state));
    const named = (all) => {
      const sorted = all.sort(([a], [b]) => order.compare(a, b));
      const items = sorted.slice(0, FEW).map(([key, resource]) => item(key, resource));
      if (sorted.length > FEW) items.push(make('li', { 'data-key': 'more' }, `and ${sorted.length - FEW} more`));
      return items;
    };
    const items = [...named(of('failed', 'differs')), ...named(of('busy', 'leaving'))];
    const all = make('button', { type: 'button', class: 'live-all', click: () => wattle.showTab('live-infrastructure') }, 'All resources');
    return make(
      'section',
      { 'data-key': 'infrastructure', id: 'live-infrastructure' },
      make('h2', {}, 'Infrastructure'),
      make('p', { class: 'live-whole', 'data-built': mood() }, says ?? `It cannot be read: ${trouble}`),
      ...notes.slice(0, FEW).map((note) => make('p', { class: 'live-bad', 'data-key': `note ${note}` }, note)),
      ...(items.length ? [make('ul', { class: 'live-built' }, ...items)] : []),
      ...whose(tally),
      ...(Object.keys(now.resources).length ? [all] : []),
    );
  }

  /** Says whether infrastructure or software has failed, because the other one continues. */
  function whose({ failed = 0, differ = 0 }) {
    const software = now.tally.failed ?? 0;
    const say = (text) => [make('p', { class: 'live-note', 'data-key': 'whose' }, text)];
    if (failed && software) return say('Infrastructure and software have both failed. The causes in the software are below.');
    if (failed) return say('Infrastructure has failed. Software continues on servers that exist.');
    if (software) return say(`Software has failed, but ${differ ? 'no infrastructure has' : 'the infrastructure has not'}.`);
    return [];
  }

  /** The resources behind a thing in the diagram: for a server, what it is in the cloud. */
  function of(name) {
    const own = Object.entries(now.resources).filter(([key, resource]) => (resource.server ?? resource.name) === name || key === name);
    if (!own.length) return null;
    return make('ul', { class: 'live-built', 'data-key': 'resource' }, ...own.slice(0, FEW).map(([key, resource]) => item(key, resource)));
  }

  /** Why a server has no agent: its resource, as long as that does not exist. */
  function lack(server) {
    const own = Object.values(now.resources).filter((resource) => resource.server === server);
    return own.length && !own.some(({ state }) => state === 'there') ? own[0] : null;
  }

  return { start, section, of, lack };
})();
