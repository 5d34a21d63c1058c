// Puts the page together.

document.getElementById('title').textContent = picture.stack;
panel.add('details', 'Details');
hooks.drawn();
