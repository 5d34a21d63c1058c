// Routes wires between boxes that stand in rows of columns: along the gaps between them, so that no wire crosses a box.
// Wires from the same output share a track, and so form a trunk.

const route = (() => {
  const STEP = 3;
  /** The golden ratio: numbers that are next to each other, or a fixed distance apart, get tracks that are far from each other. */
  const SPREAD = (Math.sqrt(5) - 1) / 2;
  /** How far the gaps around the whole diagram reach. */
  const OUTSIDE = 64;
  /** What is kept free of tracks: behind a box, and before one, for the arrow. */
  const FREE = { behind: 8, before: 14 };

  function between(from, to, number) {
    const tracks = Math.max(1, Math.floor((to - from) / STEP));
    return tracks === 1 ? (from + to) / 2 : from + Math.floor(((number * SPREAD) % 1) * tracks) * STEP;
  }

  /** The gap to the left of a column; after the last column, the gap to its right. */
  function gap({ rows, pad }, row, column) {
    const { columns } = rows[row];
    const from = column > 0 ? columns[column - 1].right : -pad;
    return { from, to: column < columns.length ? columns[column].left : from + Math.min(pad, OUTSIDE) };
  }
  const along = (grid, row, column, number) => {
    const { from, to } = gap(grid, row, column);
    const room = to - from > 40 ? FREE : { behind: 4, before: 8 };
    return between(from + room.behind, to - room.before, number);
  };

  /** Where wires run above a row; after the last row, below it. */
  function above({ rows, below }, row, number) {
    const from = rows[row - 1].bottom;
    return between(from + 6, (row < rows.length ? rows[row].top : from + below) - 8, number);
  }

  /** Where a wire at `x` crosses a row: there, if nothing is in its way; otherwise through the nearest gap. */
  function through(grid, row, x, number) {
    let best = null;
    for (let column = 0; column <= grid.rows[row].columns.length; column += 1) {
      const { from, to } = gap(grid, row, column);
      const isLast = column === grid.rows[row].columns.length;
      if (x > from + 3 && (x < to - 3 || isLast)) return x;
      const at = along(grid, row, column, number);
      if (best === null || Math.abs(at - x) < Math.abs(best - x)) best = at;
    }
    return best;
  }

  /** The points from one box of a frame to another, in the coordinates of the frame. */
  function across(grid, from, to, y, end, number) {
    if (from.row === to.row && to.column === from.column + 1) {
      const x = along(grid, from.row, to.column, number);
      return Math.abs(y - end) < 1 ? [] : [{ x, y }, { x, y: end }];
    }
    const isUp = to.row < from.row;
    let x = along(grid, from.row, from.column + 1, number);
    const points = [{ x, y }];
    const jog = (next, at) => {
      if (next !== x) points.push({ x, y: at }, { x: next, y: at });
      x = next;
    };
    for (let row = from.row + (isUp ? -1 : 1); isUp ? row > to.row : row < to.row; row += isUp ? -1 : 1) {
      jog(through(grid, row, x, number), above(grid, isUp ? row + 1 : row, number));
    }
    const last = isUp || to.row === from.row ? to.row + 1 : to.row;
    jog(along(grid, to.row, to.column, number), above(grid, last, number));
    points.push({ x, y: end });
    return points;
  }

  function one(seen, grids, path, { a, b, output, input }, number) {
    const [from, to] = [path(a.box.id), path(b.box.id)];
    let common = 0;
    while (from[common] !== undefined && from[common] === to[common]) common += 1;
    if (from[common] === undefined || to[common] === undefined) return null;
    const grid = (depth, ids) => grids.get(depth ? ids[depth - 1] : '');
    const absolute = ({ x, y }, list) => list.map((point) => ({ x: point.x + x, y: point.y + y }));
    const points = [];
    let y = a.box.y + scene.pinY(a, output, 'outputs');
    for (let depth = from.length - 1; depth > common; depth -= 1) {
      const [frame, { row, column }] = [grid(depth, from), seen.boxes.get(from[depth]).cell];
      if (column + 1 === frame.rows[row].columns.length) continue;
      const [x, way] = [along(frame, row, column + 1, number), above(frame, row + 1, number)];
      points.push(...absolute(frame, [{ x, y: y - frame.y }, { x, y: way }]));
      y = way + frame.y;
    }
    const entry = [];
    let end = b.box.y + scene.pinY(b, input, 'inputs');
    for (let depth = to.length - 1; depth > common; depth -= 1) {
      const [frame, { row, column }] = [grid(depth, to), seen.boxes.get(to[depth]).cell];
      if (column === 0) continue;
      const [x, way] = [along(frame, row, column, number), above(frame, row + 1, number)];
      entry.unshift(...absolute(frame, [{ x, y: way }, { x, y: end - frame.y }]));
      end = way + frame.y;
    }
    const frame = grid(common, from);
    const cells = [from, to].map((ids) => seen.boxes.get(ids[common]).cell);
    return [...points, ...absolute(frame, across(frame, ...cells, y - frame.y, end - frame.y, number)), ...entry];
  }

  /** Gives the visible wires their points. `grids` says where the boxes stand; `path` returns what encloses a box, and the box. */
  function all(seen, grids, path, pad) {
    for (const [frame, grid] of grids) Object.assign(grid, { pad: frame ? pad.side : OUTSIDE, below: frame ? pad.bottom : OUTSIDE });
    const numbers = new Map();
    for (const wire of seen.wires) {
      if (wire.a.box === wire.b.box) continue;
      const source = `${wire.a.part?.id ?? wire.a.box.id} ${wire.output}`;
      if (!numbers.has(source)) numbers.set(source, numbers.size);
      wire.points = one(seen, grids, path, wire, numbers.get(source)) ?? undefined;
    }
  }

  return { all };
})();
