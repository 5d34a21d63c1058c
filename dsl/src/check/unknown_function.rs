//! W0412: a function that Heat does not have.

use wattle_heat::template::{Context, FUNCTIONS, Function, Standing, Version};

use crate::model::{Expr, Name};

use super::place::{self, Place};
use super::registry::check;
use super::sink::Sink;

check! {
    /// A value calls a function that Heat does not have, or not in that place: `equals`, for one, is only for conditions.
    /// To Heat, such a call is a map with one key, which it puts into the stack unchanged.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// let name = hot::function("list_joins", [hot::value("-"), hot::value(["a", "b"])]);
    /// t.add("net", RawResource::new("OS::Neutron::Net").property("name", name));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0412"));
    /// ```
    ///
    /// Call a function that Heat has. Those with a name in `hot` cannot be misspelt:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// let name = hot::list_join("-", ["a", "b"]);
    /// t.add("net", RawResource::new("OS::Neutron::Net").property("name", name));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0412"));
    /// ```
    CHECK: "W0412", Error, "a function that Heat does not have", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    let version = Version::of(&model.version).unwrap_or_default();
    let mut found = Vec::new();
    place::each(model, |place, at, value| {
        let context = match place {
            Place::Condition(_) | Place::Setting { setting: "condition", .. } => Context::Condition,
            _ => Context::Value,
        };
        // Elsewhere, agents may compute it, whatever the context.
        let is_heats = matches!(place, Place::Property { .. } | Place::Setting { .. });
        calls(value, context, &mut |name, context| {
            let why = why(name, version, context, is_heats);
            found.extend(why.map(|why| (place, at, name, why)));
        });
    });
    for (place, at, name, why) in found {
        let names = FUNCTIONS.iter().filter(|own| own.removed().is_none()).map(|own| own.name());
        let help = match Function::of(name) {
            Some(own) if own.removed().is_none() => {
                "call it where a condition is needed: in `hot::if_`, for one".to_owned()
            }
            _ => {
                let otherwise = || "the functions that Heat has are those of `hot`".to_owned();
                sink.suggest(name, names).unwrap_or_else(otherwise)
            }
        };
        let diagnostic = CHECK.diagnostic(format!("{place} calls `{name}`, {why}")).label(at, "called here").help(help);
        sink.push(diagnostic);
    }
}

/// Why Heat does not accept a call.
fn why(name: &str, version: Version, context: Context, is_heats: bool) -> Option<&'static str> {
    let Some(function) = Function::of(name) else { return Some("a function that Heat does not have") };
    match function.standing(version, context) {
        Standing::Removed => Some("a function that Heat no longer has"),
        Standing::Unknown if is_heats && function.standing(version, Context::Condition) == Standing::Known => {
            Some("a function that Heat has only in conditions")
        }
        Standing::Known | Standing::Misplaced | Standing::Unknown => None,
    }
}

/// Calls `visit` for every function call in `value`, with its context.
fn calls<'m>(value: &'m Expr, context: Context, visit: &mut impl FnMut(&'m Name, Context)) {
    match value {
        Expr::Text(parts) | Expr::List(parts) => parts.iter().for_each(|part| calls(part, context, visit)),
        Expr::Map(parts) => parts.values().for_each(|part| calls(part, context, visit)),
        Expr::Function { name, argument } => {
            visit(name, context);
            match (&**name, &**argument) {
                ("if", Expr::List(items)) => {
                    for (index, item) in items.iter().enumerate() {
                        calls(item, if index == 0 { Context::Condition } else { context }, visit);
                    }
                }
                // Arguments of condition functions are conditions themselves.
                ("equals" | "not" | "and" | "or", argument) => calls(argument, Context::Condition, visit),
                (_, argument) => calls(argument, context, visit),
            }
        }
        Expr::Constant(_) | Expr::Leaf(_) => {}
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, map, sound};
    use crate::check::{Limits, check};
    use crate::model::{Expr, Model, Type};

    fn named(name: Expr) -> Sketch {
        Sketch::new().resource("net", "OS::Neutron::Net").property("net", "name", name)
    }

    fn said(model: &Model) -> Vec<String> {
        let found = check(model, &Limits::default());
        found
            .into_iter()
            .filter(|one| one.code == "W0412")
            .map(|one| format!("{}; {}", one.message, one.help[0]))
            .collect()
    }

    fn joined() -> Expr {
        Expr::function("list_joins", Expr::list(["-".into(), Expr::list(["a".into(), "b".into()])]))
    }

    pub(in crate::check) fn failing() -> Model {
        named(joined()).model
    }

    #[test]
    fn a_misspelt_name_is_found_wherever_it_stands() {
        let whole = "the property `name` of `net` calls `list_joins`, a function that Heat does not have; did you mean `list_join`?";
        assert_eq!(said(&failing()), [whole]);
        let within = named(Expr::list(["x".into(), Expr::function("digest", Expr::list(["md5".into(), joined()]))]));
        assert_eq!(said(&within.model), [whole]);
        let kind = sound().kind("Web", &[("url", Type::Any)], &[]).component("db", "web", "Web");
        assert_eq!(said(&kind.input("db/web", "url", joined()).model).len(), 1);
        assert_eq!(said(&sound().export("all", Type::Any, joined()).model).len(), 1);
    }

    #[test]
    fn a_function_may_be_only_for_conditions_or_gone() {
        let equals = || Expr::function("equals", Expr::list(["a".into(), "b".into()]));
        assert_eq!(
            said(&named(equals()).model),
            [
                "the property `name` of `net` calls `equals`, a function that Heat has only in conditions; call it where a \
                 condition is needed: in `hot::if_`, for one"
            ]
        );
        let asked = Expr::function("if", Expr::list([equals(), "x".into(), "y".into()]));
        assert!(said(&named(asked).model).is_empty());
        let gone = Expr::function("Fn::Join", Expr::list([",".into(), Expr::list(["a".into()])]));
        assert!(said(&named(gone).model)[0].contains("`Fn::Join`, a function that Heat no longer has"));
        assert!(said(&named(map([("list_joins", "x".into())])).model).is_empty());
    }
}
