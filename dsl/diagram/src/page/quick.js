// A layout for diagrams that are too large for the layout library: layers by who waits for whom, limited in height, in rows that
// are limited in width. It takes milliseconds. Wires go along the gaps (`route`).

const quick = (() => {
  const ASPECT = 1.6;
  const GAP = { x: 70, y: 16 };
  const ROWS = 40;
  const PAD = { side: 24, top: 38, bottom: 24 };
  /** For each frame, the rows of its boxes, and the origin of its coordinates. */
  let grids = new Map();

  function layout(seen) {
    const parents = new Map();
    const visit = (list, parent) => {
      for (const one of list) {
        parents.set(one.id, parent);
        visit(one.children ?? [], one.id);
      }
    };
    visit(seen.roots, '');
    const path = (id) => {
      const ids = [id];
      while (parents.get(ids[0])) ids.unshift(parents.get(ids[0]));
      return ids;
    };
    const links = new Map();
    for (const { a, b } of seen.wires) {
      if (a.box === b.box) continue;
      const [from, to] = [path(a.box.id), path(b.box.id)];
      let at = 0;
      while (from[at] === to[at]) at += 1;
      if (from[at] === undefined || to[at] === undefined) continue;
      const frame = at ? from[at - 1] : '';
      if (!links.has(frame)) links.set(frame, []);
      links.get(frame).push([from[at], to[at]]);
    }
    grids = new Map();
    const size = place(seen.roots, '', links);
    move(seen.roots, '', 0, 0);
    route.all(seen, grids, path, PAD);
    return { w: size.w, h: size.h };
  }

  /** Makes coordinates absolute. */
  function move(list, frame, x, y) {
    Object.assign(grids.get(frame), { x, y });
    for (const one of list) {
      one.x += x;
      one.y += y;
      if (one.children) move(one.children, one.id, one.x + PAD.side, one.y + PAD.top);
    }
  }

  function place(list, frame, links) {
    for (const one of list) {
      if (!one.children) continue;
      const inner = place(one.children, one.id, links);
      one.w = Math.max(inner.w + 2 * PAD.side, scene.width(`${one.title} ${one.kind}`) + 60);
      one.h = inner.h + PAD.top + PAD.bottom;
    }
    const layers = layered(list, links.get(frame) ?? []);
    const widths = layers.map((layer) => Math.max(...layer.map(({ w }) => w)) + GAP.x);
    const heights = layers.map((layer) => layer.reduce((sum, { h }) => sum + h + GAP.y, 0));
    const [whole, tallest] = [widths.reduce((sum, w) => sum + w, 0), Math.max(0, ...heights)];
    const limit = whole > 2 * ASPECT * tallest ? Math.sqrt(whole * (tallest + ROWS) * ASPECT) : Infinity;
    let [x, y, row, w] = [0, 0, 0, 0];
    const rows = [];
    layers.forEach((layer, index) => {
      if (x > 0 && x + widths[index] > limit) [x, y, row] = [0, y + row + ROWS, 0];
      if (x === 0) rows.push({ top: y, bottom: y, columns: [] });
      const current = rows[rows.length - 1];
      let top = y + (limit === Infinity ? (tallest - heights[index]) / 2 : 0);
      for (const one of layer) {
        [one.x, one.y] = [x, top];
        one.cell = { row: rows.length - 1, column: current.columns.length };
        current.bottom = Math.max(current.bottom, top + one.h);
        top += one.h + GAP.y;
      }
      current.columns.push({ left: x, right: x + widths[index] - GAP.x });
      x += widths[index];
      w = Math.max(w, x - GAP.x);
      row = Math.max(row, heights[index]);
    });
    grids.set(frame, { rows });
    return { w, h: limit === Infinity ? tallest : y + row };
  }

  function layered(list, links) {
    const index = new Map(list.map((one, at) => [one.id, at]));
    const next = list.map(() => new Set());
    const missing = list.map(() => 0);
    for (const [from, to] of links) {
      const [a, b] = [index.get(from), index.get(to)];
      if (a !== b && !next[a].has(b)) {
        next[a].add(b);
        missing[b] += 1;
      }
    }
    const area = list.reduce((sum, { w, h }) => sum + (w + GAP.x) * (h + GAP.y), 0);
    const limit = Math.max(500, Math.sqrt(area / ASPECT));
    const at = list.map(() => 0);
    const heights = [];
    const layers = [];
    const left = new Set(list.keys());
    const inOrder = (items) => order.members(items, (item) => list[item].id);
    // What becomes ready meanwhile comes after all of these. Cluster members that wait for similar things thus stay in order.
    let ready = inOrder([...left].filter((one) => missing[one] === 0));
    let later = [];
    while (left.size) {
      if (!ready.length) [ready, later] = [inOrder(later), []];
      // In a cycle, nothing is ready: take the first one.
      const one = ready.length ? ready.shift() : left.values().next().value;
      if (!left.delete(one)) continue;
      let layer = at[one];
      while ((heights[layer] ?? 0) > 0 && heights[layer] + list[one].h > limit) layer += 1;
      while (layers.length <= layer) {
        layers.push([]);
        heights.push(0);
      }
      layers[layer].push(list[one]);
      heights[layer] += list[one].h + GAP.y;
      for (const other of next[one]) {
        at[other] = Math.max(at[other], layer + 1);
        missing[other] -= 1;
        if (missing[other] === 0) later.push(other);
      }
    }
    return layers.filter((layer) => layer.length).map((layer) => order.members(layer, ({ id }) => id));
  }

  return { layout };
})();
