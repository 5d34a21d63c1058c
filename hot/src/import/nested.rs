//! Nested templates: each is registered once where it is used, and gets a variable if it is used as a stack.

use std::borrow::Cow;
use std::collections::HashSet;

use wattle_heat::Mention;
use wattle_heat::yaml::Node;

use super::Note;
use super::blueprint::Blueprint;
use super::face::Stacks;
use super::names::snake;
use super::rust::{Expr, assigned, statement};

impl Blueprint<'_> {
    /// The text of a node. If it is the path of a nested template, the name by which the emitted template refers to it.
    pub(super) fn named<'n>(&self, node: &Node, text: &'n str) -> Cow<'n, str> {
        let mentions = &self.loaded.library.mentions;
        let is_type = |mention: &&Mention| {
            mention.is_type
                && mention.span == node.span
                && mention.written == text
                && mention.file == self.template.file
        };
        match mentions.iter().find(is_type) {
            Some(mention) if self.modules.functions.contains_key(&mention.path) => {
                self.kept.beside(&mention.path, text).into()
            }
            _ => text.into(),
        }
    }

    /// Registers each nested template that is used as a type.
    pub(super) fn nested_templates(&mut self) {
        let mut seen = HashSet::new();
        for mention in self.loaded.library.mentions.iter().filter(|mention| mention.is_type) {
            if mention.file != self.template.file || !seen.insert(&mention.written) {
                continue;
            }
            let Some(function) = self.modules.functions.get(&mention.path) else {
                let (at, subject) = (self.template.at(mention.span), format!("`{}`", mention.written));
                self.notes.push(Note::new(at, subject, "the template is not imported".into()));
                continue;
            };
            let path = Expr::text(&self.kept.beside(&mention.path, &mention.written));
            let module = format!("{}{function}", if self.is_root { "" } else { "super::" });
            let call = Expr::atom("t").method("template", [path, Expr::atom(format!("{module}::{function}"))]);
            match self.modules.faces.get(&mention.path).filter(|face| self.has_stacks(&mention.written, face)) {
                Some(face) => {
                    // A resource with the same name is used more often, so it keeps the plain name.
                    let is_taken = self.template.resources.keys().any(|name| snake(name) == *function);
                    let variable = if is_taken { format!("{function}_template") } else { function.clone() };
                    let variable = self.variables.fresh(variable);
                    self.body += &assigned(&format!("let {variable}"), &call, 4);
                    self.stacks.insert(&mention.written, Stacks { variable, module, face });
                }
                None => self.body += &statement(&call, 4),
            }
        }
    }
}
