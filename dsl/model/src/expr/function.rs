//! Heat's functions as expressions: what they refer to, and which calls are equivalent to a reference or to text.

use super::{Expr, Name, Reference, Referred, Step};
use crate::{Value, values};

/// The thing that a function refers to by a name among its arguments.
pub(super) fn subject<'a>(function: &str, argument: &'a Expr) -> Option<Referred<'a>> {
    let path = || [0, 1].map(|index| item(argument, index));
    match function {
        "get_param" => Some(Reference::Parameter(text(argument).or(path()[0])?)),
        "get_resource" => Some(Reference::Resource(text(argument)?)),
        "get_attr" => match path() {
            [Some(resource), Some(attribute)] => Some(Reference::Attribute { resource, attribute, path: &[] }),
            [Some(resource), None] => Some(Reference::Resource(resource)),
            _ => None,
        },
        _ => None,
    }
}

/// The call in canonical form.
pub(super) fn canonical(name: Name, argument: Expr) -> Expr {
    said_otherwise(&name, &argument).unwrap_or_else(|| Expr::Function { name, argument: Box::new(argument) })
}

fn said_otherwise(function: &str, argument: &Expr) -> Option<Expr> {
    match function {
        "get_param" => match argument {
            Expr::Constant(Value::List(items)) => match items.as_slice() {
                [Value::Str(parameter)] => Some(Expr::parameter(parameter.clone())),
                _ => None,
            },
            _ => text(argument).cloned().map(Expr::parameter),
        },
        "get_resource" => text(argument).cloned().map(Expr::resource),
        "get_attr" => attribute(argument),
        "str_replace" => as_text(argument),
        _ => None,
    }
}

fn attribute(argument: &Expr) -> Option<Expr> {
    let (resource, attribute) = (item(argument, 0)?.clone(), item(argument, 1)?.clone());
    let path = match argument {
        Expr::Constant(Value::List(items)) => items[2..].iter().map(constant_step).collect(),
        Expr::List(items) => items[2..].iter().map(step).collect(),
        _ => None,
    }?;
    Some(Expr::attribute(resource, attribute, path))
}

fn step(step: &Expr) -> Option<Step> {
    match step {
        Expr::Constant(value) => constant_step(value),
        Expr::Leaf(Reference::Resource(name)) => Some(Step::Resource(name.clone())),
        _ => None,
    }
}

fn constant_step(step: &Value) -> Option<Step> {
    match step {
        Value::Str(key) => Some(Step::Key(key.clone())),
        Value::Integer(index) => u32::try_from(*index).ok().map(Step::Index),
        _ => None,
    }
}

/// The text, if the arguments of a `str_replace` are exactly those that text lowers to for Heat.
fn as_text(argument: &Expr) -> Option<Expr> {
    let Expr::Map(arguments) = argument else { return None };
    let (Some(template), Some(Expr::Map(values)), 2) =
        (arguments.get("template").and_then(text), arguments.get("params"), arguments.len())
    else {
        return None;
    };
    let mut parts = Vec::new();
    let mut rest = &**template;
    for (key, value) in values {
        let (before, after) = rest.split_once(&**key)?;
        parts.extend([Expr::Constant(before.into()), value.clone()]);
        rest = after;
    }
    parts.push(Expr::Constant(rest.into()));
    let Expr::Text(parts) = Expr::text(parts) else { return None };
    let (written, keys) = template_of(&parts);
    let same = written == **template && keys.iter().map(|(key, _)| key.as_str()).eq(values.keys().map(|key| &**key));
    same.then_some(Expr::Text(parts))
}

/// Text as a template, with the values for its non-constant parts under the keys `<1>`, `<2>`, ... in order.
pub fn template_of(parts: &[Expr]) -> (String, Vec<(String, &Expr)>) {
    // A key that also occurs in the author's own text would be replaced there too.
    let literal = |text: &str| {
        parts.iter().any(|part| part.constant().and_then(Value::as_str).is_some_and(|own| own.contains(text)))
    };
    let open = ["<", "<<", "<<<", "<wattle:"].into_iter().find(|open| !literal(open)).unwrap_or("<wattle:value:");
    let mut template = String::new();
    let mut params = Vec::new();
    for part in parts {
        match part {
            Expr::Constant(value) => template.push_str(&values::text(value)),
            other => {
                let key = format!("{open}{}>", params.len() + 1);
                template.push_str(&key);
                params.push((key, other));
            }
        }
    }
    (template, params)
}

