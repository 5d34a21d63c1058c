//! Properties under outdated names. The catalog does not offer these, and Heat reads them under the current names.

use wattle_heat::properties;
use wattle_heat::template::Template;

use super::Note;
use super::catalog::Catalog;

/// Renames the template's properties to the names that the catalog uses, if Heat reads both alike.
pub(super) fn renamed(template: &Template, catalog: &Catalog, notes: &mut Vec<Note>) -> Template {
    let mut template = template.clone();
    let mut renamed = Vec::new();
    for resource in template.resources.values_mut() {
        let known = resource.kind().and_then(|ty| Some((ty.to_owned(), catalog.get(ty)?)));
        let (Some((ty, known)), Some(properties)) = (known, &resource.properties) else { continue };
        let (properties, done) = properties::renamed(&ty, properties, &|way| known.is_dated(way));
        resource.properties = Some(properties);
        renamed.extend(done);
    }
    notes.extend(renamed.into_iter().map(|one| {
        let subject = format!("`{}`, now `{}`", one.from, one.to);
        let text = "the property has the name under which Heat reads it, not its old one";
        Note::new(template.at(one.at), subject, text.into())
    }));
    template
}
