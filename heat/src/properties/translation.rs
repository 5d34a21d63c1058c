//! Properties that Heat reads under another name.

use crate::template::Function;
use crate::yaml::{Node, Pair, Span, Tree};

/// A translation in Heat's sense: the value of `from` becomes the value of `to` (one of a class's `translation_rules`).
/// Translations that query a service are left out, as they are in validation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Translation {
    /// The effective property, as a path through maps and lists. Indices of lists are not part of the path.
    pub(crate) to: &'static [&'static str],
    /// The alternative place of its value: beside it if it is in a list, otherwise starting from the outermost level.
    pub(crate) from: &'static [&'static str],
}

/// The value of `from` becomes the value of `to`.
pub(crate) const fn translation(to: &'static [&'static str], from: &'static [&'static str]) -> Translation {
    Translation { to, from }
}

/// A property whose value Heat adds to a list and then drops: the rules of a class's `translation_rules` to add and to
/// delete.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Addition {
    /// The list.
    pub(crate) to: &'static str,
    /// The property.
    pub(crate) from: &'static str,
    /// The key for the value in an item, and a further key with its value. `None` if the value itself is the item.
    pub(crate) within: Option<(&'static str, (&'static str, i128))>,
}

/// A renamed property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamed {
    /// The place of its name.
    pub at: Span,
    /// The name as written: `fixed_ips.subnet_id`.
    pub from: String,
    /// The current name: `fixed_ips.subnet`.
    pub to: String,
}

/// Renames each property of a resource of type `ty` that has a `dated` name to a current one, if Heat also reads it under
/// that name. Both mean the same to Heat. A property is left unchanged if only a function determines its value, or if it is
/// set under both names.
pub fn renamed(ty: &str, properties: &Node, dated: &dyn Fn(&[&str]) -> bool) -> (Node, Vec<Renamed>) {
    let class = crate::classes::of(ty);
    let mut node = properties.clone();
    let mut done = Vec::new();
    for rule in class.translates {
        let [holder @ .., key] = rule.to else { continue };
        let old: Vec<&str> = holder.iter().chain(rule.from).copied().collect();
        // A removed group of properties is outdated as a whole.
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

/// One rule, on the path through a value.
struct Rename<'r> {
    /// The outdated name, or the path to it.
    from: &'r [&'r str],
    /// The current name.
    to: &'r str,
    /// The path to the map that contains both.
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

    /// The pairs of the map that contains the property, if one of them is renamed.
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
            // Each property is moved out of the group, and an empty group is removed.
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
            // Heat adds only values that Python considers true, and a function may return null.
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

/// Whether a map is a function call, of which nothing is known.
fn is_call(pairs: &[Pair]) -> bool {
    matches!(pairs, [only] if only.key.tree.as_text().and_then(Function::of).is_some())
}
