// Elements that become others without being made anew, so that the focus and what is selected in them stay.

const keep = (() => {
  /** Has a node of text say something. */
  function say(node, text) {
    if (node.data !== text) node.data = text;
  }

  const keyOf = (node) => node.dataset?.key;
  // What somebody has opened or closed stays so.
  const isOwn = (name) => name === 'open';

  /** Whether the focus or an end of what is selected is within. */
  function isHeld(node) {
    const { anchorNode, focusNode } = document.getSelection();
    return [document.activeElement, anchorNode, focusNode].some((held) => held && node.contains(held));
  }

  /** Puts a child behind all others, and returns what was behind it. */
  function putLast(child) {
    const next = child.nextSibling;
    child.parentNode.append(child);
    return next;
  }

  /** Makes the children of `parent` those that are `wanted`. One of the same key, or without any of the same kind, stays. */
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
      // Whatever is moved loses what is held in it.
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
