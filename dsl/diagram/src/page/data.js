// The diagram's data, and queries on it. Nothing here touches the page.
//
// Everything that is drawn has an id: `c:` and a component's key, `r:` and a resource's name, or `m:` and a module's name.

const picture = JSON.parse(document.getElementById('picture').textContent);
for (const list of ['modules', 'resources', 'components', 'edges', 'texts']) picture[list] ??= [];
for (const map of ['kinds', 'parameters', 'exports', 'places']) picture[map] ??= {};
// The data that images use too: networks and their descriptions, which box shows which resource, the layout.
const told = JSON.parse(document.getElementById('told').textContent);

const graph = (() => {
  const things = new Map();
  const within = new Map([['', []]]);
  const put = (id, parent, thing) => {
    things.set(id, { id, parent, ...thing });
    if (!within.has(parent)) within.set(parent, []);
    within.get(parent).push(id);
  };
  const frames = new Set(picture.modules.map((module) => module.name));
  const frame = (module) => (module && frames.has(module) ? `m:${module}` : '');
  for (const of of picture.modules) put(`m:${of.name}`, frame(of.module), { type: 'module', name: of.name, of });
  for (const of of picture.resources) put(`r:${of.name}`, frame(of.module), { type: of.role, name: of.name, of });
  for (const of of picture.components) {
    if (things.has(`r:${of.server}`)) put(`c:${of.key}`, `r:${of.server}`, { type: 'component', name: of.key, of });
  }

  /** The id of the component, resource or module with this name; null if there is none. */
  function find(name) {
    for (const prefix of ['', 'c:', 'r:', 'm:']) if (things.has(prefix + name)) return prefix + name;
    return null;
  }

  const edges = [];
  const incoming = new Map();
  const outgoing = new Map();
  const push = (map, key, value) => (map.has(key) ? map.get(key).push(value) : map.set(key, [value]));
  for (const of of picture.edges) {
    const [from, to] = [find(of.from), find(of.to)];
    if (!from || !to) continue;
    const edge = { from, to, of, label: of.why === 'data' ? `${of.input}${of.type ? `: ${of.type}` : ''}${of.bandwidth ? `, ${of.bandwidth}` : ''}` : '' };
    edges.push(edge);
    push(outgoing, from, edge);
    push(incoming, to, edge);
  }

  /** Everything upstream or downstream of `id`, along edges of any kind. Includes `id` itself, and everything inside it. */
  function reach(id, direction) {
    const next = direction === 'upstream' ? incoming : outgoing;
    const end = direction === 'upstream' ? 'from' : 'to';
    const seen = new Set(members(id));
    const pending = [...seen];
    while (pending.length) {
      for (const edge of next.get(pending.pop()) ?? []) {
        if (!seen.has(edge[end])) {
          seen.add(edge[end]);
          pending.push(edge[end]);
        }
      }
    }
    return seen;
  }

  /** A thing, and everything inside it. */
  function members(id) {
    const all = [id];
    for (let at = 0; at < all.length; at += 1) all.push(...(within.get(all[at]) ?? []));
    return all;
  }

  /** What encloses a thing, from the inside out. */
  function* around(id) {
    for (let at = things.get(id)?.parent; at; at = things.get(at).parent) yield at;
  }

  /** The box that shows a thing: a subnet is in its network's box, a port in its server's, and everything else in its own. */
  const box = (id) => {
    const name = things.get(id)?.name;
    return id.startsWith('r:') && Object.hasOwn(told.within, name) ? `r:${told.within[name]}` : id;
  };

  const local = (name) => name.slice(Math.max(name.lastIndexOf('.'), name.lastIndexOf('/')) + 1);
  const kind = (component) => picture.kinds[component.kind];
  const count = (type) => picture.resources.filter((resource) => resource.role === type).length;

  return { things, within, edges, incoming, outgoing, find, reach, members, around, box, local, kind, count };
})();
