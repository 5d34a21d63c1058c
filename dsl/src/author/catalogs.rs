//! The catalogs that know Heat's schemas, and what a topology learns from them about resources without types.

use std::collections::HashSet;

use crate::model::{Model, Schema};

/// Returns the schema of a type, if it is one of the catalog's own.
pub(super) type Catalog = fn(&str) -> Option<Schema>;

/// The catalogs of the resources that were added.
#[derive(Default)]
pub(super) struct Catalogs(Vec<Catalog>);

impl Catalogs {
    /// Notes that a resource of `catalog` was added.
    pub(super) fn add(&mut self, catalog: Catalog) {
        if !self.0.iter().any(|known| std::ptr::fn_addr_eq(*known, catalog)) {
            self.0.push(catalog);
        }
    }

    /// Adds the schemas of raw resources' types to `model`, as far as a catalog knows them.
    pub(super) fn judge(&self, model: &mut Model) {
        let mut strange = HashSet::new();
        for ty in model.resources.values().map(|resource| &resource.ty) {
            if model.schemas.contains_key(ty) || !strange.insert(ty) {
                continue;
            }
            if let Some(schema) = self.0.iter().find_map(|catalog| catalog(ty)) {
                model.schemas.insert(ty.clone(), schema);
            }
        }
    }
}
