// Assembles the page.

document.getElementById('title').textContent = picture.stack;
document.getElementById('infrastructure').checked = scene.shown.infrastructure;
document.getElementById('infrastructure').parentElement.hidden = graph.count('other') === 0;
for (const [sign, words] of told.legend) {
  const entry = document.createElement('li');
  entry.dataset.kind = sign;
  entry.textContent = words;
  document.getElementById('legend').append(entry);
}
details.show(null);
page.redraw({ fit: true }).then(hooks.drawn);
