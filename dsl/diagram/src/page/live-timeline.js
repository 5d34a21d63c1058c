// The timeline: what waited and ran when, one row a component, and the chain that took the time.
//
// Keys: up and down go from row to row, Enter selects, left and right move in time, + and - zoom, 0 shows all.

const liveTimeline = (() => {
  const { make, now } = live;
  const ROW = 20;
  const AXIS = 22;
  let dock, scroller, canvas, filler, told, probe, names, onlyPath;
  let rows = [];
  let begin = 0;
  let end = 1;
  // What of it is seen; follows what happens until somebody moves it.
  let view = null;
  let row = -1;
  let isDue = false;

  function start() {
    const button = (text, label, click) => make('button', { type: 'button', 'aria-label': label, title: label, click }, text);
    onlyPath = make('input', { type: 'checkbox', change: later });
    told = make('p', { id: 'live-told', 'aria-live': 'polite' });
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
      { id: 'live-dock', 'aria-label': 'timeline' },
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
    canvas.addEventListener('wheel', wheel, { passive: false });
    scroller.addEventListener('scroll', draw);
    new ResizeObserver(draw).observe(scroller);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
    // Or somebody chooses how it looks.
    new MutationObserver(draw).observe(document.documentElement, { attributes: true });
    live.onChange(later);
    wattle.onSelect((id) => {
      const at = rows.findIndex((life) => life.key === id);
      if (at >= 0) focus(at);
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

  /** What components have behind them, and are at. */
  function read() {
    const at = now.ended || !now.connected ? Date.parse(now.at ?? 0) : live.time();
    const path = new Map(now.critical.map((hop) => [hop.component, hop]));
    const chosen = rows[row]?.key;
    rows = [];
    // What begins at once stands in the order of the diagram.
    for (const [key, told] of order.members(Object.entries(now.components), ([name]) => name)) {
      if (onlyPath.checked && !path.has(key)) continue;
      const steps = (told.past ?? []).map((step) => ({ ...step, since: Date.parse(step.since), until: Date.parse(step.until) }));
      if (told.state === 'running') steps.push({ did: 'runs', since: Date.parse(told.since), until: at });
      for (const wait of told.waiting ?? []) {
        steps.push({ did: 'waits', for: wait.for, input: wait.input, since: Date.parse(wait.since), until: at });
      }
      if (!steps.length) continue;
      steps.sort((a, b) => a.since - b.since);
      rows.push({ key, told, steps, hop: path.get(key), since: Math.min(...steps.map((step) => step.since)) });
    }
    const ended = (life) => Math.max(...life.steps.map((step) => step.until));
    const ran = (life) => life.steps.find((step) => !step.did.startsWith('wait'))?.since ?? ended(life);
    rows.sort((a, b) => ran(a) - ran(b) || a.since - b.since);
    begin = rows.length ? Math.min(...rows.map((life) => life.since)) : at;
    end = rows.length ? Math.max(...rows.flatMap((life) => life.steps.map((step) => step.until))) : at + 1;
    end = Math.max(end, begin + 1);
    row = rows.findIndex((life) => life.key === chosen);
    document.documentElement.style.setProperty('--live-rows', `calc(2.6rem + ${AXIS + Math.max(rows.length, 2) * ROW + 10}px)`);
    filler.style.height = `${Math.max(0, AXIS + rows.length * ROW + 6 - scroller.clientHeight)}px`;
    if (row < 0) tell();
  }

  const seen = () => view ?? { from: begin, to: end + (end - begin) * 0.02 };

  function draw() {
    const width = scroller.clientWidth;
    const height = scroller.clientHeight;
    if (!width || !height) return;
    const scale = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    const colors = new Map();
    const color = (name) => {
      if (!colors.has(name)) {
        // A variable that is another one in the dark is resolved where it is a colour of something.
        probe.style.color = `var(--live-${name})`;
        colors.set(name, getComputedStyle(probe).color);
      }
      return colors.get(name);
    };
    const pen = canvas.getContext('2d');
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    names = Math.min(240, width * 0.3);
    const { from, to } = seen();
    const x = (time) => names + ((time - from) / (to - from)) * (width - names - 8);
    const y = (at) => AXIS + at * ROW - scroller.scrollTop;
    pen.font = '12px system-ui, sans-serif';
    pen.textBaseline = 'middle';

    pen.save();
    pen.beginPath();
    pen.rect(0, AXIS, width, height - AXIS);
    pen.clip();
    const first = Math.max(0, Math.floor(scroller.scrollTop / ROW) - 1);
    const last = Math.min(rows.length, first + Math.ceil(height / ROW) + 3);
    const waited = rows[row] ? new Set(rows[row].steps.filter((step) => step.for).map((step) => live.writer(step.for))) : new Set();
    for (let at = first; at < last; at += 1) {
      const life = rows[at];
      const top = y(at);
      if (at === row) {
        pen.fillStyle = color('row');
        pen.fillRect(0, top, width, ROW);
      } else if (waited.has(life.key)) {
        pen.fillStyle = color('awaited');
        pen.fillRect(0, top, width, ROW);
      }
      pen.fillStyle = color(life.hop ? 'critical' : 'text');
      pen.font = `${life.hop ? '600 ' : ''}12px system-ui, sans-serif`;
      pen.fillText(short(pen, life.key, names - 14), 8, top + ROW / 2);
      pen.save();
      pen.beginPath();
      pen.rect(names, AXIS, width - names, height - AXIS);
      pen.clip();
      for (const step of life.steps) bar(pen, color, life, step, x, top);
      pen.restore();
    }
    chain(pen, color, x, y, width, height);
    pen.restore();
    if (rows.length) axis(pen, color, from, to, x, width);
  }

  function bar(pen, color, life, step, x, top) {
    const left = x(step.since);
    const wide = Math.max(2, x(step.until) - left);
    if (step.did.startsWith('wait')) {
      pen.fillStyle = color('waiting');
      pen.fillRect(left, top + ROW / 2 - 1.5, wide, 3);
      return;
    }
    // What is blocked now may have run before, and did not fail then.
    const state = step.did === 'broken-off' ? 'failed' : live.doing(life.key).state;
    pen.fillStyle = color(['failed', 'blocked', 'running'].includes(state) ? state : 'done');
    pen.fillRect(left, top + 4, wide, ROW - 8);
    if (life.hop) {
      pen.strokeStyle = color('critical');
      pen.lineWidth = 2;
      pen.strokeRect(left, top + 4, wide, ROW - 8);
    }
  }

  /** From each hop of the critical path to the next. */
  function chain(pen, color, x, y, width, height) {
    pen.save();
    pen.beginPath();
    pen.rect(names, AXIS, width - names, height - AXIS);
    pen.clip();
    pen.strokeStyle = color('critical');
    pen.lineWidth = 1.5;
    const places = new Map(rows.map((life, at) => [life.key, at]));
    for (let at = 1; at < now.critical.length; at += 1) {
      const [before, after] = [now.critical[at - 1], now.critical[at]];
      if (!places.has(before.component) || !places.has(after.component)) continue;
      const when = x(Date.parse(after.since));
      pen.beginPath();
      pen.moveTo(when, y(places.get(before.component)) + ROW / 2);
      pen.lineTo(when, y(places.get(after.component)) + ROW / 2);
      pen.stroke();
    }
    pen.restore();
  }

  function axis(pen, color, from, to, x, width) {
    const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 3e4, 6e4, 12e4, 3e5, 6e5, 18e5, 36e5, 72e5, 216e5, 864e5];
    const step = steps.find((step) => ((width - names) * step) / (to - from) > 80) ?? steps.at(-1);
    pen.fillStyle = color('back');
    pen.fillRect(0, 0, width, AXIS);
    pen.font = '11px system-ui, sans-serif';
    for (let mark = Math.ceil((from - begin) / step) * step; begin + mark <= to; mark += step) {
      const at = x(begin + mark);
      pen.fillStyle = color('line');
      pen.fillRect(at, AXIS - 5, 1, 5);
      pen.fillStyle = color('faint');
      pen.fillText(mark === 0 ? '0' : `${mark < 0 ? '−' : ''}${live.span(Math.abs(mark))}`, at + 3, AXIS / 2);
    }
    pen.fillStyle = color('line');
    pen.fillRect(0, AXIS - 1, width, 1);
  }

  function short(pen, text, width) {
    if (pen.measureText(text).width <= width) return text;
    let [low, high] = [1, text.length];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (pen.measureText(`…${text.slice(-middle)}`).width <= width) low = middle;
      else high = middle - 1;
    }
    return `…${text.slice(-low)}`;
  }

  function focus(at) {
    row = Math.max(0, Math.min(rows.length - 1, at));
    const top = row * ROW;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    const room = scroller.clientHeight - AXIS - ROW;
    if (top > scroller.scrollTop + room) scroller.scrollTop = top - room;
    tell();
    draw();
  }

  /** In words, what the row shows. */
  function tell(step) {
    const life = rows[row];
    if (!life) {
      const length = now.critical.length;
      const all = length ? ` The longest chain has ${length} component${length === 1 ? '' : 's'}.` : '';
      const none = now.tally.all ? 'Nothing has begun yet.' : '';
      told.textContent = rows.length ? `${rows.length} components in ${live.span(end - begin)}.${all}` : none;
      return;
    }
    const words = (step) => {
      const took = live.span(step.until - step.since);
      if (step.did === 'broken-off') return `ran ${took}, broken off`;
      if (!step.did.startsWith('wait')) return `ran ${took}`;
      return `waited ${took} for ${step.for}${step.input ? ` (its ${step.input})` : ''}`;
    };
    told.textContent = `${life.key}: ${(step ? [step] : life.steps.slice(-4)).map(words).join('; ')}`;
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
    const { from, to } = seen();
    const time = from + ((event.clientX - box.left - names) / (box.width - names - 8)) * (to - from);
    const at = Math.floor((event.clientY - box.top - AXIS + scroller.scrollTop) / ROW);
    return { time, at, isName: event.clientX - box.left < names };
  }

  function press(event) {
    canvas.focus();
    const { at } = place(event);
    if (rows[at] && event.clientY - canvas.getBoundingClientRect().top > AXIS) {
      focus(at);
      wattle.select(rows[at].key);
    }
    let last = event.clientX;
    const drag = (moved) => {
      const { from, to } = seen();
      const by = moved.clientX - last;
      if (!by) return;
      last = moved.clientX;
      move((-by / (canvas.clientWidth - names)) * (to - from));
    };
    canvas.setPointerCapture(event.pointerId);
    canvas.addEventListener('pointermove', drag);
    canvas.addEventListener('pointerup', () => canvas.removeEventListener('pointermove', drag), { once: true });
  }

  function hover(event) {
    const { time, at, isName } = place(event);
    const life = rows[at];
    const near = life && !isName ? life.steps.findLast((step) => step.since <= time && time <= step.until) : null;
    if (near && event.buttons === 0) {
      const kept = row;
      row = at;
      tell(near);
      row = kept;
    }
  }

  function wheel(event) {
    const isZoom = event.ctrlKey || event.metaKey;
    if (!isZoom && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
    event.preventDefault();
    const { from, to } = seen();
    if (isZoom) zoom(Math.exp(event.deltaY / 300), place(event).time);
    else move((event.deltaX / (canvas.clientWidth - names)) * (to - from));
  }

  return { start };
})();
