// Search: components, servers, networks, modules, kinds.

const search = (() => {
  const query = document.getElementById('query');
  const found = document.getElementById('found');
  const SHOWN = 40;
  let hits = [];
  let at = -1;

  const all = [...graph.things.values()].map(({ id, type, name, of }) => {
    const kind = type === 'component' ? graph.kind(of)?.name ?? '' : type === 'module' ? of.kind : of.type ?? '';
    return { id, name, about: [type, kind].filter(Boolean).join(' · '), text: `${name} ${kind}`.toLowerCase() };
  });

  function look() {
    const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    const rank = ({ id, name, about }) => (about.startsWith('other') ? 2 : 0) + (name.toLowerCase().startsWith(words[0]) ? 0 : 1) + (id.startsWith('m:') ? 0.5 : 0);
    hits = words.length ? all.filter(({ text }) => words.every((word) => text.includes(word))) : [];
    hits.sort((a, b) => rank(a) - rank(b) || order.compare(a.name, b.name));
    at = hits.length ? 0 : -1;
    render();
    const ids = new Set(hits.map(({ id }) => id));
    for (const [id, element] of draw.elements) {
      element.classList.toggle('hit', ids.has(id) || (scene.folded.has(id) && graph.members(id).some((member) => ids.has(member))));
    }
    if (words.length) page.say(`${hits.length} found`);
  }

  function render() {
    found.replaceChildren(...hits.slice(0, SHOWN).map(({ id, name, about }, index) => {
      const item = document.createElement('li');
      item.id = `found-${index}`;
      item.setAttribute('role', 'option');
      item.setAttribute('aria-selected', String(index === at));
      const small = document.createElement('small');
      small.textContent = about;
      item.append(name, small);
      item.addEventListener('pointerdown', (event) => {
        event.preventDefault();
        choose(id);
      });
      return item;
    }));
    if (hits.length > SHOWN) {
      const more = document.createElement('li');
      more.textContent = `and ${hits.length - SHOWN} more`;
      found.append(more);
    }
    const isOpen = query.value.trim() !== '' && document.activeElement === query;
    if (isOpen && !hits.length) found.append(Object.assign(document.createElement('li'), { textContent: 'no match' }));
    found.hidden = !isOpen;
    query.setAttribute('aria-expanded', String(isOpen));
    if (isOpen && at >= 0) query.setAttribute('aria-activedescendant', `found-${at}`);
    else query.removeAttribute('aria-activedescendant');
    found.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }

  function choose(id) {
    close();
    page.select(id);
    document.getElementById('canvas').focus();
  }

  function close() {
    query.value = '';
    look();
    query.blur();
    found.hidden = true;
  }

  query.addEventListener('input', look);
  query.addEventListener('focus', look);
  query.addEventListener('blur', () => (found.hidden = true));
  query.addEventListener('keydown', (event) => {
    const count = Math.min(hits.length, SHOWN);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && count) {
      at = (at + step + count) % count;
      render();
    } else if (event.key === 'Enter' && at >= 0) choose(hits[at].id);
    else if (event.key === 'Escape') {
      close();
      document.getElementById('canvas').focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });

  return { open: () => query.focus() };
})();
