// Puts the page together.

document.getElementById('title').textContent = picture.stack;
document.getElementById('infrastructure').setAttribute('aria-pressed', String(scene.shown.infrastructure));
document.getElementById('infrastructure').hidden = graph.count('other') === 0;
details.show(null);
page.redraw({ fit: true }).then(hooks.drawn);
