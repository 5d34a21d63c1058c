// The visible part of the diagram, and its zoom: moving, zooming, the small map.

const camera = (() => {
  const canvas = document.getElementById('canvas');
  const view = document.getElementById('view');
  const map = document.getElementById('map');
  const seen = draw.make('rect', { class: 'seen' });
  const at = { x: 0, y: 0, zoom: 1 };
  const all = { w: 1, h: 1 };
  const MARGIN = 24;
  // The zoom at which the smallest text is legible.
  const LEGIBLE = 0.9;
  // The height for which the view was fitted, and the function that fitted it; null once somebody has moved the view.
  let fitted = null;
  // Returns the place that matters most, or null if there is none.
  let aim = () => null;

  function apply() {
    view.setAttribute('transform', `translate(${at.x} ${at.y}) scale(${at.zoom})`);
    canvas.classList.toggle('far', at.zoom < 0.34);
    document.body.classList.toggle('farther', at.zoom < 0.2);
    const { width, height } = canvas.getBoundingClientRect();
    const box = { x: -at.x / at.zoom, y: -at.y / at.zoom, width: width / at.zoom, height: height / at.zoom };
    for (const [name, value] of Object.entries(box)) seen.setAttribute(name, value);
    // While everything is in view, the map would only hide what is behind it.
    map.toggleAttribute('hidden', box.x <= 0 && box.y <= 0 && box.x + box.width >= all.w && box.y + box.height >= all.h);
  }

  /** Records the size of what is drawn, and draws it on the map. */
  function sized({ w, h }, boxes) {
    Object.assign(all, { w, h });
    map.setAttribute('viewBox', `${-MARGIN} ${-MARGIN} ${w + 2 * MARGIN} ${h + 2 * MARGIN}`);
    const dots = [...boxes.values()].filter((one) => !one.children);
    map.replaceChildren(...dots.map(({ x, y, w: width, h: height }) => draw.make('rect', { class: 'dot', x, y, width, height })), seen);
    apply();
  }

  function whole({ width, height }) {
    return Math.max(0.02, Math.min((width - 2 * MARGIN) / all.w, (height - 2 * MARGIN) / all.h, 1.6));
  }

  /** The offset along one axis: centred if there is room; otherwise so that `middle` is in view, or at the beginning. */
  function along(room, length, middle) {
    if (length + 2 * MARGIN <= room) return (room - length) / 2;
    return middle === undefined ? MARGIN : Math.min(MARGIN, Math.max(room - length - MARGIN, room / 2 - middle));
  }

  function put(zoom, { width, height }, place) {
    const middle = place && [place.x + place.w / 2, place.y + place.h / 2].map((length) => length * zoom);
    Object.assign(at, { zoom, x: along(width, all.w * zoom, middle?.[0]), y: along(height, all.h * zoom, middle?.[1]) });
    apply();
  }

  /** Shows the whole diagram. */
  function fit() {
    const room = canvas.getBoundingClientRect();
    put(whole(room), room, null);
    fitted = { height: room.height, again: fit };
  }

  /** Shows the diagram for the first time: all of it or, in a narrow window, what matters most, at a legible size. */
  function begin() {
    const room = canvas.getBoundingClientRect();
    const zoom = whole(room);
    const least = room.width < 480 ? 0.85 : room.width < 720 ? 0.6 : 0;
    put(zoom < least ? LEGIBLE : zoom, room, aim());
    fitted = { height: room.height, again: begin };
  }

  /** Fits the diagram again if its height changes, so a banner above hides nothing. A panel that opens beside it moves nothing. */
  function resized() {
    const { height } = canvas.getBoundingClientRect();
    if (fitted && height && height !== fitted.height) fitted.again();
    else apply();
  }

  /** What matters most has moved. Follows it, unless somebody has chosen what to see. */
  function aimed() {
    fitted?.again();
  }

  function zoomBy(factor, x, y) {
    const { width, height } = canvas.getBoundingClientRect();
    const [cx, cy] = [x ?? width / 2, y ?? height / 2];
    const zoom = Math.min(4, Math.max(0.02, at.zoom * factor));
    at.x = cx - ((cx - at.x) * zoom) / at.zoom;
    at.y = cy - ((cy - at.y) * zoom) / at.zoom;
    at.zoom = zoom;
    fitted = null;
    apply();
  }

  function move(x, y) {
    at.x += x;
    at.y += y;
    fitted = null;
    apply();
  }

  /** Brings a place into view, zoomed in enough to read it. */
  function show({ x, y, w, h }) {
    const { width, height } = canvas.getBoundingClientRect();
    const [left, top] = [x * at.zoom + at.x, y * at.zoom + at.y];
    const isIn = left > 0 && top > 0 && left + w * at.zoom < width && top + h * at.zoom < height;
    if (isIn && at.zoom > 0.5) return;
    at.zoom = Math.max(at.zoom, Math.min(0.9, (width - 80) / w, (height - 80) / h));
    at.x = width / 2 - (x + w / 2) * at.zoom;
    at.y = height / 2 - (y + h / 2) * at.zoom;
    fitted = null;
    apply();
  }

  const local = (event) => {
    const { left, top } = canvas.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  };

  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    zoomBy(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), ...local(event));
  }, { passive: false });

  const pointers = new Map();
  let dragged = 0;
  canvas.addEventListener('pointerdown', (event) => {
    pointers.set(event.pointerId, local(event));
    dragged = 0;
  });
  canvas.addEventListener('pointermove', (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = local(event);
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const far = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
      zoomBy(far(now, other) / Math.max(1, far(before, other)), ...other);
    } else {
      move(now[0] - before[0], now[1] - before[1]);
    }
    dragged += Math.hypot(now[0] - before[0], now[1] - before[1]);
    if (dragged > 4 && !canvas.hasPointerCapture(event.pointerId)) {
      canvas.setPointerCapture(event.pointerId);
      canvas.classList.add('drag');
    }
    pointers.set(event.pointerId, now);
  });
  for (const name of ['pointerup', 'pointercancel']) {
    canvas.addEventListener(name, (event) => {
      pointers.delete(event.pointerId);
      canvas.classList.remove('drag');
    });
  }

  function toMap(event) {
    if (!event.buttons) return;
    const { left, top } = map.getBoundingClientRect();
    const matrix = map.getScreenCTM();
    const { width, height } = canvas.getBoundingClientRect();
    const x = (event.clientX - left - (matrix.e - left)) / matrix.a;
    const y = (event.clientY - top - (matrix.f - top)) / matrix.d;
    at.x = width / 2 - x * at.zoom;
    at.y = height / 2 - y * at.zoom;
    fitted = null;
    apply();
  }
  map.addEventListener('pointerdown', toMap);
  map.addEventListener('pointermove', toMap);
  new ResizeObserver(resized).observe(canvas);

  return { sized, fit, begin, aimed, aimAt: (callback) => void (aim = callback), zoomBy, move, show, wasDragged: () => dragged > 4 };
})();
