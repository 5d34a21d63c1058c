// The side panel: tabs, each with its own panel.

const panel = (() => {
  const tabs = document.getElementById('tabs');
  const panels = document.getElementById('panels');
  const known = new Map();

  let current = null;

  /** Adds a tab, at the end or after the tab `after`, and returns the element of its panel, for the caller to fill. */
  function add(id, title, after) {
    const tab = document.createElement('button');
    tab.type = 'button';
    tab.id = `tab-${id}`;
    tab.textContent = title;
    tab.setAttribute('role', 'tab');
    tab.setAttribute('aria-controls', `panel-${id}`);
    const body = document.createElement('section');
    body.id = `panel-${id}`;
    body.setAttribute('role', 'tabpanel');
    body.setAttribute('aria-labelledby', tab.id);
    body.tabIndex = 0;
    tab.addEventListener('click', () => show(id));
    known.set(id, { tab, body });
    const before = known.get(after)?.tab.nextSibling ?? null;
    tabs.insertBefore(tab, before);
    panels.append(body);
    show(current ?? id);
    return body;
  }

  /** Shows a tab instead of the current one. */
  function show(id) {
    current = id;
    for (const [other, { tab, body }] of known) {
      const shown = other === id;
      tab.setAttribute('aria-selected', String(shown));
      tab.tabIndex = shown ? 0 : -1;
      body.hidden = !shown;
    }
  }

  tabs.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const ids = [...tabs.children].map((tab) => tab.id.slice('tab-'.length));
    const at = ids.findIndex((id) => known.get(id).tab === document.activeElement);
    const next = ids[(at + step + ids.length) % ids.length];
    show(next);
    known.get(next).tab.focus();
    event.preventDefault();
  });

  return { add, show };
})();
