//! The canonical form of trees: trees with the same meaning are equal.

use super::Tree;
use crate::{IndexMap, values};
use crate::{Name, Value};

impl<L> Tree<L> {
    /// The concatenation of `parts` in canonical form: no text within text, and adjacent constants merged into one.
    pub fn text(parts: impl IntoIterator<Item = Self>) -> Self {
        fn add<L>(texts: &mut Vec<Tree<L>>, part: Tree<L>) {
            let constant = match part {
                Tree::Text(parts) => return parts.into_iter().for_each(|part| add(texts, part)),
                Tree::Constant(value) => values::text(&value),
                other => return texts.push(other),
            };
            match texts.last_mut() {
                _ if constant.is_empty() => {}
                Some(Tree::Constant(Value::Str(before))) => *before = format!("{before}{constant}").into(),
                _ => texts.push(constant.into()),
            }
        }
        let mut texts = Vec::new();
        parts.into_iter().for_each(|part| add(&mut texts, part));
        match texts.as_slice() {
            [] => "".into(),
            [Self::Constant(_)] => texts.remove(0),
            _ => Self::Text(texts),
        }
    }

    /// A list in canonical form: a list of constants is a constant.
    pub fn list(items: impl IntoIterator<Item = Self>) -> Self {
        let items: Vec<Self> = items.into_iter().collect();
        match items.iter().map(|item| item.constant().cloned()).collect() {
            Some(values) => Self::Constant(Value::List(values)),
            None => Self::List(items),
        }
    }

    /// A map in canonical form: a map of constants is a constant.
    pub fn map(items: impl IntoIterator<Item = (Name, Self)>) -> Self {
        let items: IndexMap<Name, Self> = items.into_iter().collect();
        match items.iter().map(|(name, item)| Some((name.clone(), item.constant()?.clone()))).collect() {
            Some(values) => Self::Constant(Value::Map(values)),
            None => Self::Map(items),
        }
    }

    /// The tree with all its texts, lists and maps in canonical form.
    #[must_use]
    pub fn joined(self) -> Self {
        match self {
            Self::Text(parts) => Self::text(parts.into_iter().map(Self::joined)),
            Self::List(parts) => Self::list(parts.into_iter().map(Self::joined)),
            Self::Map(parts) => Self::map(parts.into_iter().map(|(name, part)| (name, part.joined()))),
            Self::Function { name, argument } => Self::Function { name, argument: Box::new(argument.joined()) },
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Expr, Value};

    #[test]
    fn texts_lists_and_maps_have_one_form() {
        let p = || Expr::parameter("p");
        assert_eq!(Expr::text([]), "".into());
        assert_eq!(Expr::text(["a".into(), 1.into()]), "a1".into());
        assert_eq!(Expr::text([p(), "".into()]), Expr::Text(vec![p()]));
        let nested = Expr::Text(vec![p(), "a".into()]);
        assert_eq!(Expr::text([nested, "b".into(), p()]), Expr::Text(vec![p(), "ab".into(), p()]));
        assert_eq!(Expr::list([1.into(), 2.into()]), Value::List(vec![1.into(), 2.into()]).into());
        assert_eq!(Expr::list([1.into(), p()]), Expr::List(vec![1.into(), p()]));
        let map = |value: Value| Value::Map([("a".into(), value)].into_iter().collect());
        assert_eq!(Expr::map([("a".into(), 1.into())]), map(1.into()).into());
        assert_eq!(Expr::map([("a".into(), p())]), Expr::Map([("a".into(), p())].into_iter().collect()));
    }

    #[test]
    fn what_is_within_is_joined_too() {
        let loose = || Expr::Text(vec!["a".into(), "b".into()]);
        let joined: Expr = Expr::List(vec![loose(), Expr::parameter("p")]).joined();
        assert_eq!(joined, Expr::List(vec!["ab".into(), Expr::parameter("p")]));
        assert_eq!(Expr::Text(vec![Expr::List(vec![loose()])]).joined(), "[\"ab\"]".into());
        let within = |value| Expr::Map([("a".into(), value)].into_iter().collect());
        assert_eq!(within(loose()).joined(), within("ab".into()).joined());
        assert_eq!(within(loose()).joined().constant().map(ToString::to_string).as_deref(), Some(r#"{"a":"ab"}"#));
        assert_eq!(Expr::function("not", loose()).joined(), Expr::function("not", "ab".into()));
    }
}
