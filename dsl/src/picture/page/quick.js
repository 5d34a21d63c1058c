// Layout of what is too much for the layout library: layers by who waits for whom, none of them too tall, rows of layers
// none of them too wide. Takes milliseconds, and draws wires as plain curves behind the boxes.

const quick = (() => {
  const ASPECT = 1.6;
  const GAP = { x: 70, y: 16 };
  const PAD = { side: 18, top: 38, bottom: 16 };

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
    const size = place(seen.roots, '', links);
    move(seen.roots, 0, 0);
    return { w: size.w, h: size.h };
  }

  /** Makes places absolute. */
  function move(list, x, y) {
    for (const one of list) {
      one.x += x;
      one.y += y;
      move(one.children ?? [], one.x + PAD.side, one.y + PAD.top);
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
    const limit = whole > 2 * ASPECT * tallest ? Math.sqrt(whole * tallest * ASPECT) : Infinity;
    let [x, y, row, w] = [0, 0, 0, 0];
    layers.forEach((layer, index) => {
      if (x > 0 && x + widths[index] > limit) [x, y, row] = [0, y + row + 40, 0];
      let top = y + (limit === Infinity ? (tallest - heights[index]) / 2 : 0);
      for (const one of layer) {
        [one.x, one.y] = [x, top];
        top += one.h + GAP.y;
      }
      x += widths[index];
      w = Math.max(w, x - GAP.x);
      row = Math.max(row, heights[index]);
    });
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
    const ready = [...left].filter((one) => missing[one] === 0);
    while (left.size) {
      // In a cycle the first one begins.
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
        if (missing[other] === 0) ready.push(other);
      }
    }
    return layers.filter((layer) => layer.length);
  }

  return { layout };
})();
