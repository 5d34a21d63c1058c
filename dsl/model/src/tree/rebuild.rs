//! Trees derived from trees: replacing and resolving leaves, as far as they are known.

use std::convert::Infallible;

use super::Tree;
use crate::Value;

impl<L> Tree<L> {
    /// Rebuilds the tree from the parts that `with` returns. A part for which `with` returns `None` keeps its shape, and
    /// `with` is called for its own parts.
    ///
    /// # Errors
    /// The first error that `with` returns.
    ///
    /// # Panics
    /// `with` returns `None` for a leaf.
    pub fn rebuild<M, E>(&self, with: &mut impl FnMut(&Self) -> Result<Option<Tree<M>>, E>) -> Result<Tree<M>, E> {
        if let Some(made) = with(self)? {
            return Ok(made);
        }
        Ok(match self {
            Self::Constant(value) => Tree::Constant(value.clone()),
            Self::Leaf(_) => unreachable!("INVARIANT: whoever rebuilds a tree makes something of every leaf"),
            Self::Text(parts) => Tree::Text(parts.iter().map(|part| part.rebuild(with)).collect::<Result<_, E>>()?),
            Self::List(parts) => Tree::List(parts.iter().map(|part| part.rebuild(with)).collect::<Result<_, E>>()?),
            Self::Map(parts) => {
                let parts = parts.iter().map(|(name, part)| Ok((name.clone(), part.rebuild(with)?)));
                Tree::Map(parts.collect::<Result<_, E>>()?)
            }
            Self::Function { name, argument } => {
                Tree::Function { name: name.clone(), argument: Box::new(argument.rebuild(with)?) }
            }
        })
    }

    /// Replaces the parts for which `with` returns a tree. Everything else stays.
    #[must_use]
    pub fn replace(&self, with: &mut impl FnMut(&Self) -> Option<Self>) -> Self
    where
        L: Clone,
    {
        let Ok(tree) = self.rebuild::<L, Infallible>(&mut |part| {
            Ok(with(part).or_else(|| match part {
                Self::Leaf(leaf) => Some(Self::Leaf(leaf.clone())),
                _ => None,
            }))
        });
        tree
    }

    /// Resolves the leaves for which `leaf` returns a value, and returns the tree in canonical form. Functions of known
    /// arguments are computed. Of an `if` whose condition is known, only the chosen value remains.
    ///
    /// # Errors
    /// What is wrong with a leaf, or why a function cannot be computed.
    pub fn resolve<M, E>(
        &self,
        leaf: &mut impl FnMut(&L) -> Result<Tree<M>, E>,
        compute: &mut impl FnMut(&str, &Value) -> Result<Value, E>,
    ) -> Result<Tree<M>, E> {
        let resolved = self.rebuild(&mut |part| match part {
            Self::Leaf(found) => leaf(found).map(Some),
            Self::Function { name, argument } => {
                if let Some((condition, [then, otherwise])) = Self::branches(name, argument)
                    && let Tree::Constant(Value::Boolean(holds)) = condition.resolve(leaf, compute)?
                {
                    let taken = if holds { then } else { otherwise };
                    return taken.map_or(Ok(Value::Null.into()), |value| value.resolve(leaf, compute)).map(Some);
                }
                Ok(Some(match argument.resolve(leaf, compute)? {
                    Tree::Constant(argument) => compute(name, &argument)?.into(),
                    argument => Tree::Function { name: name.clone(), argument: Box::new(argument) },
                }))
            }
            _ => Ok(None),
        })?;
        Ok(resolved.joined())
    }

