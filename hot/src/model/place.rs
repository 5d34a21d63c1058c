//! Order and places of a model that `wattle::extended` wrote: they are those of its original source, not those of the file.

use wattle::model::{Binding, Name, Source};
use wattle_model::IndexMap;

use super::{Reader, items, pairs};
use wattle_heat::yaml::Node;

impl Reader<'_> {
    /// Restores the order of components and component types in the source.
    pub(super) fn arrange(&mut self) {
        if let Some(order) = self.stack.and_then(|stack| stack.get("components")) {
            let named: Vec<Name> = items(order).iter().map(super::words).collect();
            let unknown = named.iter().find(|name| !self.model.components.contains_key(*name));
            if let Some(unknown) = unknown {
                self.damaged(
                    order.span,
                    format!("`wattle_model` names the component `{unknown}`, which does not exist"),
                    "the order of components",
                );
            }
            arrange(&mut self.model.components, named);
        }
        let first = self.model.components.values().map(|component| component.declaration.clone()).collect();
        arrange(&mut self.model.declarations, first);
        if let Some(kinds) = self.stack.and_then(|stack| stack.get("kinds")) {
            let named = pairs(kinds).map(|(name, ..)| Name::from(name)).collect();
            arrange(&mut self.model.declarations, named);
        }
    }

    /// Sets all places that `wattle_model` records.
    pub(super) fn places(&mut self) {
        let Some(sources) = self.stack.and_then(|stack| stack.get("sources")) else { return };
        let model = &mut self.model;
        if let Some(at) = sources.get("model").and_then(place) {
            model.at = at;
        }
        macro_rules! by_name {
            ($($section:ident),*) => {$(
                for (name, at) in by_name(sources, stringify!($section)) {
                    if let Some(one) = model.$section.get_mut(name.as_str()) {
                        one.at = at;
                    }
                }
            )*};
        }
        by_name!(parameters, conditions, resources, components, exports, outputs, modules, requirements);
        macro_rules! in_order {
            ($($section:ident),*) => {$(
                let places = sources.get(stringify!($section)).map(items).unwrap_or_default();
                for (one, at) in model.$section.iter_mut().zip(places.iter().map(place)) {
                    one.at = at.unwrap_or_else(|| one.at.clone());
                }
            )*};
        }
        in_order!(parameter_groups, after, imports, moved, placement);
        for (name, _, places) in sources.get("properties").into_iter().flat_map(pairs) {
            if let Some(resource) = model.resources.get_mut(name.as_str()) {
                of_bindings(&mut resource.properties, places);
            }
        }
        for (name, _, places) in sources.get("inputs").into_iter().flat_map(pairs) {
            if let Some(component) = model.components.get_mut(name.as_str()) {
                of_bindings(&mut component.inputs, places);
            }
        }
        for (name, _, places) in sources.get("promises").into_iter().flat_map(pairs) {
            let Some(forward) = model.forward_references.get_mut(name.as_str()) else { continue };
            let mut places = items(places).iter().filter_map(place);
            forward.at = places.next().unwrap_or_default();
            for (binding, at) in forward.fulfilled.iter_mut().zip(places) {
                binding.at = at;
            }
        }
        for (name, _, places) in sources.get("kinds").into_iter().flat_map(pairs) {
            let Some(kind) = model.declarations.get_mut(name.as_str()) else { continue };
            if let Some(at) = places.get("at").and_then(place) {
                kind.at = at;
            }
            for (name, at) in by_name(places, "types") {
                if let Some(input) = kind.inputs.get_mut(name.as_str()) {
                    input.at = at;
                }
            }
            for (name, at) in by_name(places, "outputs") {
                if let Some(output) = kind.outputs.get_mut(name.as_str()) {
                    output.at = at;
                }
            }
        }
    }
}

/// Moves the named entries to the front, in that order.
fn arrange<V>(map: &mut IndexMap<Name, V>, first: Vec<Name>) {
    let mut next = 0;
    for name in first {
        if let Some(at) = map.get_index_of(&name)
            && at >= next
        {
            map.move_index(at, next);
            next += 1;
        }
    }
}

fn by_name<'n>(node: &'n Node, section: &str) -> impl Iterator<Item = (String, Source)> + use<'n> {
    node.get(section).into_iter().flat_map(pairs).filter_map(|(name, _, at)| Some((name, place(at)?)))
}

fn of_bindings(bindings: &mut IndexMap<Name, Binding>, places: &Node) {
    for (name, _, at) in pairs(places) {
        if let (Some(binding), Some(at)) = (bindings.get_mut(name.as_str()), place(at)) {
            binding.at = at;
        }
    }
}

/// `FILE:LINE:COLUMN`.
fn place(node: &Node) -> Option<Source> {
    let mut parts = node.tree.as_text()?.rsplitn(3, ':');
    let column = parts.next()?.parse().ok()?;
    let line = parts.next()?.parse().ok()?;
    Some(Source { file: parts.next()?.to_owned().into(), line, column })
}
