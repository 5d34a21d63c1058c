// How the deployment is going: the banner, the states on the diagram, and the tab that shows what holds everything up.

const liveNow = (() => {
  // The most hops of a chain to list.
  const HOPS = 30;
  // Causes and server states that do not go away by themselves.
  const STUCK = ['failed', 'left-over', 'abandoned', 'lost', 'circle', 'differs'];
  const { make, now, goto } = live;
  const banner = make('p', { id: 'live-banner', role: 'alert', hidden: true });
  const tally = make('p', { id: 'live-tally', role: 'status' });
  let body;
  let selected = null;

  function start() {
    document.getElementById('bar').append(tally);
    document.getElementById('bar').after(banner);
    body = wattle.addTab('live-now', 'Now');
    wattle.onSelect((id) => {
      selected = id;
      draw();
    });
    live.onChange(update);
    new MutationObserver(draw).observe(body, { attributes: true, attributeFilter: ['hidden'] });
    setInterval(tick, 1000);
    update(null);
  }

  function update(changes) {
    const keys = Object.keys(changes ? (changes.components ?? {}) : now.components);
    if (keys.length) wattle.setStates(Object.fromEntries(keys.map((key) => [key, live.doing(key)])));
    tell();
    draw();
  }

  /** Updates the line of totals and the banner, at the top of the page. */
  function tell() {
    const { all = 0, done = 0, running = 0, waiting = 0, failed = 0, blocked = 0 } = now.tally;
    const parts = [all ? `${done} of ${all} done` : 'no software'];
    if (running) parts.push(`${running} running`);
    if (waiting) parts.push(`${waiting} waiting`);
    if (failed > blocked) parts.push(`${failed - blocked} failed`);
    if (blocked) parts.push(`${blocked} blocked`);
    const gone = now.ended ? 0 : live.lost().size;
    if (gone) parts.push(gone === 1 ? '1 agent gone' : `${gone} agents gone`);
    const text = now.revision ? `revision ${now.revision}: ${parts.join(', ')}` : 'nothing is known yet';
    if (tally.textContent !== text) tally.textContent = text;
    // A component that no longer reports may have ended.
    const isRunning = now.connected && (running || waiting);
    tally.dataset.state = failed || gone ? 'failed' : isRunning ? 'running' : all && done === all ? 'done' : 'none';
    document.body.classList.toggle('stale', !now.connected);
    const [kind, words] = trouble();
    banner.hidden = !words;
    banner.dataset.kind = kind;
    if (banner.textContent !== words) banner.textContent = words;
  }

  function trouble() {
    if (now.ended) return ['ended', `Last known state: ${now.ended}.`];
    if (now.refused) {
      return ['lost', 'This URL is no longer valid, and this is the last known state. Start the command again, and open the URL that it prints.'];
    }
    if (!now.connected) return now.revision ? ['lost', 'The connection is lost, and this is the last known state. Trying again …'] : ['note', 'Connecting …'];
    if (now.trouble) return ['lost', `The data space cannot be read, so this may be out of date: ${now.trouble}`];
    if (now.applying) return ['running', `Revision ${now.applying} is being applied.`];
    return ['note', ''];
  }

  function draw() {
    if (!body || body.hidden) return;
    keep.become(body, [...(selected ? [one(selected)] : []), exported(), liveInfrastructure.section(), causes(), path(), servers()]);
  }

  /** Updates the durations, which grow. */
  function tick() {
    for (const { firstChild, dataset } of document.querySelectorAll('#panels [data-since]')) keep.say(firstChild, live.since(dataset.since));
  }

  const ago = (stamp) => make('span', { 'data-since': stamp }, live.since(stamp));

  function one(id) {
    const told = now.components[id];
    const title = make('h2', {}, id);
    if (!told) {
      const server = now.servers[id];
      const resource = liveInfrastructure.of(id);
      if (!server) return make('section', { 'data-key': `of ${id}` }, title, resource);
      const agent = server.agent
        ? make('p', {}, 'Its agent has been up for ', ago(server.agent.since), ` (process ${server.agent.pid} on ${server.agent.host}).`)
        : make('p', { class: live.lost().has(id) ? 'live-bad' : 'live-note' }, 'It has no agent.');
      const list = Object.keys(now.components).filter((key) => live.server(key) === id).map((key) => make('li', { 'data-key': key, 'data-state': live.doing(key).state }, goto(key), ` ${live.doing(key).text}`));
      return make('section', { 'data-key': `of ${id}` }, title, resource, agent, ...troubles(server), make('ul', {}, ...list));
    }
    const state = live.doing(id);
    const parts = [title, make('p', { class: 'live-state', 'data-state': state.state }, sentence(told, state))];
    if (told.state === 'waiting') {
      const waits = told.waiting.map((wait) => {
        const from = live.writer(wait.for);
        return make(
          'li',
          { 'data-key': `${wait.for} ${wait.input ?? ''}` },
          goto(wait.for),
          wait.input ? ` for its input ${wait.input}` : ' must have ended before',
          ', for ',
          ago(wait.since),
          from ? `; ${from} ${live.doing(from).text}` : '',
        );
      });
      parts.push(make('ul', { class: 'live-waits' }, ...waits));
    }
    if (told.failure) parts.push(failure(told.failure, id));
    return make('section', { 'data-key': `of ${id}` }, ...parts);
  }

  function sentence(told, state) {
    const span = make('span', {}, state.text);
    if (told.since) span.append(told.state === 'done' ? ', ' : told.state === 'failed' ? ', ' : ' for ', ago(told.since));
    if (told.since && (told.state === 'done' || told.state === 'failed')) span.append(' ago');
    if (told.deadline) span.append('; its deadline is in ', duration.between(live.time(), Date.parse(told.deadline)));
    return span;
  }

  function failure(told, of) {
    const others = (told.through ?? []).filter((name) => name !== of);
    const through = others.length ? make('p', {}, 'Passed on by ', others.join(', ')) : null;
    const log = told.log?.length
      ? make('details', { open: true }, make('summary', {}, 'its last lines'), make('pre', { tabindex: '0' }, told.log.join('\n')))
      : null;
    return make('div', { class: 'live-failure' }, make('p', { class: 'live-bad' }, goto(told.component), `: ${told.message}`), through, log);
  }

  function troubles(server) {
    return (server.troubles ?? []).map((trouble) => make('p', { class: 'live-bad' }, trouble));
  }

  /** What the stack exports once nothing is left to do. Values that a browser can open are links. */
  function exported() {
    const shown = now.exports.filter((one) => one.value !== undefined || one.secret);
    if (!shown.length) return make('section', { 'data-key': 'exports', hidden: true });
    const list = shown.flatMap(({ name, value, revision, secret }) => {
      // A URL with a masked part leads nowhere.
      const isLink = /^https?:\/\/[^\s]+$/.test(value ?? '') && !value.includes('(secret)');
      const link = () => make('a', { href: value, target: '_blank', rel: 'noopener noreferrer' }, value);
      const text = secret ? '(secret)' : isLink ? link() : value;
      return [make('dt', { 'data-key': `of ${name}` }, name), make('dd', { 'data-key': `is ${name}` }, text, revision ? ` (of revision ${revision})` : '')];
    });
    return make('section', { 'data-key': 'exports' }, make('h2', {}, `Exports of ${now.stack}`), make('dl', { class: 'live-exports' }, ...list));
  }

  function causes() {
    if (!now.causes.length) {
      const text = now.over ? 'Everything has been done.' : 'Nothing is blocked.';
      const isKnown = now.revision && now.tally.all;
      return make('section', { 'data-key': 'causes' }, isKnown ? make('p', {}, text) : null);
    }
    const lost = live.lost();
    const all = now.causes.map((cause) => {
      const held = cause.holds?.length ?? 0;
      const holds = held ? ` ${held === 1 ? 'One more waits' : `${held} more wait`} for it.` : '';
      const word = cause.component ?? cause.server;
      // Most sentences begin with the component or server that the cause is about.
      const lack = cause.server && liveInfrastructure.lack(cause.server);
      const rest = lack ? ` ${lack.says}` : word && cause.sentence.startsWith(`${word} `) ? cause.sentence.slice(word.length) : ` ${cause.sentence}`;
      const kind = cause.cause === 'no-agent' && lost.has(cause.server) ? 'lost' : cause.cause;
      // What waits for it is not itself at fault.
      const follow = holds ? make('span', { class: 'live-holds' }, holds) : null;
      const item = make('li', { 'data-key': `${cause.cause} ${word}`, 'data-cause': kind }, word ? goto(word) : null, `${rest}.`, follow);
      return { item, isStuck: STUCK.includes(lack?.state ?? kind) };
    });
    const list = (title, which) => {
      const items = all.filter(({ isStuck }) => isStuck === which).map(({ item }) => item);
      return items.length ? [make('h2', {}, title), make('ol', { class: 'live-causes' }, ...items)] : [];
    };
    return make('section', { 'data-key': 'causes' }, ...list('Blocked by', true), ...list('Waits for', false));
  }

  function path() {
    const hops = now.critical;
    if (!hops.length) return make('section', { 'data-key': 'path', hidden: true });
    const end = (hop) => (hop.until ? Date.parse(hop.until) : live.time());
    const whole = end(hops[hops.length - 1]) - Date.parse(hops[0].since);
    // Of a long chain, list the hops that took longest.
    const took = (hop) => end(hop) - Date.parse(hop.since);
    const least = hops.length > HOPS ? hops.map(took).sort((a, b) => b - a)[HOPS - 1] : 0;
    const shown = hops.filter((hop) => took(hop) >= least);
    const list = shown.map((hop) => {
      const idle = now.components[hop.component]?.state === 'waiting' ? 'has not run yet' : 'did not run';
      const length = duration.exact(took(hop));
      const runs = hop.until ? 'ran' : 'has been running for';
      const ran = hop.ran ? `${runs} ${duration.exact(end(hop) - Math.max(Date.parse(hop.ran), Date.parse(hop.since)))}` : idle;
      const bar = make('meter', { min: 0, max: Math.max(1, whole), value: took(hop), title: length });
      return make('li', { 'data-key': hop.component }, goto(hop.component), ` ${length} (${ran})`, hop.for ? `, after ${hop.for}` : '', bar);
    });
    const note = shown.length < hops.length ? make('p', {}, `The ${shown.length} steps that took longest, of ${hops.length}:`) : null;
    const title = `Critical path: ${duration.exact(whole)}${hops[hops.length - 1].until || !now.connected ? '' : ' until now'}`;
    return make('section', { id: 'live-path', 'data-key': 'path' }, make('h2', {}, title), ...(note ? [note] : []), make('ol', {}, ...list));
  }

  function servers() {
    const bad = Object.entries(now.servers).filter(([, server]) => server.troubles?.length).sort(([a], [b]) => order.compare(a, b));
    if (!bad.length) return make('section', { 'data-key': 'troubles', hidden: true });
    const list = bad.flatMap(([name, server]) => server.troubles.map((text) => make('li', { 'data-key': `${name} ${text}` }, goto(name), ` ${text}`)));
    return make('section', { 'data-key': 'troubles' }, make('h2', {}, 'Problems'), make('ul', {}, ...list));
  }

  return { start, draw };
})();
