//! The tree of every value that is composed of others: as its author wired it, in the model, in the seed and in a server's
//! plan.
//!
//! What lives here: the tree, generic in its leaves; the one way to walk, rebuild and resolve it; its canonical form; and
//! its file format. What must not: what a leaf means, and what Heat's functions return.

mod file;
mod form;
mod rebuild;

use crate::IndexMap;

use super::{Name, Value};

pub use file::Alternatives;

/// A value, or how it is composed of others. Its leaves are the parts that are not known yet, in the terms of the code that
/// resolves them.
#[derive(Clone, Debug, PartialEq)]
pub enum Tree<L> {
    /// A known value.
    Constant(Value),
    /// A value that is not known yet.
    Leaf(L),
    /// The concatenation of these values, each written as [`crate::values::text`] writes it.
    Text(Vec<Tree<L>>),
    /// Values in order.
    List(Vec<Tree<L>>),
    /// Values by name.
    Map(IndexMap<Name, Tree<L>>),
    /// A call of one of Heat's functions.
    Function {
        /// Its name: `list_join`, `if`, `yaql`, ...
        name: Name,
        /// Its argument.
        argument: Box<Tree<L>>,
    },
}

impl<L> Tree<L> {
    /// The tree and all its parts, each before its own parts, in source order.
    pub fn each(&self) -> impl Iterator<Item = &Self> {
        let (mut next, mut rest) = (Some(self), Vec::new());
        std::iter::from_fn(move || {
            let tree = next.take().or_else(|| rest.pop())?;
            match tree {
                Self::Text(parts) | Self::List(parts) => rest.extend(parts.iter().rev()),
                Self::Map(parts) => rest.extend(parts.values().rev()),
                Self::Function { argument, .. } => next = Some(argument),
                Self::Constant(_) | Self::Leaf(_) => {}
            }
            Some(tree)
        })
    }

    /// The leaves, in source order.
    pub fn leaves(&self) -> impl Iterator<Item = &L> {
        self.each().filter_map(|part| match part {
            Self::Leaf(leaf) => Some(leaf),
            _ => None,
        })
    }

    /// The value, if the whole tree is a constant.
    pub fn constant(&self) -> Option<&Value> {
        match self {
            Self::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// The condition of an `if` and its two values, as far as they are given.
    pub fn branches<'t>(function: &str, argument: &'t Self) -> Option<(&'t Self, [Option<&'t Self>; 2])> {
        match (function, argument) {
            ("if", Self::List(parts)) => Some((parts.first()?, [parts.get(1), parts.get(2)])),
            _ => None,
        }
    }
}

impl<L, T: Into<Value>> From<T> for Tree<L> {
    fn from(value: T) -> Self {
        Self::Constant(value.into())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Expr, Value};

    #[test]
    fn parts_come_in_the_order_in_which_they_were_written() {
        let [one, two, three, four, five] = ["a", "b", "c", "d", "e"].map(Expr::parameter);
        let map = Expr::Map([("y".into(), two.clone()), ("x".into(), three.clone())].into_iter().collect());
        let list = Expr::List(vec![one.clone(), map.clone(), four.clone()]);
        let function = Expr::function("f", list.clone());
        let text = Expr::Text(vec![function.clone(), 1.into(), five.clone()]);
        let constant = Expr::from(1);
        let each: Vec<&Expr> = text.each().collect();
        assert_eq!(each, [&text, &function, &list, &one, &map, &two, &three, &four, &constant, &five]);
        let leaves: Vec<Expr> = text.leaves().cloned().map(Expr::Leaf).collect();
        assert_eq!(leaves, [one, two, three, four, five]);
    }

    #[test]
    fn an_if_has_a_condition_and_two_values() {
        let [p, q] = ["p", "q"].map(Expr::parameter);
        let argument = Expr::List(vec![p.clone(), 1.into(), q.clone()]);
        assert_eq!(Expr::branches("if", &argument), Some((&p, [Some(&1.into()), Some(&q)])));
        assert_eq!(Expr::branches("if", &Expr::List(vec![p.clone()])), Some((&p, [None, None])));
        assert_eq!(Expr::branches("or", &argument), None);
        assert_eq!(Expr::branches("if", &p), None);
        assert_eq!((Expr::from(1).constant(), p.constant()), (Some(&Value::from(1)), None));
    }
}
