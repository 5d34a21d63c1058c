// Draws the placed diagram as SVG. All text is set as text: nothing in the diagram is ever parsed as markup.

const draw = (() => {
  const SVG = 'http://www.w3.org/2000/svg';
  const BAND = 26;
  const BOLD = '600 12.5px Helvetica, Arial, sans-serif';
  const view = document.getElementById('view');
  /** The elements of what is drawn, by id, and the paths of wires. */
  const elements = new Map();
  let paths = [];
  /** For each box, the group with the names of its networks. */
  let chips = new Map();
  /** The marks on awaited wires, by the key of the wire. */
  const awaited = new Map();
  let marks = null;

  function make(tag, attributes = {}, ...children) {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) if (value !== undefined) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  const text = (x, y, content, kind) => make('text', { x, y, class: kind }, content);
  const rect = (x, y, width, height, rx, kind) => make('rect', { x, y, width, height, rx, class: kind });
  const color = (element, index) => {
    element.style.setProperty('--color', `var(--c${index % 5})`);
    return element;
  };

  function described(element, id, label, level, isOpen) {
    element.id = `at-${id}`;
    element.dataset.id = id;
    element.setAttribute('role', 'treeitem');
    element.setAttribute('aria-label', label);
    element.setAttribute('aria-level', level);
    element.setAttribute('aria-selected', 'false');
    if (isOpen !== undefined) element.setAttribute('aria-expanded', String(isOpen));
    elements.set(id, element);
    return element;
  }

  function box(one, level) {
    const { id, type, title, kind, x, y, w, h } = one;
    const open = type === 'module' || graph.within.has(id) ? !one.isFolded : undefined;
    const group = described(make('g', { class: `${type}${one.isFolded ? ' folded' : ''}` }), id, `${type} ${title}, ${kind}`, level, open);
    group.append(rect(x, y, w, h, type === 'other' ? h / 2 : 8));
    if (type === 'other') {
      group.append(text(x + w / 2, y + 16, title, 'mid'), text(x + w / 2, y + 28, kind, 'mid faint'));
      return group;
    }
    const left = open === undefined ? 14 : 26;
    // Above components, the text is higher, so that the ring around a selected component does not touch it.
    const isAlone = !kind && !one.parts?.length && !one.children;
    const line = one.parts?.length ? { title: y + 17, about: y + 30 } : { title: isAlone ? y + h / 2 + 4.5 : y + 20, about: y + 35 };
    if (open !== undefined) group.append(make('text', { x: x + 9, y: line.title, class: 'toggle' }, open ? '▾' : '▸'));
    group.append(text(x + left, line.title, title, type === 'module' || one.isFolded ? 'name big' : 'name'));
    const below = type === 'server' || one.isFolded;
    if (kind) group.append(text(below ? x + left : x + left + 10 + scene.width(title, BOLD), below ? line.about : line.title, kind, 'faint'));
    for (const part of one.parts ?? []) group.append(component(one, part, level + 1));
    group.append(make('circle', { class: 'state', cx: x + w - 12, cy: y + 13, r: 0 }));
    return group;
  }

  function component(server, part, level) {
    const [x, y] = [server.x + part.x, server.y + part.y];
    const group = described(make('g', { class: 'component' }), part.id, `component ${part.title}, ${part.kind || 'software'}`, level);
    group.append(rect(x, y, part.w, part.h, 5));
    group.append(text(x + 10, y + 16.5, part.title, 'name'), text(x + part.w - 10, y + 16.5, part.kind, 'faint end'));
    const line = (index) => y + scene.TITLE + scene.LINE * index + scene.LINE / 2 - 1;
    part.inputs.forEach(([name, type], index) => {
      const label = text(x + 9, line(index) + 3.5, name, '');
      label.append(make('tspan', { class: 'faint' }, type ? `: ${type}` : ''));
      group.append(make('circle', { class: 'pin', cx: x, cy: line(index), r: 3 }), label);
    });
    part.outputs.forEach((name, index) => {
      group.append(make('circle', { class: 'pin', cx: x + part.w, cy: line(index), r: 3 }), text(x + part.w - 9, line(index) + 3.5, name, 'end'));
    });
    group.append(make('circle', { class: 'state', cx: x + part.w, cy: y, r: 0 }));
    return group;
  }

  /** A path with rounded corners. */
  function round(points) {
    let d = `M${points[0].x} ${points[0].y}`;
    for (let at = 1; at < points.length - 1; at += 1) {
      const [before, corner, behind] = [points[at - 1], points[at], points[at + 1]];
      const far = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);
      const toward = (to) => {
        const length = far(corner, to);
        const share = length ? Math.min(9, length / 2) / length : 0;
        return `${corner.x + (to.x - corner.x) * share} ${corner.y + (to.y - corner.y) * share}`;
      };
      d += `L${toward(before)}Q${corner.x} ${corner.y} ${toward(behind)}`;
    }
    const end = points[points.length - 1];
    return `${d}L${end.x} ${end.y}`;
  }

  function way(wire) {
    const { a, b, points } = wire;
    if (wire.way) return wire.way;
    const inset = (end, isInput) => (end.part ? (isInput ? end.part.x : end.box.w - end.part.x - end.part.w) : 0);
    const start = { x: a.box.x + a.box.w - inset(a, false), y: a.box.y + scene.pinY(a, wire.output, 'outputs') };
    const end = { x: b.box.x + inset(b, true), y: b.box.y + scene.pinY(b, wire.input, 'inputs') };
    if (a.box === b.box && a.part && b.part) return inner(wire, start, end);
    if (points) return round([start, ...points, end]);
    const bend = Math.max(40, Math.abs(end.x - start.x) / 2);
    return `M${start.x} ${start.y}C${start.x + bend} ${start.y} ${end.x - bend} ${end.y} ${end.x} ${end.y}`;
  }

  /** A wire between components of one server: straight down to the next, otherwise around those in between. */
  function inner(wire, start, end) {
    const { a, b } = wire;
    const [from, to] = [a.part, b.part];
    if (wire.isRunList) {
      const x = a.box.x + from.x + 16;
      return `M${x} ${a.box.y + from.y + from.h}L${x} ${b.box.y + to.y}`;
    }
    // Clear of the ring around the selection.
    const far = 8 + Math.max(0, a.part.outputs.indexOf(wire.output)) * 2;
    const y = a.box.y + (to.y > from.y ? from.y + from.h + far : from.y - far);
    const [right, left] = [start.x + far, end.x - far];
    return round([start, { x: right, y: start.y }, { x: right, y }, { x: left, y }, { x: left, y: end.y }, end]);
  }

  /** The names of the networks that a box is on, in their colours: a line to each network would cross boxes that are not on it. */
  function named(one, bands) {
    const y = one.y - scene.CHIP.h + 4;
    let x = one.x + scene.CHIP.side;
    return [...bands].sort((a, b) => a - b).map((band) => {
      const w = scene.chipWidth(told.bands[band]);
      const chip = color(make('g', { class: 'chip' }, rect(x, y, w, scene.CHIP.h, 3), text(x + w / 2, y + 9.5, told.bands[band].short, 'mid')), band);
      x += w + scene.CHIP.gap;
      return chip;
    });
  }

  /** Redraws everything, and returns its size. */
  function all(seen, size) {
    elements.clear();
    awaited.clear();
    marks = make('g');
    const top = seen.bands.length ? seen.bands.length * (BAND + 8) + 26 : 0;
    const width = Math.max(size.w, 320);
    const shift = (list) => {
      for (const one of list) {
        one.y += top;
        shift(one.children ?? []);
      }
    };
    shift(seen.roots);
    for (const wire of seen.wires) {
      wire.points?.forEach((point) => (point.y += top));
      if (wire.labelAt) wire.labelAt.y += top;
    }
    const arrow = make('marker', { id: 'arrow', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, markerUnits: 'userSpaceOnUse', orient: 'auto' },
      make('path', { class: 'arrow', d: 'M0.5 1 7.5 4 0.5 7z' }));
    const back = make('g');
    const boxes = make('g');
    const lines = make('g');
    const labels = make('g');
    seen.bands.forEach((id, index) => {
      const { name } = graph.things.get(id);
      const group = color(described(make('g', { class: 'network' }), id, `network ${name}`, 1), index);
      const y = index * (BAND + 8);
      group.append(rect(0, y, width, BAND, 6), text(12, y + 17, name, 'name big'));
      group.append(text(24 + scene.width(name, BOLD), y + 17, told.bands[index].about, 'faint'));
      back.append(group);
    });
    const frames = (list, level) => {
      for (const one of list) {
        (one.children ? back : boxes).append(box(one, level));
        if (one.children) frames(one.children, level + 1);
      }
    };
    frames(seen.roots, 1);
    chips = new Map([...seen.attached].map(([id, bands]) => [id, make('g', { class: 'chips' }, ...named(seen.boxes.get(id), bands))]));
    paths = seen.wires.map((wire) => {
      const shift = wire.way ? `translate(0 ${top})` : undefined;
      const path = make('path', { class: `edge ${wire.why}`, d: way(wire), 'marker-end': 'url(#arrow)', transform: shift });
      const said = wire.edges.map(({ of }) => (of.why === 'data' ? `${of.to} reads ${of.input} from ${of.from}/${of.output}` : `${of.to} waits for ${of.from}`));
      path.append(make('title', {}, said.slice(0, 12).join('\n') + (said.length > 12 ? `\nand ${said.length - 12} more` : '')));
      lines.append(path);
      if (wire.label && wire.labelAt) labels.append(text(wire.labelAt.x, wire.labelAt.y + 10, wire.label, 'label'));
      return { path, wire };
    });
    view.replaceChildren(make('defs', {}, arrow), back);
    // Wires that nothing has routed around boxes are drawn behind the boxes.
    const isRouted = seen.wires.some(({ points, way }) => points || way) || seen.wires.every(({ a, b }) => a.box === b.box);
    view.classList.toggle('many', paths.length > 200);
    view.append(...(isRouted ? [boxes, lines, marks] : [lines, marks, boxes]), ...chips.values(), labels);
    return { w: width, h: top + size.h };
  }

  /** Fades the wires of boxes that are gone, and the names of the networks on them. */
  function fade(isGone) {
    for (const { path, wire } of paths) path.classList.toggle('gone', isGone(wire.a.box.id) || isGone(wire.b.box.id));
    for (const [id, group] of chips) group.classList.toggle('gone', isGone(id));
  }

  /** Marks awaited wires; `told` has `{ writer, text }` by key. A mark is wide enough to click, and a click selects the writer. */
  function markAwaited(told) {
    for (const [key, mark] of awaited) {
      if (told.has(key)) continue;
      mark.remove();
      awaited.delete(key);
    }
    for (const { path, wire } of paths) {
      const of = told.get(wire.key);
      path.classList.toggle('behind', Boolean(of));
      if (!of) continue;
      if (!awaited.has(wire.key)) {
        const d = path.getAttribute('d');
        const shift = path.getAttribute('transform') ?? undefined;
        const mark = make('g', { class: 'awaited' },
          make('title'), make('path', { class: 'grip', d, transform: shift }), make('path', { class: 'line', d, 'marker-end': 'url(#arrow)', transform: shift }));
        awaited.set(wire.key, mark);
        marks.append(mark);
      }
      const mark = awaited.get(wire.key);
      mark.dataset.writer = of.writer;
      if (mark.firstChild.textContent !== of.text) mark.firstChild.textContent = of.text;
    }
  }

  return { all, elements, make, fade, markAwaited, wires: () => paths };
})();
