//! Properties that Heat reads under another name.

use crate::template::Function;
use crate::yaml::{Node, Pair, Span, Tree};

/// Heat's name for it: what is given as `from` is what `to` is (one of a class's `translation_rules`). Those that ask a
/// service are left out, as validation does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Translation {
    /// The property that counts, as a path through maps, and through lists without their indices.
    pub(crate) to: &'static [&'static str],
    /// Where its value may stand instead: beside it if it is in a list, otherwise from the outermost on.
    pub(crate) from: &'static [&'static str],
}

/// What is given as `from` is what `to` is.
pub(crate) const fn translation(to: &'static [&'static str], from: &'static [&'static str]) -> Translation {
    Translation { to, from }
}

/// A property whose value Heat adds to a list, and then forgets: the rules to add and to delete of a class's
/// `translation_rules`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Addition {
    /// The list.
    pub(crate) to: &'static str,
    /// The property.
    pub(crate) from: &'static str,
    /// Where the value stands in an item, and what else does; none if it is the item.
    pub(crate) within: Option<(&'static str, (&'static str, i128))>,
}

/// A property that has got another name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamed {
    /// Where its name was written.
    pub at: Span,
    /// The name that was written: `fixed_ips.subnet_id`.
    pub from: String,
    /// The name that it has now: `fixed_ips.subnet`.
    pub to: String,
}

/// The properties of a resource of the type `ty`, each under a name that is not `dated`, if Heat reads it under such a one as
/// well. To Heat both mean the same. What only a function tells stays as it is written, and so does a property that is
/// given under both names.
pub fn renamed(ty: &str, properties: &Node, dated: &dyn Fn(&[&str]) -> bool) -> (Node, Vec<Renamed>) {
    let class = crate::classes::of(ty);
    let mut node = properties.clone();
    let mut done = Vec::new();
    for rule in class.translates {
        let [holder @ .., key] = rule.to else { continue };
        let old: Vec<&str> = holder.iter().chain(rule.from).copied().collect();
        // A group of properties that has gone is of the past as a whole.
        let is_dated = dated(&old) || dated(&old[..=holder.len()]);
        let rename = match (is_dated, dated(rule.to)) {
            (true, false) => Rename { from: rule.from, to: key, holder },
            (false, true) if rule.from.len() == 1 => Rename { from: &[*key], to: rule.from[0], holder },
            _ => continue,
        };
        node = rename.within(&node, holder, &mut done);
    }
    for addition in class.adds.iter().filter(|addition| dated(&[addition.from]) && !dated(&[addition.to])) {
        node = addition.apply(&node, &mut done);
    }
    (node, done)
}

/// One rule, on the way through a value.
struct Rename<'r> {
    /// The name that is given up, or the way to it.
    from: &'r [&'r str],
    /// The name that takes its place.
    to: &'r str,
    /// The way to the map that has both.
    holder: &'r [&'r str],
}

impl Rename<'_> {
    fn within(&self, node: &Node, way: &[&str], done: &mut Vec<Renamed>) -> Node {
        let tree = match (&*node.tree, way) {
            (Tree::List(items), _) if way.len() < self.holder.len() => {
                Tree::List(items.iter().map(|item| self.within(item, way, done)).collect())
            }
            (Tree::Map(pairs), []) => match self.pairs(pairs, done) {
                Some(pairs) => Tree::Map(pairs),
                None => return node.clone(),
            },
            (Tree::Map(pairs), [key, rest @ ..]) => {
                let of_key = |pair: &Pair| pair.key.tree.as_text() == Some(key);
                let inside =
                    |pair: &Pair, done: &mut _| Pair { value: self.within(&pair.value, rest, done), ..pair.clone() };
                Tree::Map(
                    pairs.iter().map(|pair| if of_key(pair) { inside(pair, done) } else { pair.clone() }).collect(),
                )
            }
            _ => return node.clone(),
        };
        replaced(node, tree)
    }

    /// The pairs of the map that has the property, if something in them has another name now.
    fn pairs(&self, pairs: &[Pair], done: &mut Vec<Renamed>) -> Option<Vec<Pair>> {
        let is = |pair: &Pair, key: &str| pair.key.tree.as_text() == Some(key);
        let first = self.from.first()?;
        if pairs.iter().any(|pair| is(pair, self.to)) || !pairs.iter().any(|pair| is(pair, first)) {
            return None;
        }
        let mut found = Vec::with_capacity(pairs.len());
        for pair in pairs {
            if !is(pair, first) {
                found.push(pair.clone());
                continue;
            }
            let [_, second] = self.from else {
                found.push(self.named(pair, pair.merged, done));
                continue;
            };
            // Of a group, each goes out of it, and an empty one goes away.
            let Tree::Map(inner) = &*pair.value.tree else { return None };
            if pairs.iter().filter(|pair| is(pair, first)).count() > 1 || is_call(inner) {
                return None;
            }
            let (out, stay): (Vec<_>, Vec<_>) = inner.iter().cloned().partition(|pair| is(pair, second));
            found.extend(out.iter().map(|inner| self.named(inner, pair.merged, done)));
            if !stay.is_empty() {
                found.push(Pair { value: replaced(&pair.value, Tree::Map(stay)), ..pair.clone() });
            }
        }
        Some(found)
    }

    fn named(&self, pair: &Pair, merged: bool, done: &mut Vec<Renamed>) -> Pair {
        let path = |names: &[&str]| self.holder.iter().chain(names).copied().collect::<Vec<_>>().join(".");
        done.push(Renamed { at: pair.key.span, from: path(self.from), to: path(&[self.to]) });
        Pair { key: text(self.to, pair.key.span), value: pair.value.clone(), merged }
    }
}

impl Addition {
    fn apply(&self, node: &Node, done: &mut Vec<Renamed>) -> Node {
        let Tree::Map(pairs) = &*node.tree else { return node.clone() };
        let named = |key: &str| pairs.iter().filter(|pair| pair.key.tree.as_text() == Some(key)).count();
        if named(self.from) != 1 || named(self.to) != 0 {
            return node.clone();
        }
        let with = |pair: &Pair, done: &mut Vec<Renamed>| {
            // Heat adds only what Python takes for true: what a function gives may be nothing.
            let is_known = !matches!(*pair.value.tree, Tree::Map(_) | Tree::List(_));
            if pair.key.tree.as_text() != Some(self.from) || !is_known || !pair.value.is_truthy() {
                return pair.clone();
            }
            let (key, value) = (pair.key.span, &pair.value);
            let item = match self.within {
                None => value.clone(),
                Some((name, (beside, number))) => {
                    let pair = |name, value| Pair { key: text(name, key), value, merged: false };
                    let number = Node::new(Tree::Integer(number), key);
                    Node::new(Tree::Map(vec![pair(name, value.clone()), pair(beside, number)]), value.span)
                }
            };
            done.push(Renamed { at: key, from: self.from.into(), to: self.to.into() });
            Pair { key: text(self.to, key), value: Node::new(Tree::List(vec![item]), value.span), merged: pair.merged }
        };
        replaced(node, Tree::Map(pairs.iter().map(|pair| with(pair, done)).collect()))
    }
}

fn replaced(node: &Node, tree: Tree) -> Node {
    Node::new(tree, node.span)
}

fn text(text: &str, span: Span) -> Node {
    Node::new(Tree::Text { text: text.to_owned(), plain: true }, span)
}

/// Whether a map is a call of a function, of which nothing is known.
fn is_call(pairs: &[Pair]) -> bool {
    matches!(pairs, [only] if only.key.tree.as_text().and_then(Function::of).is_some())
}
