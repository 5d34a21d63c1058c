// The meaning of the colours, and the key that goes to what is awaited.

const liveLegend = (() => {
  const { make, now } = live;
  const STATES = ['waiting', 'running', 'done', 'failed', 'blocked'];
  // The colours of the timeline.
  const BARS = [
    ['waited', 'timeline: waited'],
    ['ran', 'ran'],
    ['critical', 'on the critical path'],
  ];
  let selected = null;

  function start() {
    const one = (kind, words) => make('li', { 'data-kind': kind }, words);
    const legend = document.getElementById('legend');
    legend.append(...STATES.map((state) => one(state, state)), one('awaited', 'awaited: click it, or press w'));
    legend.append(make('li', { 'data-frame': 'lost' }, 'agent gone'), ...BARS.map(([bar, words]) => make('li', { 'data-bar': bar }, words)));
    document.querySelector('#help dl').append(make('dt', {}, 'w'), make('dd', {}, 'go to what the selected component waits for'));
    wattle.onSelect((name) => (selected = name));
    document.addEventListener('keydown', (event) => {
      if (event.key !== 'w' || event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea, select, dialog')) return;
      event.preventDefault();
      follow();
    });
  }

  /** Goes to the writer of what the selected component has awaited longest. */
  function follow() {
    const waits = [...(now.components[selected]?.waiting ?? [])].sort((a, b) => Date.parse(a.since) - Date.parse(b.since));
    const target = waits.map((wait) => live.drawn(wait.for)).find(Boolean);
    if (target) wattle.select(target);
    else wattle.say(selected ? `${selected} waits for nothing` : 'nothing is selected');
  }

  return { start };
})();
