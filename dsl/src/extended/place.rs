//! The places where everything was written: `FILE:LINE:COLUMN`, by section and name.

use crate::lower::hot::Hot;
use crate::model::{Binding, Name, Source};

use super::{Fields, Writer, names, text};

impl Writer<'_> {
    /// The places of everything that has one.
    pub(super) fn places(&self) -> Hot {
        let model = self.model;
        let mut fields = Vec::new();
        fields.add("model", at(&model.at));
        macro_rules! by_name {
            ($($section:ident),*) => {$(
                fields.add_map(stringify!($section), model.$section.iter().map(|(name, one)| (name.clone(), at(&one.at))));
            )*};
        }
        by_name!(parameters, conditions, resources, components, exports, outputs, modules, requirements);
        macro_rules! in_order {
            ($($section:ident),*) => {$(
                if !model.$section.is_empty() {
                    fields.add(stringify!($section), Hot::List(model.$section.iter().map(|one| at(&one.at)).collect()));
                }
            )*};
        }
        in_order!(parameter_groups, after, imports, moved, placement);
        let resources = model.resources.iter();
        fields.add_map(
            "properties",
            resources.filter_map(|(name, one)| Some((name.clone(), bindings(&one.properties)?))),
        );
        let components = model.components.iter();
        fields.add_map("inputs", components.filter_map(|(key, one)| Some((key.clone(), bindings(&one.inputs)?))));
        fields.add_map(
            "promises",
            model.forward_references.iter().map(|(name, forward)| {
                let fulfilled = forward.fulfilled.iter().take(1).map(|binding| at(&binding.at));
                (name.clone(), Hot::List(std::iter::once(at(&forward.at)).chain(fulfilled).collect()))
            }),
        );
        fields.add_map(
            "kinds",
            model.declarations.iter().map(|(key, kind)| {
                let mut places = vec![("at".into(), at(&kind.at))];
                places.add_map("types", kind.inputs.iter().map(|(name, input)| (name.clone(), at(&input.at))));
                places.add_map("outputs", kind.outputs.iter().map(|(name, output)| (name.clone(), at(&output.at))));
                (key.clone(), Hot::Map(places))
            }),
        );
        Hot::Map(fields)
    }
}

fn bindings(bindings: &crate::model::IndexMap<Name, Binding>) -> Option<Hot> {
    let places = bindings.iter().map(|(name, binding)| (name.clone(), at(&binding.at)));
    (!bindings.is_empty()).then(|| names(places))
}

fn at(at: &Source) -> Hot {
    text(at.portable())
}
