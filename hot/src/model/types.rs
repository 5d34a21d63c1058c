//! Types as written: `string`, `{list: url}`, `{secret: string}`, ...

use wattle::model::{Name, Scalar, Type};
use wattle::names::{did_you_mean, list, meant, nearest};

use super::{Reader, pairs};
use crate::codes::UNKNOWN_TYPE;
use wattle_heat::yaml::{Node, Tree};

/// Type constructors, which have an argument.
const FORMS: [&str; 5] = ["integer", "list", "map", "secret", "struct"];

impl Reader<'_> {
    /// Reads a type. Reports an invalid one.
    pub(super) fn ty(&mut self, node: &Node) -> Option<Type> {
        match &*node.tree {
            Tree::Text { text, .. } => {
                let ty = match text.as_str() {
                    "any" => Some(Type::Any),
                    word => Scalar::of_word(word).map(Type::Scalar),
                };
                if ty.is_none() {
                    let mut words: Vec<_> = Scalar::words().map(|(word, _)| word).chain(["any"]).collect();
                    words.sort_unstable();
                    let help = match nearest(text, words.iter().copied().chain(FORMS)) {
                        Some(near) if FORMS.contains(&near) && near != "integer" => {
                            did_you_mean(format_args!("{{{near}: string}}"))
                        }
                        Some(near) => did_you_mean(near),
                        None => format!("types of one word are {}", list(words, "and")),
                    };
                    self.no_type(node, format!("there is no type `{text}`"), help);
                }
                ty
            }
            Tree::Map(_) => self.form(node),
            _ => {
                let help = "write `string`, `{list: string}`, `{secret: string}`, ...".into();
                self.no_type(node, format!("{} is not a type", node.tree.kind()), help);
                None
            }
        }
    }

    fn no_type(&mut self, node: &Node, message: String, help: String) {
        let diagnostic =
            UNKNOWN_TYPE.diagnostic(message).label(&self.at(node.span), "a type is expected here").help(help);
        self.push(diagnostic);
    }

    fn form(&mut self, node: &Node) -> Option<Type> {
        let of = |ty: Option<Type>| ty.map(Box::new);
        let mut forms = pairs(node);
        let (Some((form, _, part)), None) = (forms.next(), forms.next()) else {
            self.no_type(node, "a type is a word or a map of one key".into(), "write `{list: string}`, ...".into());
            return None;
        };
        match form.as_str() {
            "list" => of(self.ty(part)).map(Type::List),
            "map" => of(self.ty(part)).map(Type::Map),
            "secret" => of(self.ty(part)).map(Type::Hidden),
            "struct" if matches!(*part.tree, Tree::Map(_)) => {
                let fields = pairs(part).map(|(name, _, field)| Some((Name::from(name), self.ty(field)?)));
                fields.collect::<Option<_>>().map(Type::Struct)
            }
            "integer" => {
                let bound = |key| match part.get(key).map(|bound| &*bound.tree) {
                    Some(Tree::Integer(bound)) => Some(*bound),
                    _ => None,
                };
                let min = bound("min").map_or(Some(i64::MIN), |min| i64::try_from(min).ok());
                let max = bound("max").map_or(Some(u64::MAX), |max| u64::try_from(max).ok());
                let sound = matches!(*part.tree, Tree::Map(_)).then_some(()).and(min).zip(max);
                if sound.is_none() {
                    let help = "write `{integer: {min: 1, max: 10}}`; the minimum is at least -2^63, the maximum at most 2^64 - 1".into();
                    self.no_type(part, "these are not bounds of an integer".into(), help);
                }
                sound.map(|(min, max)| Type::integer(min, max))
            }
            other => {
                let help =
                    meant(other, FORMS).unwrap_or_else(|| format!("types with a part are {}", list(FORMS, "and")));
                self.no_type(node, format!("there is no type `{other}` with a part"), help);
                None
            }
        }
    }
}
