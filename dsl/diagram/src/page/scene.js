// What is visible: the boxes that are not folded away, their sizes, and the wires between them.

const scene = (() => {
  const FOLDED_FROM = 60;
  const folded = new Set();
  const shown = { infrastructure: graph.count('other') <= 40 };
  const measured = new Map();
  const context = document.createElement('canvas').getContext('2d');

  function width(text, font = '10.5px Helvetica, Arial, sans-serif') {
    const key = font + text;
    if (!measured.has(key)) {
      context.font = font;
      measured.set(key, context.measureText(text).width * 1.04);
    }
    return measured.get(key);
  }
  const BOLD = '600 12.5px Helvetica, Arial, sans-serif';

  const servers = picture.resources.filter((resource) => resource.role === 'server');
  if (servers.length > FOLDED_FROM) for (const server of servers) folded.add(`r:${server.name}`);

  /** For each component, the inputs that other components feed, and the outputs that are read. */
  const pins = new Map();
  for (const { from, to, of } of graph.edges) {
    if (of.why !== 'data') continue;
    const add = (id, side, name, type) => {
      if (!pins.has(id)) pins.set(id, { inputs: new Map(), outputs: new Map() });
      pins.get(id)[side].set(name, type ?? '');
    };
    add(to, 'inputs', of.input, of.type);
    add(from, 'outputs', of.output);
  }

  const TITLE = 24;
  const LINE = 17;

  function part(id) {
    const { of } = graph.things.get(id);
    const { inputs, outputs } = pins.get(id) ?? { inputs: new Map(), outputs: new Map() };
    const kind = graph.kind(of)?.name ?? '';
    const [left, right] = [[...inputs], [...outputs.keys()]];
    const lines = Math.max(left.length, right.length);
    let w = width(of.name, BOLD) + width(kind) + 34;
    for (let line = 0; line < lines; line += 1) {
      const input = left[line] ? width(`${left[line][0]}: ${left[line][1]}`) + 16 : 0;
      w = Math.max(w, input + (right[line] ? width(right[line]) + 16 : 0) + 14);
    }
    return { id, title: of.name, kind: kind === of.name ? '' : kind, inputs: left, outputs: right, w: Math.ceil(w), h: TITLE + LINE * lines + (lines ? 5 : 0) };
  }

  function box(id) {
    const { type, name, of } = graph.things.get(id);
    const title = of.title ?? graph.local(name);
    if (type === 'module') {
      if (!folded.has(id)) return { id, type, title, kind: of.kind, children: children(id) };
      const inside = graph.members(id);
      const count = inside.filter((member) => graph.things.get(member).type === 'server').length;
      const about = `${of.kind} · ${count} server${count === 1 ? '' : 's'}`;
      return { id, type, title, kind: about, isFolded: true, w: Math.max(width(title, BOLD), width(about)) + 44, h: 52 };
    }
    if (type === 'other') {
      const kind = (of.type ?? '').replace(/^OS::/, '');
      return { id, type, title, kind, w: Math.max(width(title), width(kind)) + 26, h: 36 };
    }
    const about = told.about[name] ?? '';
    const on = graph.within.get(id) ?? [];
    if (folded.has(id)) {
      const names = on.map((component) => graph.things.get(component).of.name).join(', ');
      const kind = names.length > 34 ? `${on.length} components` : names;
      return { id, type, title, kind, isFolded: true, w: Math.max(width(title, BOLD), width(kind)) + 44, h: 44 };
    }
    const parts = on.map(part);
    const inner = Math.max(100, width(title, BOLD) + 20, width(about), ...parts.map(({ w }) => w));
    let y = about ? 40 : 28;
    for (const one of parts) {
      Object.assign(one, { x: 18, y, w: inner });
      y += one.h + 18;
    }
    return { id, type, title, kind: about, parts, w: Math.ceil(inner + 36), h: parts.length ? y - 4 : y + 4 };
  }

  function children(id) {
    const isSeen = (child) => {
      const { type } = graph.things.get(child);
      // A module that has only components is not shown: its components are on the servers of other modules.
      if (type === 'module') return (graph.within.get(child) ?? []).some(isSeen);
      return type !== 'network' && graph.box(child) === child && (type !== 'other' || shown.infrastructure);
    };
    return order.members((graph.within.get(id) ?? []).filter(isSeen), (child) => child).map(box);
  }

  /** The box of a thing, or the outermost folded box around it. */
  function around(id) {
    let stand = graph.box(id);
    for (const one of graph.around(stand)) if (folded.has(one)) stand = one;
    return stand;
  }

  /** The box that stands for a thing; null if it is not shown. */
  function standIn(id) {
    const stand = around(id);
    const { type } = graph.things.get(stand);
    return type === 'network' || (type === 'other' && !shown.infrastructure) ? null : stand;
  }

  /** Builds what is visible now. */
  function build() {
    const roots = children('');
    const boxes = new Map();
    const ends = new Map();
    const visit = (list) => {
      for (const one of list) {
        boxes.set(one.id, one);
        ends.set(one.id, { box: one });
        for (const inner of one.parts ?? []) ends.set(inner.id, { box: one, part: inner });
        visit(one.children ?? []);
      }
    };
    visit(roots);
    const bands = told.bands.map(({ name }) => `r:${name}`);
    const wires = new Map();
    const attached = new Map();
    const attach = (id, network) => {
      const stand = standIn(id);
      if (!stand || !boxes.has(stand)) return;
      if (!attached.has(stand)) attached.set(stand, new Set());
      attached.get(stand).add(bands.indexOf(network));
    };
    for (const server of servers) for (const network of server.networks ?? []) attach(`r:${server.name}`, `r:${network}`);
    for (const edge of graph.edges) {
      const network = graph.box(edge.from);
      if (bands.includes(network)) {
        if (edge.of.why === 'infrastructure') attach(edge.to, network);
        continue;
      }
      const [from, to] = [standIn(edge.from), standIn(edge.to)];
      if (!from || !to || from === to || !ends.has(from) || !ends.has(to)) continue;
      const [a, b] = [ends.get(from), ends.get(to)];
      const why = edge.of.why === 'data' ? 'data' : edge.of.why === 'infrastructure' ? 'infrastructure' : 'order';
      const output = a.part && why === 'data' ? edge.of.output : '';
      const input = b.part && why === 'data' ? edge.of.input : '';
      const key = [from, output, to, input, why].join('\u0000');
      if (!wires.has(key)) wires.set(key, { key, why, a, b, output, input, edges: [], isRunList: edge.of.why === 'run-list' });
      wires.get(key).edges.push(edge);
    }
    for (const [id, on] of attached) widen(boxes.get(id), [...on]);
    const list = [...wires.values()];
    for (const wire of list) {
      const labels = [...new Set(wire.edges.map((edge) => edge.label).filter(Boolean))];
      // Where a component is visible, its inputs have their own labels.
      wire.label = wire.input || !labels.length ? '' : labels.length === 1 ? labels[0] : `${labels.length} values`;
    }
    return { roots, boxes, ends, wires: list, bands, attached };
  }

  const CHIP = { side: 12, gap: 4, h: 13 };
  const chipWidth = ({ short }) => Math.ceil(width(short, '9.5px Helvetica, Arial, sans-serif') + 10);

  /** Makes room on a box for the names of its networks. */
  function widen(one, on) {
    const names = on.reduce((sum, band) => sum + chipWidth(told.bands[band]) + CHIP.gap, 2 * CHIP.side - CHIP.gap);
    const lack = Math.max(0, names - one.w);
    one.w += lack;
    for (const inner of one.parts ?? []) inner.w += lack;
  }

  /** How far below the top of its box a wire ends. */
  function pinY({ box: of, part: own }, name, side) {
    if (!own) return of.h / 2;
    const lines = side === 'inputs' ? own.inputs.map(([input]) => input) : own.outputs;
    const line = name ? lines.indexOf(name) : -1;
    return own.y + (line < 0 ? TITLE / 2 : TITLE + LINE * line + LINE / 2 - 1);
  }

  return { folded, shown, around, build, pinY, width, chipWidth, TITLE, LINE, CHIP };
})();
