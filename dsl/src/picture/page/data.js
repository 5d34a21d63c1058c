// The picture's data, and questions about it. Nothing here touches the page.

const picture = JSON.parse(document.getElementById('picture').textContent);
for (const list of ['modules', 'resources', 'components', 'edges', 'texts']) picture[list] ??= [];
for (const map of ['kinds', 'parameters', 'exports']) picture[map] ??= {};