    /// The value of the tree, where all leaves are known.
    ///
    /// # Errors
    /// What is wrong with a leaf, or why a function cannot be computed.
    pub fn evaluate<E>(
        &self,
        leaf: &mut impl FnMut(&L) -> Result<Value, E>,
        compute: &mut impl FnMut(&str, &Value) -> Result<Value, E>,
    ) -> Result<Value, E> {
        match self.resolve::<Infallible, E>(&mut |found| leaf(found).map(Tree::Constant), compute)? {
            Tree::Constant(value) => Ok(value),
            _ => unreachable!("INVARIANT: without leaves, a tree in its one form is a constant"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Expr, Reference};

    /// Resolves a tree where `yes` is known, with functions shown by their name and argument.
    fn resolved(tree: &Expr) -> Result<Expr, String> {
        tree.resolve(
            &mut |leaf| {
                let known = matches!(leaf, Reference::Parameter(name) if **name == *"yes");
                Ok(if known { true.into() } else { Expr::Leaf(leaf.clone()) })
            },
            &mut |name, argument| if name == "fails" { Err(name.to_owned()) } else { Ok(argument.to_string().into()) },
        )
    }

    fn call(name: &str, parts: impl IntoIterator<Item = Expr>) -> Expr {
        Expr::Function { name: name.into(), argument: Box::new(Expr::List(parts.into_iter().collect())) }
    }

    #[test]
    fn what_is_known_is_put_in_and_joined() {
        let [yes, no] = ["yes", "no"].map(Expr::parameter);
        assert_eq!(resolved(&Expr::Text(vec![yes.clone(), " ".into(), yes.clone()])), Ok("true true".into()));
        let half = Expr::Text(vec![yes.clone(), " ".into(), no.clone()]);
        assert_eq!(resolved(&half), Ok(Expr::Text(vec!["true ".into(), no.clone()])));
        assert_eq!(resolved(&call("of", [yes.clone(), 1.into()])), Ok("[true,1]".into()));
        assert_eq!(resolved(&call("of", [yes, no.clone()])), Ok(call("of", [true.into(), no])));
    }

    #[test]
    fn of_a_decided_condition_the_other_value_is_gone() {
        let [yes, no] = ["yes", "no"].map(Expr::parameter);
        let wrong = call("fails", []);
        assert_eq!(resolved(&call("if", [yes.clone(), "a".into(), no.clone()])), Ok("a".into()));
        assert_eq!(resolved(&call("if", [yes, "a".into(), wrong.clone()])), Ok("a".into()));
        assert_eq!(resolved(&call("if", [false.into(), "a".into()])), Ok(Value::Null.into()));
        assert_eq!(resolved(&call("if", [no, "a".into(), wrong])), Err("fails".into()));
    }

    #[test]
    fn parts_are_replaced_where_they_stand_and_all_else_stays() {
        let [p, q] = ["p", "q"].map(Expr::parameter);
        let map = |value: &Expr| Expr::Map([("a".into(), value.clone())].into_iter().collect());
        let tree =
            |leaf: &Expr| Expr::Text(vec![call("f", [map(leaf), 1.into()]), Expr::Text(vec![leaf.clone()]), q.clone()]);
        assert_eq!(tree(&p).replace(&mut |part| (*part == p).then(|| "x".into())), tree(&"x".into()));
        let whole = tree(&p).replace(&mut |part| matches!(part, Expr::Function { .. }).then(|| p.clone()));
        assert_eq!(whole, Expr::Text(vec![p.clone(), Expr::Text(vec![p]), q]));
    }

    #[test]
    fn a_tree_of_known_leaves_is_a_value_or_an_error() {
        let tree = Expr::List(vec![Expr::Text(vec![Expr::parameter("p"), "!".into()]), call("not", [2.into()])]);
        let known = |leaf: &Reference| match leaf {
            Reference::Parameter(name) => Ok(Value::from(name.to_string())),
            _ => Err("a leaf"),
        };
        let compute = |name: &str, argument: &Value| Ok(Value::from(format!("{name}{argument}")));
        let value = tree.evaluate(&mut { known }, &mut { compute }).expect("a value");
        assert_eq!(value.to_string(), r#"["p!","not[2]"]"#);
        assert_eq!(Expr::resource("r").evaluate(&mut { known }, &mut { compute }), Err("a leaf"));
    }
}
