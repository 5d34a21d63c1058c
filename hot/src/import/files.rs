//! The files that a template reads, and the files that these read in turn if they are templates themselves.

use std::collections::HashSet;

use wattle::cli::is_reserved;
use wattle::model::Source;
use wattle_heat::files::join;
use wattle_heat::template::{Context, Function, Step, walk};
use wattle_heat::yaml::Node;

use super::Note;
use super::blueprint::Blueprint;
use super::catalog::Ty;
use super::names::snake;
use super::rust::{Expr, assigned, statement};
use super::valued::Valued;

/// The way in which code that reads a file refers to its content.
pub(super) enum FileUse {
    /// By the variable that holds it.
    Variable(String),
    /// By the call that registers it.
    InPlace(Expr),
}

impl Blueprint<'_> {
    /// Declares a variable for each file that is read.
    pub(super) fn named_files(&mut self) {
        let template = self.template;
        let mut paths = Vec::new();
        walk(&template.root, template.version(), Context::Value, &mut |_, call, _| {
            if let Some(call) = call.filter(|call| call.function == Function::GetFile)
                && let Some(path) = call.argument.tree.as_text()
                && !paths.iter().any(|(known, _)| *known == path)
            {
                paths.push((path, call.span));
            }
            Step::Into
        });
        for (written, span) in paths {
            let at = template.at(span);
            let path = join(&template.file, written);
            let Some(Ok(_)) = self.loaded.content(&path) else {
                let text = "the file does not exist: its name is kept, but it is not imported";
                self.notes.push(Note::new(at, format!("`{written}`"), text.into()));
                continue;
            };
            let name = self.kept.beside(&path, written);
            if is_reserved(written) || is_reserved(&name) {
                let text = "no file of this name can be placed next to the template: it is not imported";
                self.notes.push(Note::new(at, format!("`{written}`"), text.into()));
                continue;
            }
            self.note_if_outside(&path, written, at);
            let file = self.file(&name, &path);
            let bound = if self.is_used_in_place(written) {
                FileUse::InPlace(file)
            } else {
                let stem = written.rsplit('/').next().unwrap_or(written);
                let variable = self.variables.fresh(snake(stem));
                self.body += &assigned(&format!("let {variable}"), &file, 4);
                FileUse::Variable(variable)
            };
            self.files.insert(written.to_owned(), bound);
            self.named_within(&name, &path);
        }
    }

    /// Adds a note that a file from outside the template's folder, or the target of a link to such a file, is now in the
    /// crate.
    fn note_if_outside(&mut self, path: &str, written: &str, at: Source) {
        if self.kept.is_outside(path) || self.loaded.library.led_out.contains(path) {
            let place = self.kept.in_crate(path);
            let text = "the file is outside the template's folder: its content is now in the crate";
            self.notes.push(Note::new(at, format!("`{written}`, now `{place}`"), text.into()));
        }
    }

    /// Whether the file is read once, in a resource's properties. It is then registered there.
    fn is_used_in_place(&self, written: &str) -> bool {
        let count = |node: &Node| {
            let mut count = 0;
            walk(node, self.template.version(), Context::Value, &mut |_, call, _| {
                let is_it = call.is_some_and(|call| {
                    call.function == Function::GetFile && call.argument.tree.as_text() == Some(written)
                });
                count += usize::from(is_it);
                Step::Into
            });
            count
        };
        let resources = self.template.resources.iter().filter(|(name, _)| !self.software.has(name));
        let inside: usize = resources.filter_map(|(_, one)| one.properties.as_ref()).map(count).sum();
        inside == 1 && count(&self.template.root) == 1
    }

    /// Registers the files named by a file that is a template. Heat's clients resolve their paths relative to that template.
    fn named_within(&mut self, name: &str, path: &str) {
        let mut seen = HashSet::from([name.to_owned()]);
        let mut waiting = vec![(name.to_owned(), path.to_owned())];
        while let Some((of, template)) = waiting.pop() {
            let loaded = self.loaded;
            for mention in loaded.library.mentions.iter().filter(|mention| *mention.file == *template) {
                let at = loaded.library.templates.get(&template).map(|nested| nested.template.at(mention.span));
                let at = at.unwrap_or_else(|| self.template.at(mention.span));
                let name = join(&of, &mention.written);
                let is_beside = !name.starts_with('/') && !name.starts_with("..") && !name.contains("://");
                let why = match loaded.content(&mention.path) {
                    Some(Ok(_)) if is_beside && !is_reserved(&name) => {
                        if seen.insert(name.clone()) {
                            self.note_if_outside(&mention.path, &mention.written, at);
                            let file = self.file(&name, &mention.path);
                            self.body += &statement(&file, 4);
                            waiting.push((name, mention.path.clone()));
                        }
                        continue;
                    }
                    Some(Ok(_)) => "an imported file names one that cannot be placed next to the template",
                    _ => "an imported file names one that does not exist",
                };
                let (subject, text) = (format!("`{}` of `{of}`", mention.written), format!("{why}: it is left out"));
                self.notes.push(Note::new(at, subject, text));
            }
        }
    }

    /// The expression that registers the file at `path` beside the template, under `name`.
    fn file(&mut self, name: &str, path: &str) -> Expr {
        self.brought.push(path.to_owned());
        let include = Expr::call("include_str!", [Expr::text(&format!("../{}", self.kept.in_crate(path)))]);
        Expr::atom("t").method("file", [Expr::text(name), include])
    }

    /// The content of a file.
    pub(super) fn get_file(&mut self, path: &str) -> Option<Valued> {
        let file = match self.files.get(path)? {
            FileUse::Variable(variable) => Expr::atom(variable.clone()).method("clone", []),
            FileUse::InPlace(file) => file.clone(),
        };
        Some(Valued::new(file, Ty::Value))
    }
}
