// The details of the selection. All text is set as text, and never parsed as markup.

const details = (() => {
  const body = panel.add('details', 'Details');
  body.classList.add('details');

  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (typeof value === 'function') element.addEventListener(name, value);
      else element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined && child !== ''));
    return element;
  }

  /** A name, as a link to what it names. */
  function link(name, label = name) {
    const id = graph.find(name);
    if (!id) return label;
    return make('button', { type: 'button', class: 'link', click: () => page.select(id) }, label);
  }

  const place = (at) => (at ? make('p', { class: 'at' }, at) : null);
  const part = (title, ...children) => {
    const inside = children.flat().filter(Boolean);
    return inside.length ? [make('h3', {}, title), ...inside] : [];
  };

  /** A value, in which the names of outputs are links to the components that write them. */
  function value(text) {
    const pieces = text.split(/([\w.-]+\/[\w.-]+\/[\w.-]+)/);
    return pieces.map((piece, index) => (index % 2 ? link(piece.slice(0, piece.lastIndexOf('/')), piece) : piece));
  }

  function ports(declared, about) {
    const rows = Object.entries(declared ?? {}).flatMap(([name, port]) => [
      make('dt', {}, name, make('span', {}, `: ${port.type}${port.bandwidth ? `, ${port.bandwidth}` : ''}${port.optional ? ', optional' : ''}`)),
      port.doc ? make('dd', {}, ...prose.blocks(port.doc)) : null,
      ...about(name, port).map((line) => make('dd', {}, ...[line].flat())),
    ]);
    return rows.length ? [make('dl', {}, ...rows)] : [];
  }

  function component({ name, of }) {
    const kind = graph.kind(of);
    const id = `c:${name}`;
    const wired = (input, port) => {
      const given = of.inputs?.[input];
      if (given) return [['= ', ...value(given.value)], given.at ? make('span', { class: 'at' }, given.at) : ''];
      return port.default !== undefined ? [`= ${port.default} (default)`] : ['not wired'];
    };
    const read = (output) => {
      const readers = (graph.outgoing.get(id) ?? []).filter((edge) => edge.of.output === output);
      return readers.length ? readers.map((edge) => ['read by ', link(edge.of.to), ` as ${edge.of.input}`]) : ['read by no component'];
    };
    const orders = (graph.incoming.get(id) ?? []).filter((edge) => edge.of.why !== 'data');
    const file = ({ path, text }) => {
      if (text === undefined) return make('p', {}, path);
      const isEntry = path === kind.recipe;
      const box = make('details', {}, make('summary', {}, path), make('pre', { tabindex: '0' }, picture.texts[text]));
      box.open = isEntry;
      return box;
    };
    const limits = [kind?.deadline && `one run may take ${duration.short(kind.deadline)}`, kind?.wait && `waits up to ${duration.short(kind.wait)} for its inputs`];
    const exchanged = kind?.bandwidth ? [make('p', {}, `${kind.bandwidth} with each component that reads its outputs`)] : [];
    return [
      make('h2', {}, name),
      make('p', {}, kind?.name ?? of.kind, ' on ', link(of.server)),
      place(of.at),
      ...prose.blocks(kind?.doc),
      tools(id),
      ...part('Inputs', ports(kind?.inputs, wired)),
      ...part('Outputs', ports(kind?.outputs, read)),
      ...part('Runs after', orders.map((edge) => make('p', {}, link(edge.of.from), edge.of.why === 'after' ? ' (ordered)' : ' (run list)'))),
      ...part('Listens', (kind?.listens ?? []).map((listen) => make('p', {}, listen))),
      ...part('Bandwidth', exchanged),
      ...part('Limits', limits.filter(Boolean).map((limit) => make('p', {}, limit))),
      ...part('Recipe', kind ? [make('p', {}, `${kind.tool}: ${kind.recipe}`, kind.teardown ? `; teardown: ${kind.teardown}` : ''), ...(kind.files ?? []).map(file)] : []),
      ...part('Declared at', place(kind?.at)),
    ];
  }

  /** Where a server is placed. */
  function stands(server) {
    const at = picture.places[server] ?? {};
    return ['host', 'rack', 'room', 'zone'].filter((level) => at[level]).map((level) => make('p', {}, `${level} ${at[level]}`));
  }

  function resource({ id, name, type, of }) {
    const properties = Object.entries(of.properties ?? {}).flatMap(([property, text]) => [make('dt', {}, property), make('dd', {}, ...value(text))]);
    const on = graph.within.get(id) ?? [];
    const of_network = picture.resources.filter((server) => server.networks?.includes(name)).sort((a, b) => order.compare(a.name, b.name));
    const edges = (list, end) => (list ?? []).filter((edge) => edge.of.why === 'infrastructure').map((edge) => make('p', {}, link(edge.of[end])));
    return [
      make('h2', {}, name),
      make('p', {}, of.type || of.doc || type),
      place(of.at),
      ...(of.type ? prose.blocks(of.doc) : []),
      tools(id),
      ...part('Components', on.map((component) => make('p', {}, link(graph.things.get(component).name, graph.things.get(component).of.name)))),
      ...part('Place', stands(name)),
      ...part('Networks', (of.networks ?? []).map((network) => make('p', {}, link(network)))),
      ...part('Servers', type === 'network' ? of_network.map((server) => make('p', {}, link(server.name))) : []),
      ...part('Needs', edges(graph.incoming.get(id), 'from')),
      ...part('Needed by', edges(graph.outgoing.get(id), 'to')),
      ...part('Properties', properties.length ? [make('dl', {}, ...properties)] : []),
    ];
  }

  function module({ id, name, of }) {
    const inside = order.members(graph.within.get(id) ?? [], (child) => child);
    return [
      make('h2', {}, of.title ?? name),
      make('p', {}, of.kind),
      place(of.at),
      tools(id),
      ...part('Within', inside.map((child) => make('p', {}, link(graph.things.get(child).name)))),
    ];
  }

  function tools(id) {
    const button = (title, click) => make('button', { type: 'button', click }, title);
    const isFolding = graph.within.has(id) && !id.startsWith('c:');
    return make('div', { class: 'row' },
      button('Upstream (u)', () => page.trace('upstream')),
      button('Downstream (d)', () => page.trace('downstream')),
      isFolding ? button(scene.folded.has(id) ? 'Unfold (Enter)' : 'Fold (Enter)', () => page.fold(id)) : null);
  }

  function stack() {
    const count = (number, one) => `${number} ${one}${number === 1 ? '' : 's'}`;
    const rows = (map, about) => Object.entries(map).flatMap(([name, of]) => [
      make('dt', {}, name, make('span', {}, of.type ? `: ${of.type}` : '')), ...about(of).filter(Boolean).map((line) => make('dd', {}, ...[line].flat())),
    ]);
    const parameters = rows(picture.parameters, (of) => [of.doc && prose.blocks(of.doc), of.default !== undefined && `default ${of.default}`]);
    const exports = rows(picture.exports, (of) => [value(of.value)]);
    return [
      make('h2', {}, picture.stack),
      ...prose.blocks(picture.description),
      place(picture.at),
      make('p', {}, [count(graph.count('server'), 'server'), count(picture.components.length, 'component'), count(graph.count('network'), 'network')].join(', ')),
      ...part('Parameters', parameters.length ? [make('dl', {}, ...parameters)] : []),
      ...part('Exports', exports.length ? [make('dl', {}, ...exports)] : []),
    ];
  }

  function show(id) {
    const thing = id && graph.things.get(id);
    const shown = !thing ? stack() : thing.type === 'component' ? component(thing) : thing.type === 'module' ? module(thing) : resource(thing);
    body.replaceChildren(...shown.filter((child) => child !== null));
    body.scrollTop = 0;
    document.getElementById('panels').scrollTop = 0;
  }

  return { show, body };
})();
