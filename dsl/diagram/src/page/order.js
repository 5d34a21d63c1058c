// The order of names, by their numbers: app2 comes before app10. Every list and every layout uses this order.

const order = (() => {
  const { compare } = new Intl.Collator('en', { numeric: true });

  /** A name without its last number, and that number; null if it has none. Images follow the same rule. */
  function member(name) {
    const [, stem, number, rest] = name.match(/^(.*?)(\d+)(\D*)$/s) ?? [];
    return number === undefined ? null : { cluster: `${stem}\u0000${rest}`, number: BigInt(number) };
  }

  /** The same list, with the members of each cluster sorted by number among the places that they had. */
  function members(list, nameOf) {
    const clusters = new Map();
    list.forEach((one, at) => {
      const known = member(nameOf(one));
      if (!known) return;
      if (!clusters.has(known.cluster)) clusters.set(known.cluster, []);
      clusters.get(known.cluster).push({ one, at, number: known.number });
    });
    const sorted = [...list];
    for (const own of clusters.values()) {
      const places = own.map(({ at }) => at);
      own.sort((a, b) => (a.number < b.number ? -1 : a.number > b.number ? 1 : a.at - b.at));
      own.forEach(({ one }, index) => (sorted[places[index]] = one));
    }
    return sorted;
  }

  return { compare, members };
})();
