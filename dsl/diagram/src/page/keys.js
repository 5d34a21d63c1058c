// Keys and buttons.

(() => {
  const help = document.getElementById('help');
  const canvas = document.getElementById('canvas');
  const on = (id, act) => document.getElementById(id).addEventListener('click', act);
  on('fit', () => camera.fit());
  on('zoom-in', () => camera.zoomBy(1.25));
  on('zoom-out', () => camera.zoomBy(0.8));
  on('signs', () => {
    const isShown = document.getElementById('legend').toggleAttribute('data-shown');
    document.getElementById('signs').setAttribute('aria-expanded', String(isShown));
  });
  on('fold-all', () => page.foldAll(true));
  on('unfold-all', () => page.foldAll(false));
  document.getElementById('infrastructure').addEventListener('change', (event) => page.toggleInfrastructure(event.target.checked));
  on('theme', () => page.toggleTheme());
  on('ask', () => help.showModal());

  const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

  function enter() {
    const id = page.selected();
    if (!id) return;
    if (graph.within.has(id)) page.fold(id);
    else {
      panel.show('details');
      details.body.focus();
    }
  }

  canvas.addEventListener('keydown', (event) => {
    const arrow = ARROWS[event.key];
    if (!arrow && event.key !== 'Enter' && event.key !== ' ') return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (!arrow) enter();
    else if (event.shiftKey) camera.move(-80 * arrow[0], -80 * arrow[1]);
    else page.go(...arrow);
  });

  const KEYS = {
    '/': () => search.open(),
    '?': () => help.showModal(),
    '+': () => camera.zoomBy(1.25),
    '=': () => camera.zoomBy(1.25),
    '-': () => camera.zoomBy(0.8),
    0: () => camera.fit(),
    u: () => page.trace('upstream'),
    d: () => page.trace('downstream'),
    i: () => page.toggleInfrastructure(),
    t: () => page.toggleTheme(),
    F: () => page.foldAll(true),
    U: () => page.foldAll(false),
    Escape: () => {
      if (page.isTraced()) page.trace(null);
      else page.select(null);
      canvas.focus();
    },
  };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    if (event.target.closest('input:not([type=checkbox]), textarea, select, [contenteditable]')) return;
    const act = KEYS[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
})();
