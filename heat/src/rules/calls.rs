//! Invalid calls of functions, in a template that exists only to find them.

use crate::Loaded;
use crate::evaluate::{Defect, Mode, Scope};
use crate::faults;
use crate::yaml::{Place, Tree};

/// A call with invalid arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    /// The part that contains the call.
    pub within: Stands,
    /// The fault.
    pub why: String,
    /// The function's correct form.
    pub help: String,
    /// Whether Heat accepts the call and fails when it needs the value.
    pub late: bool,
}

/// The part that contains a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Stands {
    /// A condition of this name.
    Condition(String),
    /// A property of a resource.
    Property(String, String),
    /// Another field of a resource.
    Setting(String),
}

/// All such calls in the conditions and resources of a template without aliases.
pub fn calls(loaded: &Loaded) -> Vec<Called> {
    let scope = Scope::new(loaded, Mode::Validation);
    let found = faults::all(&scope, false, &|name, resource| faults::is_placeholder(loaded, name, resource));
    let places = places(loaded);
    let called = |found: faults::Found| {
        let Defect::Arguments { function, why } = found.fault.cause else { return None };
        let at = places.partition_point(|(place, _)| *place <= found.fault.span.start).checked_sub(1)?;
        let (why, help) = (format!("`{}`: {why}", function.name()), function.form());
        let help = format!("call it as `{help}`");
        Some(Called { within: places[at].1.clone(), why, help, late: found.late })
    };
    found.into_iter().filter_map(called).collect()
}

/// Where each container begins, in order.
fn places(loaded: &Loaded) -> Vec<(Place, Stands)> {
    let template = &loaded.template;
    let conditions = template.conditions.iter();
    let mut places: Vec<(Place, Stands)> =
        conditions.map(|(name, known)| (known.name_span.start, Stands::Condition(name.clone()))).collect();
    for (name, resource) in &template.resources {
        places.push((resource.name_span.start, Stands::Setting(name.clone())));
        let settings = [&resource.metadata, &resource.deletion_policy, &resource.update_policy, &resource.condition];
        places.extend(settings.into_iter().flatten().map(|node| (node.span.start, Stands::Setting(name.clone()))));
        if let Some(Tree::Map(pairs)) = resource.properties.as_ref().map(|node| &*node.tree) {
            let stands = |key: String| Stands::Property(name.clone(), key);
            places.extend(pairs.iter().map(|pair| (pair.key.span.start, stands(pair.key.as_key()))));
        }
    }
    places.sort_by_key(|(place, _)| *place);
    places
}
