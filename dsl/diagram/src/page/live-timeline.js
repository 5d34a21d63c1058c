// The timeline: what waited and ran when, with one row per component, and the chain that took the time.
//
// Keys: up and down move between rows, Enter selects, left and right move in time, + and - zoom, 0 shows everything.

const liveTimeline = (() => {
  const { make, now } = live;
  const { ROW, AXIS } = liveBars;
  let dock, scroller, canvas, filler, told, probe, onlyPath;
  let rows = [];
  let begin = 0;
  let end = 1;
  // The visible part. While it is null, the timeline follows what happens; once somebody moves it, it stays there.
  let view = null;
  // The component that is highlighted, and its row; -1 if the component has not begun.
  let chosen = null;
  let row = -1;
  // The step under the pointer.
  let pointed = null;
  let isDue = false;

  function start() {
    const button = (text, label, click) => make('button', { type: 'button', 'aria-label': label, title: label, click }, text);
    onlyPath = make('input', { type: 'checkbox', change: later });
    told = make('p', { id: 'live-told', 'aria-live': 'off' });
    canvas = make('canvas', {
      tabindex: '0',
      role: 'img',
      'aria-label': 'timeline; up and down go from component to component, Enter selects, plus and minus zoom',
      'aria-describedby': 'live-told',
    });
    filler = make('div');
    probe = make('span', { hidden: true });
    scroller = make('div', { id: 'live-scroll' }, canvas, filler, probe);
    const fold = button('▾', 'fold the timeline', () => {
      const isFolded = dock.toggleAttribute('data-folded');
      fold.textContent = isFolded ? '▴' : '▾';
      later();
    });
    dock = make(
      'section',
      { id: 'live-dock', 'aria-label': 'timeline', hidden: true },
      make(
        'div',
        { id: 'live-dock-bar' },
        make('h2', {}, 'Timeline'),
        told,
        make('label', {}, onlyPath, ' critical path only'),
        button('−', 'zoom out', () => zoom(1.5)),
        button('+', 'zoom in', () => zoom(1 / 1.5)),
        button('⤢', 'show all of it', fit),
        fold,
      ),
      scroller,
    );
    document.body.append(dock);
    document.body.classList.add('live');
    canvas.addEventListener('keydown', key);
    canvas.addEventListener('pointerdown', press);
    canvas.addEventListener('pointermove', hover);
    canvas.addEventListener('pointerleave', leave);
    canvas.addEventListener('wheel', wheel, { passive: false });
    scroller.addEventListener('scroll', draw);
    new ResizeObserver(draw).observe(scroller);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
    // The user may also choose the theme on the page.
    new MutationObserver(draw).observe(document.documentElement, { attributes: true });
    live.onChange(later);
    wattle.onSelect((name) => {
      choose(name);
      draw();
    });
    setInterval(() => {
      if (Object.values(now.components).some((told) => told.state === 'running' || told.state === 'waiting')) later();
    }, 1000);
    later();
  }

  function later() {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      read();
      draw();
    });
  }

  /** Reads what each component has done, and what it is doing. */
  function read() {
    const at = live.time();
    const path = new Map(now.critical.map((hop) => [hop.component, hop]));
    const all = [];
    // Components that begin at the same time are in the order of the diagram.
    for (const [key, told] of order.members(Object.entries(now.components), ([name]) => name)) {
      const steps = (told.past ?? []).map((step) => ({ ...step, since: Date.parse(step.since), until: Date.parse(step.until) }));
      if (told.state === 'running') steps.push({ did: 'runs', since: Date.parse(told.since), until: at });
      for (const wait of told.waiting ?? []) {
        steps.push({ did: 'waits', for: wait.for, input: wait.input, since: Date.parse(wait.since), until: at });
      }
      if (!steps.length) continue;
      steps.sort((a, b) => a.since - b.since);
      all.push({ key, steps, hop: path.get(key), since: Math.min(...steps.map((step) => step.since)) });
    }
    dock.hidden = !all.length;
    rows = all.filter(({ hop }) => hop || !onlyPath.checked);
    const ended = (life) => Math.max(...life.steps.map((step) => step.until));
    const ran = (life) => life.steps.find((step) => !step.did.startsWith('wait'))?.since ?? ended(life);
    rows.sort((a, b) => ran(a) - ran(b) || a.since - b.since);
    begin = rows.length ? Math.min(...rows.map((life) => life.since)) : at;
    end = rows.length ? Math.max(...rows.flatMap((life) => life.steps.map((step) => step.until))) : at + 1;
    end = Math.max(end, begin + 1);
    row = rows.findIndex((life) => life.key === chosen);
    document.documentElement.style.setProperty('--live-rows', `calc(2.6rem + ${AXIS + Math.max(rows.length, 2) * ROW + 10}px)`);
    filler.style.height = `${Math.max(0, AXIS + rows.length * ROW + 6 - scroller.clientHeight)}px`;
    tell(false);
  }

  const seen = () => view ?? { from: begin, to: end + (end - begin) * 0.02 };

  const draw = () => liveBars.draw({ canvas, scroller, probe }, { rows, row, begin, ...seen() });

  /** Highlights the row of a component; for anything else, none. */
  function choose(name) {
    chosen = name;
    pointed = null;
    row = rows.findIndex((life) => life.key === name);
    if (row >= 0) {
      const top = row * ROW;
      if (top < scroller.scrollTop) scroller.scrollTop = top;
      const room = scroller.clientHeight - AXIS - ROW;
      if (top > scroller.scrollTop + room) scroller.scrollTop = top - room;
    }
    tell(true);
  }

  function focus(at) {
    choose(rows[Math.max(0, Math.min(rows.length - 1, at))]?.key ?? null);
    draw();
  }

  /** A step, past or present, in words. */
  function words({ did, since, until, for: what, input }) {
    const took = duration.exact(until - since);
    const whose = `for ${what}${input ? ` (its ${input})` : ''}`;
    switch (did) {
      case 'runs': return `has been running for ${took}`;
      case 'waits': return `has been waiting ${took} ${whose}`;
      case 'waited': return `waited ${took} ${whose}`;
      case 'broken-off': return `ran ${took}, interrupted`;
      default: return `ran ${took}`;
    }
  }

  /** Describes the step under the pointer, or else the row. It is read out only if the user has asked for it (`isAsked`). */
  function tell(isAsked) {
    const life = rows.find(({ key }) => key === (pointed?.key ?? chosen));
    const step = pointed && life?.steps.find(({ did, since }) => did === pointed.did && since === pointed.since);
    const text = life ? `${life.key}: ${(step ? [step] : life.steps.slice(-4)).map(words).join('; ')}` : whole();
    told.setAttribute('aria-live', isAsked ? 'polite' : 'off');
    if (told.textContent !== text) told.textContent = text;
  }

  function whole() {
    const count = (number) => `${number} component${number === 1 ? '' : 's'}`;
    const chain = now.critical.length ? ` The longest chain has ${count(now.critical.length)}.` : '';
    return rows.length ? `${count(rows.length)} in ${duration.exact(end - begin)}.${chain}` : '';
  }

  function key(event) {
    const width = () => (seen().to - seen().from) / 5;
    const keys = {
      ArrowDown: () => focus(row + 1),
      ArrowUp: () => focus(row - 1),
      Home: () => focus(0),
      End: () => focus(rows.length - 1),
      PageDown: () => focus(row + 10),
      PageUp: () => focus(row - 10),
      ArrowLeft: () => move(-width()),
      ArrowRight: () => move(width()),
      '+': () => zoom(1 / 1.5),
      '=': () => zoom(1 / 1.5),
      '-': () => zoom(1.5),
      0: fit,
      Enter: () => rows[row] && wattle.select(rows[row].key),
    };
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    keys[event.key]();
    event.preventDefault();
    event.stopPropagation();
  }

  function fit() {
    view = null;
    draw();
  }

  function move(by) {
    const { from, to } = seen();
    view = { from: from + by, to: to + by };
    draw();
  }

  function zoom(by, around) {
    const { from, to } = seen();
    const middle = around ?? (from + to) / 2;
    const whole = end - begin;
    const length = Math.min(Math.max((to - from) * by, 5), whole * 4 + 1000);
    const part = (middle - from) / (to - from);
    view = { from: middle - length * part, to: middle + length * (1 - part) };
    draw();
  }

  function place(event) {
    const box = canvas.getBoundingClientRect();
    const left = liveBars.names(box.width);
    const { from, to } = seen();
    const time = from + ((event.clientX - box.left - left) / (box.width - left - 8)) * (to - from);
    const at = Math.floor((event.clientY - box.top - AXIS + scroller.scrollTop) / ROW);
    return { time, at, isName: event.clientX - box.left < left };
  }

  function press(event) {
    canvas.focus();
    const { at } = place(event);
    if (rows[at] && event.clientY - canvas.getBoundingClientRect().top > AXIS) wattle.select(rows[at].key);
    let last = event.clientX;
    const drag = (moved) => {
      const { from, to } = seen();
      const by = moved.clientX - last;
      if (!by) return;
      last = moved.clientX;
      move((-by / (canvas.clientWidth - liveBars.names(canvas.clientWidth))) * (to - from));
    };
    canvas.setPointerCapture(event.pointerId);
    canvas.addEventListener('pointermove', drag);
    canvas.addEventListener('pointerup', () => canvas.removeEventListener('pointermove', drag), { once: true });
  }

  function hover(event) {
    if (event.buttons) return;
    const { time, at, isName } = place(event);
    const life = rows[at];
    const step = life && !isName ? life.steps.findLast((step) => step.since <= time && time <= step.until) : null;
    pointed = step ? { key: life.key, did: step.did, since: step.since } : null;
    tell(false);
  }

  function leave() {
    pointed = null;
    tell(false);
  }

  function wheel(event) {
    const isZoom = event.ctrlKey || event.metaKey;
    if (!isZoom && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
    event.preventDefault();
    const { from, to } = seen();
    if (isZoom) zoom(Math.exp(event.deltaY / 300), place(event).time);
    else move((event.deltaX / (canvas.clientWidth - liveBars.names(canvas.clientWidth))) * (to - from));
  }

  return { start };
})();
