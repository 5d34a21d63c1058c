// Updates elements in place instead of replacing them, so that the focus and the selected text stay.

const keep = (() => {
  /** Sets the text of a text node. */
  function say(node, text) {
    if (node.data !== text) node.data = text;
  }

  const keyOf = (node) => node.dataset?.key;
  // What somebody has opened or closed stays that way.
  const isOwn = (name) => name === 'open';

  /** Whether the focus or an end of the selected text is inside. */
  function isHeld(node) {
    const { anchorNode, focusNode } = document.getSelection();
    return [document.activeElement, anchorNode, focusNode].some((held) => held && node.contains(held));
  }

  /** Moves a child behind all others, and returns the node that followed it. */
  function putLast(child) {
    const next = child.nextSibling;
    child.parentNode.append(child);
    return next;
  }

  /** Makes the children of `parent` match `wanted`. Children with the same key stay; without a key, those of the same kind. */
  function become(parent, wanted) {
    const keys = new Set(wanted.map(keyOf));
    for (const child of [...parent.childNodes]) if (keyOf(child) !== undefined && !keys.has(keyOf(child))) child.remove();
    let at = parent.firstChild;
    for (const next of wanted) {
      const key = keyOf(next);
      let here = at;
      if (key !== undefined) while (here && keyOf(here) !== key) here = here.nextSibling;
      const isSame = here && keyOf(here) === key && here.nodeName === next.nodeName;
      if (!isSame) {
        parent.insertBefore(next, at);
        continue;
      }
      // Moving an element loses the focus and the selected text in it, so elements that hold them stay in place.
      if (at !== here && !isHeld(here)) parent.insertBefore(here, at);
      else while (at !== here) at = putLast(at);
      at = at === here ? here.nextSibling : at;
      change(here, next);
    }
    while (at) {
      const gone = at;
      at = at.nextSibling;
      gone.remove();
    }
  }

  function change(here, next) {
    if (here.nodeType === Node.TEXT_NODE) {
      say(here, next.data);
      return;
    }
    for (const { name } of [...here.attributes]) if (!isOwn(name) && !next.hasAttribute(name)) here.removeAttribute(name);
    for (const { name, value } of next.attributes) if (!isOwn(name) && here.getAttribute(name) !== value) here.setAttribute(name, value);
    become(here, [...next.childNodes]);
  }

  return { become, say };
})();
