// What other scripts of the page may use, as `window.wattle`. A page that shows a running stack adds its scripts after this
// one (`live*.js`), and finds the address of the events in `wattle.picture.live`.
//
//   wattle.picture             the data, in the format `wattle-picture/1`
//   wattle.ready               a promise, fulfilled once the diagram has been drawn for the first time
//   wattle.setStates(states)   shows states on components: { 'server/component': { state, text } }. `state` is one of
//                              'waiting', 'running', 'done', 'failed', 'blocked' (by another's failure), or null for none;
//                              `text` says more, such as what the component waits for. `awaits` is a list of
//                              { for, input, since }: their wires are marked, and a click on one goes to the writer. Components
//                              that are not named keep their state. A folded server or module shows the worst state inside it.
//   wattle.setBuilt(built)     shows how far servers, networks and other resources are created: { name: { state, text } },
//                              all of them each time. `state` is one of 'to-come', 'busy', 'there', 'differs', 'failed', 'lost',
//                              'leaving', 'to-go', 'gone'
//   wattle.addTab(id, title, after)  adds a tab to the side panel, after the tab `after` if there is one, and returns its
//                              element, for the caller to fill
//   wattle.showTab(id)         shows a tab; 'details' is the page's own tab
//   wattle.select(id)          selects a component, a server, a network or a module, unfolds what encloses it, and brings
//                              it into view; null clears the selection
//   wattle.onSelect(callback)  calls back with the name of each new selection, or with null
//   wattle.say(text)           announces a text to screen readers

const hooks = (() => {
  let drawn;
  const ready = new Promise((resolve) => (drawn = resolve));
  window.wattle = Object.freeze({
    picture,
    ready,
    setStates: page.setStates,
    setBuilt: page.setBuilt,
    addTab: panel.add,
    showTab: panel.show,
    select: (name) => page.select(name === null ? null : graph.find(name)),
    onSelect: page.onSelect,
    say: page.say,
  });
  return { drawn };
})();
