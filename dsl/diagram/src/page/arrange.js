// Layout. While nothing is folded, the page uses the layout of the image. Otherwise, ELK lays out the diagram in a worker, so that
// the page stays responsive. `quick` takes over if the diagram is too large for ELK, or if ELK takes too long.

const arrange = (() => {
  /** ELK lays out at most this many boxes and wires. */
  const LIMIT = { boxes: 120, wires: 260 };
  const PATIENCE = 8000;
  const OPTIONS = {
    'elk.algorithm': 'layered',
    'elk.direction': 'RIGHT',
    'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
    'elk.edgeRouting': 'ORTHOGONAL',
    'elk.json.shapeCoords': 'ROOT',
    'elk.json.edgeCoords': 'ROOT',
    'elk.spacing.nodeNode': '22',
    'elk.spacing.edgeNode': '14',
    'elk.spacing.edgeEdge': '9',
    'elk.layered.spacing.nodeNodeBetweenLayers': '44',
    'elk.layered.spacing.edgeNodeBetweenLayers': '16',
    'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
    'elk.layered.nodePlacement.strategy': 'BRANDES_KOEPF',
    'elk.layered.nodePlacement.bk.fixedAlignment': 'BALANCED',
    'elk.padding': '[top=0,left=0,bottom=0,right=0]',
  };

  let worker = null;
  let unpacked = null;
  let asked = 0;
  const waiting = new Map();

  async function unpack() {
    const packed = Uint8Array.from(atob(document.getElementById('elk').textContent), (char) => char.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Response(stream).text();
  }

  function start(source) {
    const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
    worker = new Worker(url);
    URL.revokeObjectURL(url);
    worker.onmessage = ({ data }) => {
      waiting.get(data.id)?.(data);
      waiting.delete(data.id);
    };
    worker.postMessage({ id: 0, cmd: 'register', algorithms: ['layered'] });
  }

  function stop() {
    worker?.terminate();
    worker = null;
    waiting.clear();
  }

  async function ask(given, more = {}) {
    unpacked ??= unpack();
    const source = await unpacked;
    return new Promise((resolve, reject) => {
      if (!worker) start(source);
      asked += 1;
      const timer = setTimeout(() => {
        stop();
        reject(new Error('it takes too long'));
      }, PATIENCE);
      worker.onerror = (event) => {
        clearTimeout(timer);
        stop();
        reject(new Error(event.message));
      };
      waiting.set(asked, ({ data, error }) => {
        clearTimeout(timer);
        if (error) reject(new Error(error.message ?? 'no layout'));
        else resolve(data);
      });
      worker.postMessage({ id: asked, cmd: 'layout', graph: given, layoutOptions: { ...OPTIONS, ...more }, options: {} });
    });
  }

  function given(seen) {
    const ports = new Map();
    const port = (end, name, side) => {
      if (end.box.children) return end.box.id;
      const y = scene.pinY(end, name, side);
      const x = side === 'inputs' ? 0 : end.box.w;
      const id = `${end.box.id} ${side} ${y}`;
      if (!ports.has(end.box.id)) ports.set(end.box.id, new Map());
      ports.get(end.box.id).set(id, { id, x, y, width: 0, height: 0, layoutOptions: { 'elk.port.side': x ? 'EAST' : 'WEST' } });
      return id;
    };
    const edges = seen.wires
      .filter(({ a, b }) => a.box !== b.box)
      .map((wire) => ({
        id: wire.key,
        sources: [port(wire.a, wire.output, 'outputs')],
        targets: [port(wire.b, wire.input, 'inputs')],
        labels: wire.label ? [{ text: wire.label, width: scene.width(wire.label), height: 12 }] : [],
        layoutOptions: { 'elk.layered.priority.straightness': wire.why === 'data' ? '5' : '1' },
      }));
    const node = (one) => {
      if (!one.children) {
        return {
          id: one.id, width: one.w, height: one.h, ports: [...(ports.get(one.id)?.values() ?? [])],
          layoutOptions: { 'elk.portConstraints': 'FIXED_POS' },
        };
      }
      const minimum = `(${scene.width(`${one.title} ${one.kind}`) + 60}, 60)`;
      return {
        id: one.id, children: one.children.map(node),
        layoutOptions: {
          'elk.padding': '[top=40,left=20,bottom=18,right=20]',
          'elk.nodeSize.constraints': 'MINIMUM_SIZE', 'elk.nodeSize.minimum': minimum,
        },
      };
    };
    return { id: '', children: seen.roots.map(node), edges };
  }

  /** The request `wanted`, with boxes in the column order of `done` but cluster members by number; null if they already are. */
  function renumbered(wanted, done) {
    let isOther = false;
    const visit = (list, known) => {
      if (!list) return list;
      const at = new Map(known.map((one) => [one.id, one]));
      const columns = [];
      for (const one of [...known].sort((a, b) => a.x - b.x)) {
        const last = columns.at(-1);
        if (last && one.x < last.end) last.all.push(one);
        else columns.push({ all: [one], end: 0 });
        columns.at(-1).end = Math.max(columns.at(-1).end, one.x + one.width);
      }
      const ids = columns.flatMap(({ all }) => {
        const found = all.sort((a, b) => a.y - b.y).map(({ id }) => id);
        const sorted = order.members(found, (id) => id);
        isOther ||= sorted.some((id, index) => id !== found[index]);
        return sorted;
      });
      const own = new Map(list.map((one) => [one.id, one]));
      return ids.map((id) => ({ ...own.get(id), ...(own.get(id).children && { children: visit(own.get(id).children, at.get(id).children) }) }));
    };
    const children = visit(wanted.children, done.children);
    return isOther ? { ...wanted, children } : null;
  }

  /** ELK's layout. If cluster members are out of order, ELK runs once more: readers look for the third member after the second. */
  async function laidOut(seen) {
    const first = given(seen);
    const done = await ask(first);
    const next = renumbered(first, done);
    return next ? ask(next, { 'elk.layered.crossingMinimization.forceNodeModelOrder': 'true' }) : done;
  }

  function taken(seen, done) {
    const visit = (list) => {
      for (const { id, x, y, width, height, children } of list ?? []) {
        Object.assign(seen.boxes.get(id), { x, y, w: width, h: height });
        visit(children);
      }
    };
    visit(done.children);
    const wires = new Map(seen.wires.map((wire) => [wire.key, wire]));
    for (const edge of done.edges ?? []) {
      const wire = wires.get(edge.id);
      const [section] = edge.sections ?? [];
      if (section) wire.points = [section.startPoint, ...(section.bendPoints ?? []), section.endPoint];
      const [label] = edge.labels ?? [];
      if (label) wire.labelAt = { x: label.x, y: label.y };
    }
    return { w: done.width, h: done.height };
  }

  /** Places everything as in the image. */
  function placed(seen) {
    const { w, h, modules, resources, components, wires } = told.placed;
    for (const [id, { box: of, part }] of seen.ends) {
      const known = { m: modules, r: resources, c: components }[id[0]][id.slice(2)];
      const [x, y, wide, high] = known;
      Object.assign(part ?? of, { x, y, w: wide, h: high });
    }
    const ways = new Map(wires.map(([number, way]) => [picture.edges[number], way]));
    for (const wire of seen.wires) wire.way = wire.edges.map(({ of }) => ways.get(of)).find(Boolean);
    return { w, h };
  }

  /** Places all visible boxes, and gives wires their points where these are known. Returns the size of the whole diagram. */
  async function place(seen) {
    if (told.placed && !scene.folded.size && (scene.shown.infrastructure || !graph.count('other'))) return placed(seen);
    if (seen.boxes.size <= LIMIT.boxes && seen.wires.length <= LIMIT.wires && seen.boxes.size > 0) {
      try {
        return taken(seen, await laidOut(seen));
      } catch (error) {
        console.info(`layout failed: ${error.message}; a simpler one is drawn`);
      }
    }
    return quick.layout(seen);
  }

  return { place };
})();
