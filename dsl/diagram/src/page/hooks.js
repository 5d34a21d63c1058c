// What other scripts of the page may use, as `window.wattle`. A page that shows what runs adds its scripts behind this
// one (`live*.js`), and finds in `wattle.picture.live` where events come from.
//
//   wattle.picture             the data, in the format `wattle-picture/1`
//   wattle.ready               a promise: fulfilled when the picture was drawn for the first time
//   wattle.setStates(states)   paints states onto components: { 'server/component': { state, text } }. `state` is one of
//                              'waiting', 'running', 'done', 'failed', 'blocked' (by another's failure), or null for none;
//                              `text` says more, such as what is waited for. `awaits` is a list of { for, input, since }: the
//                              wires of these are marked, and a click on one goes to who writes. Components that are not named
//                              keep what they have. A folded server or module shows the worst state within.
//   wattle.setBuilt(built)     says of servers, networks and whatever else is created how far that is: { name: { state, text } },
//                              all of them each time. `state` is one of 'to-come', 'busy', 'there', 'differs', 'failed', 'lost',
//                              'leaving', 'to-go', 'gone'
//   wattle.addTab(id, title, after)  adds a tab to the side panel, behind the tab `after` if there is one, and returns its
//                              element, which is the caller's to fill
//   wattle.showTab(id)         shows a tab; 'details' is the page's own
//   wattle.select(id)          selects a component, a server, a network or a module, unfolds what is around it, and brings
//                              it into view; null selects nothing
//   wattle.onSelect(callback)  calls back with the name of what is selected from now on, or null
//   wattle.say(text)           tells who cannot see the page

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
