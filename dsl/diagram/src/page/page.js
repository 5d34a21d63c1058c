// The current state of the page: folding, selection, highlighting, states.

const page = (() => {
  const canvas = document.getElementById('canvas');
  const busy = document.getElementById('busy');
  const said = document.getElementById('said');
  const listeners = [];
  const states = new Map();
  // How far resources are created, by the id of the box that shows them.
  let built = new Map();
  let seen = null;
  let selected = null;
  let traced = null;
  // The first box that shows a failure.
  let failing = null;
  let drawing = Promise.resolve();
  let turn = 0;

  const say = (text) => void (said.textContent = text);

  /** Lays out and draws what is to be visible now. `fit` fits it into the window; `keep` is a box to keep in view. */
  function redraw({ fit = false, keep = null } = {}) {
    turn += 1;
    const mine = turn;
    const timer = setTimeout(() => (busy.hidden = false), 150);
    drawing = (async () => {
      const next = scene.build();
      const size = await arrange.place(next);
      clearTimeout(timer);
      // A later call has replaced this one.
      if (mine !== turn) return drawing;
      busy.hidden = true;
      const before = keep && seen?.boxes.get(keep);
      seen = next;
      const whole = draw.all(seen, size);
      camera.sized(whole, seen.boxes);
      if (fit) camera.begin();
      else if (before && seen.boxes.has(keep)) camera.show(seen.boxes.get(keep));
      mark();
      paint();
      return undefined;
    })();
    return drawing;
  }

  /** The place of what is drawn for a thing. */
  function placeOf(id) {
    const end = seen?.ends.get(graph.box(id));
    if (end) {
      const { box: of, part } = end;
      return part ? { x: of.x + part.x, y: of.y + part.y, w: part.w, h: part.h } : of;
    }
    const element = draw.elements.get(graph.box(id));
    return element ? element.getBBox && (({ x, y, width, height }) => ({ x, y, w: width, h: height }))(element.getBBox()) : null;
  }

  async function fold(id, isFolded = !scene.folded.has(id)) {
    if (!graph.within.has(id)) return;
    if (isFolded) scene.folded.add(id);
    else scene.folded.delete(id);
    say(`${graph.things.get(id).name} ${isFolded ? 'folded' : 'unfolded'}`);
    await redraw({ keep: id });
    if (selected === id) details.show(id);
  }

  async function foldAll(isFolded) {
    for (const [id, { type }] of graph.things) {
      if (!graph.within.has(id) || (type !== 'server' && type !== 'module')) continue;
      if (!isFolded) scene.folded.delete(id);
      else if (type === 'server' || !graph.things.get(id).parent) scene.folded.add(id);
    }
    say(isFolded ? 'everything is folded' : 'everything is unfolded');
    await redraw({ fit: true });
  }

  /** Selects a thing, and unfolds what encloses it. */
  async function select(id, { reveal = true } = {}) {
    selected = id && graph.things.has(id) ? id : null;
    if (selected && reveal) {
      const hidden = [...graph.around(selected)].filter((around) => scene.folded.has(around));
      hidden.forEach((around) => scene.folded.delete(around));
      if (graph.things.get(selected).type === 'other') {
        if (!scene.shown.infrastructure) toggleInfrastructure(true);
      }
      if (hidden.length) await redraw({ keep: hidden[hidden.length - 1] });
      const place = placeOf(selected);
      if (place) camera.show(place);
    }
    mark();
    details.show(selected);
    const name = selected ? graph.things.get(selected).name : null;
    if (name) say(`${graph.things.get(selected).type} ${name}`);
    for (const listener of listeners) listener(name);
  }

  function trace(direction) {
    const isSame = traced && traced.id === selected && traced.direction === direction;
    traced = selected && direction && !isSame ? { id: selected, direction, all: graph.reach(selected, direction) } : null;
    mark();
    if (traced) say(`${traced.all.size - 1} are ${direction} of ${graph.things.get(selected).name}`);
    return Boolean(traced);
  }

  /** What is drawn for the selection: the thing itself, or what it is folded into. */
  const shown = () => selected && scene.around(selected);

  /** Shows the selection and the highlighting on the diagram. */
  function mark() {
    const own = shown();
    for (const [id, element] of draw.elements) {
      element.classList.toggle('selected', id === own);
      ring(element, id === own);
      element.setAttribute('aria-selected', String(id === own));
      const isOn = traced && (traced.all.has(id) || graph.members(id).some((member) => traced.all.has(member)));
      element.classList.toggle('on', Boolean(isOn));
    }
    canvas.classList.toggle('traced', Boolean(traced));
    for (const { path, wire } of draw.wires()) {
      const isNear = (end) => end.box.id === own || end.part?.id === own;
      path.classList.toggle('near', isNear(wire.a) || isNear(wire.b));
      path.classList.toggle('on', Boolean(traced) && wire.edges.some((edge) => traced.all.has(edge.from) && traced.all.has(edge.to)));
    }
    if (own && draw.elements.has(own)) canvas.setAttribute('aria-activedescendant', `at-${own}`);
    else canvas.removeAttribute('aria-activedescendant');
  }

  /** Draws a ring around the selection, which keeps its own colours: they say what it is, and its state. */
  function ring(element, isSelected) {
    element.querySelector(':scope > .ring')?.remove();
    if (!isSelected) return;
    const of = element.querySelector(':scope > rect');
    const [x, y, width, height] = ['x', 'y', 'width', 'height'].map((name) => Number(of.getAttribute(name)));
    const around = draw.make('rect', { class: 'ring', x: x - 4, y: y - 4, width: width + 8, height: height + 8, rx: Number(of.getAttribute('rx')) + 4 });
    // The dot of the state is on top of the ring.
    element.insertBefore(around, element.querySelector(':scope > .state'));
  }

  const BUILT = ['failed', 'lost', 'differs', 'busy', 'leaving', 'to-go', 'to-come', 'there', 'gone'];
  const ORDER = ['failed', 'blocked', 'running', 'waiting', 'done'];

  /** Paints states; a folded box has the worst state inside it. */
  function paint() {
    for (const [id, element] of draw.elements) {
      const { type } = graph.things.get(id);
      const inside = type === 'component' ? [id] : graph.members(id);
      const known = inside.map((member) => states.get(member)).filter(Boolean);
      const isWhole = type === 'component' || seen.boxes.get(id)?.isFolded;
      const worst = ORDER.find((state) => known.some((one) => one.state === state));
      if (worst && isWhole) element.dataset.state = worst;
      else delete element.dataset.state;
      element.querySelector(':scope > .state')?.setAttribute('r', worst && isWhole ? 5 : 0);
      const whole = built.get(id);
      if (whole) element.dataset.built = whole.state;
      else delete element.dataset.built;
      const told = type === 'component' ? states.get(id)?.text : whole?.text;
      let title = element.querySelector(':scope > title');
      if (told && !title) element.prepend((title = draw.make('title')));
      if (title) title.textContent = told ?? '';
    }
    draw.fade((id) => built.get(id)?.state === 'gone');
    markAwaited();
    const failed = [...draw.elements.values()].find(({ dataset }) => dataset.state === 'failed' || dataset.built === 'failed')?.dataset.id ?? null;
    if (failed === failing) return;
    failing = failed;
    if (!selected) camera.aimed();
  }

  /** Marks the wires on which components wait now, and says since when. */
  function markAwaited() {
    const told = new Map();
    for (const { wire } of draw.wires()) {
      const waits = wire.edges.flatMap(({ from, to, of }) => {
        const name = of.why === 'data' ? `${of.from}/${of.output}` : of.from;
        const wait = states.get(to)?.awaits?.find((one) => one.for === name);
        return wait ? [{ from, of, name, since: wait.since }] : [];
      });
      if (!waits.length) continue;
      waits.sort((a, b) => Date.parse(a.since) - Date.parse(b.since));
      const lines = waits.slice(0, 12).map(({ of, name, since }) => `${of.to} has waited for ${name}${of.why === 'data' ? ` (its ${of.input})` : ''} since ${since.slice(11, 19)} UTC`);
      if (waits.length > 12) lines.push(`and ${waits.length - 12} more`);
      const [{ from }] = waits;
      told.set(wire.key, { writer: from, text: `${lines.join('\n')}\nClick to go to ${graph.things.get(from).name}.` });
    }
    draw.markAwaited(told);
  }

  function setStates(given) {
    for (const [key, state] of Object.entries(given)) {
      if (state?.state) states.set(`c:${key}`, state);
      else states.delete(`c:${key}`);
    }
    if (seen) paint();
  }

  function setBuilt(given) {
    const things = Object.entries(given).map(([name, how]) => [graph.find(name), how]);
    built = new Map();
    // A subnet or a port is shown in another box. That box gets the worst state of both, and the text of each.
    for (const [id, how] of things.filter(([id]) => id && graph.things.get(id).type !== 'component')) {
      const box = graph.box(id);
      const known = built.get(box);
      const rank = ({ state }) => BUILT.indexOf(state);
      const text = known && [known.text, how.text].filter(Boolean).join('\n');
      built.set(box, known ? { state: rank(how) < rank(known) ? how.state : known.state, text } : how);
    }
    if (seen) paint();
  }

  function toggleInfrastructure(isShown = !scene.shown.infrastructure) {
    scene.shown.infrastructure = isShown;
    document.getElementById('infrastructure').checked = isShown;
    return redraw({ fit: true });
  }

  function toggleTheme() {
    const root = document.documentElement;
    const isDark = root.style.colorScheme ? root.style.colorScheme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.style.colorScheme = isDark ? 'light' : 'dark';
    say(isDark ? 'light' : 'dark');
  }

  /** Goes to the nearest thing in a direction from the selection. */
  function go(dx, dy) {
    const own = shown();
    const here = own && placeOf(own);
    const middle = ({ x, y, w, h }) => [x + w / 2, y + h / 2];
    let best = null;
    for (const id of draw.elements.keys()) {
      if (id === own) continue;
      const place = placeOf(id);
      if (!here) {
        if (!best || place.x + place.y < best.score) best = { id, score: place.x + place.y };
        continue;
      }
      const isAround = [...graph.around(own)].includes(id) || [...graph.around(id)].includes(own);
      const [[ax, ay], [bx, by]] = [middle(here), middle(place)];
      const along = (bx - ax) * dx + (by - ay) * dy;
      const aside = Math.abs((bx - ax) * dy) + Math.abs((by - ay) * dx);
      if (along <= 1 || aside > 2 * along + 60 || (isAround && dx)) continue;
      const score = along + 2 * aside;
      if (!best || score < best.score) best = { id, score };
    }
    if (best) select(best.id, { reveal: false }).then(() => camera.show(placeOf(best.id)));
  }

  /** The first server. It is shown instead of the corner, which may be empty. */
  const first = () => [...(seen?.boxes.values() ?? [])].filter(({ type }) => type === 'server').sort((a, b) => a.x - b.x || a.y - b.y)[0] ?? null;

  camera.aimAt(() => {
    const id = shown() ?? failing;
    return id ? placeOf(id) : first();
  });
  canvas.addEventListener('click', (event) => {
    if (camera.wasDragged()) return;
    const mark = event.target.closest('.awaited');
    if (mark) {
      select(mark.dataset.writer);
      return;
    }
    const id = event.target.closest('[data-id]')?.dataset.id ?? null;
    if (id && event.target.classList.contains('toggle')) fold(id);
    else select(id, { reveal: false });
  });
  canvas.addEventListener('dblclick', (event) => {
    const id = event.target.closest('[data-id]')?.dataset.id;
    if (id) fold(id);
  });

  return {
    redraw, fold, foldAll, select, trace, setStates, setBuilt, toggleInfrastructure, toggleTheme, go, say, placeOf,
    onSelect: (callback) => void listeners.push(callback),
    selected: () => selected,
    isTraced: () => Boolean(traced),
    settled: () => drawing,
  };
})();