fn text(value: &Expr) -> Option<&Name> {
    match value {
        Expr::Constant(Value::Str(text)) => Some(text),
        _ => None,
    }
}

/// The item of a list, if it is text.
fn item(list: &Expr, index: usize) -> Option<&Name> {
    match list {
        Expr::Constant(Value::List(items)) => match items.get(index)? {
            Value::Str(text) => Some(text),
            _ => None,
        },
        Expr::List(items) => text(items.get(index)?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter() -> Expr {
        Expr::parameter("p")
    }

    fn list(items: impl IntoIterator<Item = Expr>) -> Expr {
        Expr::list(items)
    }

    #[test]
    fn what_has_a_form_of_its_own_is_no_function() {
        let same = [
            (Expr::function("get_param", "p".into()), parameter()),
            (Expr::function("get_param", list(["p".into()])), parameter()),
            (Expr::function("get_resource", "r".into()), Expr::resource("r")),
            (
                Expr::function("get_attr", list(["r".into(), "a".into(), 0.into(), Expr::resource("n")])),
                Expr::attribute("r", "a", vec![Step::Index(0), Step::Resource("n".into())]),
            ),
        ];
        for (made, expected) in same {
            assert_eq!(made, expected);
        }
        for function in ["get_attr", "get_param"] {
            let computed = list(["r".into(), "a".into(), parameter()]);
            assert!(matches!(Expr::function(function, computed), Expr::Function { .. }));
        }
    }

    #[test]
    fn text_has_one_form() {
        let text = Expr::text(["a".into(), 1.into(), Expr::Text(vec!["b".into(), parameter()]), "".into()]);
        assert_eq!(text, Expr::Text(vec!["a1b".into(), parameter()]));
        assert_eq!(Expr::text([]), "".into());
        assert_eq!(Expr::text([true.into(), "".into()]), "true".into());
    }

    #[test]
    fn str_replace_is_text_only_as_text_is_written() {
        let replace = |template: &str, keys: &[&str]| {
            let params = Expr::map(keys.iter().map(|key| (Name::from(*key), parameter())));
            Expr::function("str_replace", Expr::map([("template".into(), template.into()), ("params".into(), params)]))
        };
        assert_eq!(replace("a <1> b", &["<1>"]), Expr::text(["a ".into(), parameter(), " b".into()]));
        assert_eq!(replace("<1><2>", &["<1>", "<2>"]), Expr::text([parameter(), parameter()]));
        assert_eq!(replace("a < <<1>", &["<<1>"]), Expr::text(["a < ".into(), parameter()]));
        for (template, keys) in [
            ("a $1 b", &["$1"][..]),
            ("<1> <1>", &["<1>"]),
            ("<2><1>", &["<1>", "<2>"]),
            ("<1>", &["<1>", "<2>"]),
            ("a < <1>", &["<1>"]),
        ] {
            assert!(matches!(replace(template, keys), Expr::Function { .. }), "{template}");
        }
    }

    #[test]
    fn a_function_refers_to_what_its_arguments_name() {
        let found = |value: &Expr| value.references().map(|reference| format!("{reference:?}")).collect::<Vec<_>>();
        let value = Expr::function("get_attr", list(["r".into(), "a".into(), parameter()]));
        let attribute = r#"Attribute { resource: "r", attribute: "a", path: [] }"#;
        assert_eq!(found(&value), [attribute, r#"Parameter("p")"#]);
        let joined = Expr::function("list_join", list([",".into(), list([value])]));
        assert_eq!(found(&joined), [attribute, r#"Parameter("p")"#]);
        assert_eq!(found(&Expr::function("get_param", list(["q".into(), "key".into()]))), [r#"Parameter("q")"#]);
        assert_eq!(found(&Expr::function("get_attr", list(["r".into()]))), [r#"Resource("r")"#]);
    }
}
