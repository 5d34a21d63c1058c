// The canvas of the timeline: names, bars, the chain of the critical path, and the axis.

const liveBars = (() => {
  const { now } = live;
  const ROW = 20;
  const AXIS = 22;
  const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 3e4, 6e4, 12e4, 3e5, 6e5, 18e5, 36e5, 72e5, 216e5, 864e5];

  /** The width of the column of names. */
  const names = (width) => Math.min(240, width * 0.3);

  /** Draws `rows` from time `from` to time `to`, and highlights the row `row`. The axis counts from `begin`. */
  function draw({ canvas, scroller, probe }, { rows, row, begin, from, to }) {
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
        // The variable may depend on the theme; the browser resolves it only as the colour of an element.
        probe.style.color = `var(--live-${name})`;
        colors.set(name, getComputedStyle(probe).color);
      }
      return colors.get(name);
    };
    const pen = canvas.getContext('2d');
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    const left = names(width);
    const x = (time) => left + ((time - from) / (to - from)) * (width - left - 8);
    const y = (at) => AXIS + at * ROW - scroller.scrollTop;
    pen.textBaseline = 'middle';

    pen.save();
    clip(pen, 0, width, height);
    const first = Math.max(0, Math.floor(scroller.scrollTop / ROW) - 1);
    const last = Math.min(rows.length, first + Math.ceil(height / ROW) + 3);
    const waited = rows[row] ? new Set(rows[row].steps.filter((step) => step.for).map((step) => live.writer(step.for))) : new Set();
    for (let at = first; at < last; at += 1) {
      const life = rows[at];
      const top = y(at);
      if (at === row || waited.has(life.key)) {
        pen.fillStyle = color(at === row ? 'row' : 'awaited');
        pen.fillRect(0, top, width, ROW);
      }
      pen.fillStyle = color(life.hop ? 'critical' : 'text');
      pen.font = `${life.hop ? '600 ' : ''}12px system-ui, sans-serif`;
      pen.fillText(short(pen, life.key, left - 14), 8, top + ROW / 2);
      pen.save();
      clip(pen, left, width, height);
      for (const step of life.steps) bar(pen, color, life, step, x, top);
      pen.restore();
    }
    clip(pen, left, width, height);
    chain(pen, color, rows, x, y);
    pen.restore();
    if (rows.length) axis(pen, color, { from, to, begin, left, width }, x);
  }

  /** Keeps drawing off the axis, and off everything left of `left`. */
  function clip(pen, left, width, height) {
    pen.beginPath();
    pen.rect(left, AXIS, width - left, height - AXIS);
    pen.clip();
  }

  function bar(pen, color, life, step, x, top) {
    const left = x(step.since);
    const wide = Math.max(2, x(step.until) - left);
    if (step.did.startsWith('wait')) {
      pen.fillStyle = color('waiting');
      pen.fillRect(left, top + ROW / 2 - 1.5, wide, 3);
      return;
    }
    // A component that is blocked now may have run before, without failing.
    const state = step.did === 'broken-off' ? 'failed' : live.doing(life.key).state;
    pen.fillStyle = color(['failed', 'blocked', 'running'].includes(state) ? state : 'done');
    pen.fillRect(left, top + 4, wide, ROW - 8);
    if (life.hop) {
      pen.strokeStyle = color('critical');
      pen.lineWidth = 2;
      pen.strokeRect(left, top + 4, wide, ROW - 8);
    }
  }

  /** Connects each hop of the critical path to the next. */
  function chain(pen, color, rows, x, y) {
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
  }

  function axis(pen, color, { from, to, begin, left, width }, x) {
    const step = STEPS.find((step) => ((width - left) * step) / (to - from) > 80) ?? STEPS.at(-1);
    pen.fillStyle = color('back');
    pen.fillRect(0, 0, width, AXIS);
    pen.font = '11px system-ui, sans-serif';
    for (let mark = Math.ceil((from - begin) / step) * step; begin + mark <= to; mark += step) {
      const at = x(begin + mark);
      pen.fillStyle = color('line');
      pen.fillRect(at, AXIS - 5, 1, 5);
      const label = mark === 0 ? '0' : `${mark < 0 ? '−' : ''}${duration.exact(Math.abs(mark))}`;
      pen.fillStyle = color('faint');
      if (at + 7 + pen.measureText(label).width <= width) pen.fillText(label, at + 3, AXIS / 2);
    }
    pen.fillStyle = color('line');
    pen.fillRect(0, AXIS - 1, width, 1);
  }

  /** The text, or only its end if there is no room for all of it. */
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

  return { ROW, AXIS, names, draw };
})();
