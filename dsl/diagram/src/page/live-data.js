// The data space as a tree. For a secret, the page has only the fact that it is one.

const liveData = (() => {
  const { make, now } = live;
  let body, root, filter;
  let isDue = false;

  function start() {
    body = wattle.addTab('live-data', 'Data space');
    filter = make('input', { type: 'search', placeholder: 'find an entry', 'aria-label': 'find an entry', input: update });
    root = make('div', { class: 'live-tree' });
    body.append(filter, root);
    live.onChange(later);
    new MutationObserver(later).observe(body, { attributes: true, attributeFilter: ['hidden'] });
    update();
  }

  /** Updates soon, so that many changes lead to one update. */
  function later() {
    if (isDue || body.hidden) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      update();
    }, 250);
  }

  function update() {
    if (body.hidden || !now.stack) return;
    const wanted = filter.value.trim().toLowerCase();
    sync(root, branches(wanted), wanted !== '');
  }

  const leaf = (key, text, look, more) => ({ key, text, look, more });

  function branches(wanted) {
    const servers = Object.keys(now.servers).sort(order.compare);
    const entries = grouped(now.entries, entry, wanted);
    const status = grouped(now.components, stated, wanted);
    const list = [leaf('revision', String(now.revision ?? 'none'), 'value')];
    list.push({ key: 'entries', below: () => entries, isOpen: true });
    list.push({ key: 'status', below: () => status });
    const plans = servers.filter((server) => server.toLowerCase().includes(wanted));
    list.push({ key: 'servers', below: () => plans.map((server) => ({ key: server, below: () => serverOf(server) })) });
    return [{ key: `/wattle/${now.stack}`, below: () => list, isOpen: true }];
  }

  /** Sorts by server; the entries of one server keep their order. */
  function sorted(map) {
    const server = (name) => name.slice(0, name.indexOf('/'));
    return Object.entries(map).sort(([a], [b]) => order.compare(server(a), server(b)));
  }

  /** A tree of things named `SERVER/COMPONENT[/OUTPUT]`. */
  function grouped(map, show, wanted) {
    const top = new Map();
    for (const [name, told] of sorted(map)) {
      if (wanted && !name.toLowerCase().includes(wanted)) continue;
      const parts = name.split('/');
      const last = parts.pop();
      let at = top;
      for (const part of parts) {
        if (!(at.get(part) instanceof Map)) at.set(part, new Map());
        at = at.get(part);
      }
      at.set(last, () => show(last, told, name));
    }
    const list = (map) =>
      [...map].map(([key, below]) => (below instanceof Map ? { key, below: () => list(below), isOpen: true } : below()));
    return list(top);
  }

  function entry(key, told) {
    const former = told.former ? `, of revision ${told.revision}` : '';
    const label = `${told.type ?? ''}${former}`;
    switch (told.state) {
      case 'value': {
        const isLarge = told.size !== undefined;
        const text = isLarge ? `${told.begins}…` : shown(told.value);
        return leaf(key, text, 'value', isLarge ? `${label}, ${told.size} bytes` : label);
      }
      case 'secret':
        return leaf(key, '••••••', 'secret', label);
      case 'failure': {
        const kept = told.before ? `; revision ${told.before.revision} had ${held(told.before)}` : '';
        return leaf(key, `${told.failure.component}: ${told.failure.message}${kept}`, lookOf(told), `${label}, poisoned`);
      }
      default:
        return leaf(key, 'not written', 'empty', label);
    }
  }

  /** A value as text: only the beginning of a large one, and nothing of a secret. */
  function held(before) {
    if (before.state === 'secret') return '••••••';
    return before.size !== undefined ? `${before.begins}…` : shown(before.value);
  }

  const shown = (value) => (typeof value === 'string' ? value : JSON.stringify(value));

  /** A component that has failed itself looks different from one that another's failure blocks. */
  const lookOf = ({ failure }) => (!failure ? 'value' : failure.through?.length ? 'blocked' : 'failure');

  function stated(key, told, name) {
    return leaf(key, live.doing(name).text, lookOf(told), told.since?.slice(11, 19));
  }

  function serverOf(server) {
    const told = now.servers[server];
    const plan = now.plans[server];
    const alive = told?.agent
      ? leaf('alive', `process ${told.agent.pid} on ${told.agent.host}`, 'value', `since ${told.agent.since.slice(11, 19)}`)
      : leaf('alive', 'nobody', live.lost().has(server) ? 'failure' : 'empty');
    const components = Object.entries(plan?.components ?? {});
    const below = components.map(([name, planned]) => ({ key: name, below: () => plannedOf(planned) }));
    return [alive, { key: 'plan', below: () => [leaf('revision', String(plan?.revision ?? 'none'), 'value'), ...below] }];
  }

  function plannedOf(planned) {
    const inputs = Object.entries(planned.inputs).map(([name, input]) => {
      const { type } = input;
      if (input.secret) return leaf(name, '••••••', 'secret', type);
      if (input.from) return leaf(name, input.from, 'from', type);
      return leaf(name, input.size ? `${input.begins}…` : shown(input.value), 'value', input.size ? `${type}, ${input.size} bytes` : type);
    });
    const list = [leaf('recipe', planned.recipe, 'value', planned.tool)];
    if (planned.after.length) list.push(leaf('after', planned.after.join(', '), 'from'));
    if (inputs.length) list.push({ key: 'inputs', below: () => inputs, isOpen: true });
    return list;
  }

  /** Makes the children of `parent` match `items`. What stays is the same element, so it keeps the focus. */
  function sync(parent, items, isAllOpen) {
    const there = new Map([...parent.children].filter((child) => child.dataset.key).map((child) => [child.dataset.key, child]));
    let before = null;
    for (const item of items) {
      const kind = item.below ? 'DETAILS' : 'DIV';
      let element = there.get(item.key);
      if (element?.tagName !== kind) element = item.below ? branch(item) : make('div', { class: 'live-leaf', tabindex: '0' });
      element.dataset.key = item.key;
      there.delete(item.key);
      const place = before ? before.nextElementSibling : [...parent.children].find((child) => child.dataset.key) ?? null;
      if (element !== place) parent.insertBefore(element, place);
      before = element;
      if (item.below) {
        element.below = item.below;
        if (isAllOpen) element.open = true;
        if (element.open) sync(element, item.below(), isAllOpen);
      } else {
        fill(element, item);
      }
    }
    for (const gone of there.values()) gone.remove();
  }

  function branch(item) {
    const element = make('details', { open: Boolean(item.isOpen) }, make('summary', {}, item.key));
    element.addEventListener('toggle', () => {
      if (element.open) sync(element, element.below(), false);
    });
    return element;
  }

  function fill(element, { key, text, look, more }) {
    const mark = JSON.stringify([text, look, more]);
    if (element.dataset.mark === mark) return;
    element.dataset.mark = mark;
    element.replaceChildren(
      make('span', { class: 'live-key' }, key),
      make('span', { class: 'live-value', 'data-look': look }, text),
      make('span', { class: 'live-more' }, more ?? ''),
    );
  }

  return { start };
})();
