//! The text of a module, after its whole template has been converted.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use wattle_heat::yaml::Node;

use super::Note;
use super::blueprint::Blueprint;
use super::face::Face;
use super::literal::doc;
use super::parameter::reads;
use super::remark::Owner;
use super::rust::WIDTH;

/// The imports of a module.
#[derive(Debug, Default)]
pub(super) struct Uses {
    /// Modules of the catalog.
    pub(super) services: BTreeSet<String>,
    /// Catalog features other than those of these modules.
    pub(super) features: BTreeSet<&'static str>,
    /// `wattle_catalog::raw`.
    pub(super) raw: bool,
    /// `wattle::author::item`.
    pub(super) item: bool,
    /// `wattle::model::Constraint`.
    pub(super) constraint: bool,
}

/// A module.
pub(super) struct Module {
    /// Its text.
    pub(super) text: String,
    /// Files below `src` that it includes.
    pub(super) files: Vec<(String, String)>,
    /// The paths of the files that it registers.
    pub(super) brought: Vec<String>,
    pub(super) uses: Uses,
    pub(super) notes: Vec<Note>,
    pub(super) face: Face,
}

impl Blueprint<'_> {
    pub(super) fn finish(mut self, name: &str, face: Face) -> Module {
        let settings = self.settings();
        let kinds = self.kinds();
        let mut text = self.remarks.take(Owner::Template, 0);
        text += &self.remarks.rest();
        let _ = writeln!(text, "//! `{}` as a blueprint.\n", self.template.file.rsplit('/').next().unwrap_or_default());
        if self.uses.item {
            text += "use wattle::author::item;\n";
        }
        if self.uses.constraint {
            text += "use wattle::model::Constraint;\n";
        }
        text += "use wattle::prelude::*;\n";
        let mut services: Vec<&str> = self.uses.services.iter().map(|name| &**name).collect();
        if self.uses.raw {
            services.push("raw");
        }
        services.sort_unstable();
        match services.as_slice() {
            [] => {}
            [only] => text += &format!("use wattle_catalog::{only};\n"),
            several => text += &imported(several),
        }
        text += "\n";
        text += &kinds;
        text += &settings;
        if !self.is_root {
            text += &face.text();
        }
        text += &doc(&self.template.description.as_ref().and_then(Node::as_prose).unwrap_or_default(), 0);
        let parameters = if settings.is_empty() { "" } else { ", p: Settings" };
        let body = code(&self.body);
        let is_used = self.parameters.values().any(|(field, _)| reads(&body, field));
        let parameters = if is_used || parameters.is_empty() { parameters } else { ", _: Settings" };
        let topology = if code(&self.body).is_empty() { "_" } else { "t" };
        let body = self.body.trim_end_matches('\n');
        text += "#[blueprint]\n";
        let start = format!("pub fn {name}({topology}: &mut Topology{parameters})");
        if body.is_empty() {
            text += &format!("{start} {{}}\n");
        } else {
            text += &format!("{start} {{\n{body}\n}}\n");
        }
        text += &self.literals.items;
        Module { text, files: self.literals.files, brought: self.brought, uses: self.uses, notes: self.notes, face }
    }
}

/// Several catalog names, as many per line as fit.
fn imported(names: &[&str]) -> String {
    let line = format!("use wattle_catalog::{{{}}};\n", names.join(", "));
    if line.len() <= WIDTH + 1 {
        return line;
    }
    let mut rows = vec![String::from("   ")];
    for name in names {
        if rows.last().is_some_and(|row| row.len() + name.len() + 2 > WIDTH) {
            rows.push(String::from("   "));
        }
        if let Some(row) = rows.last_mut() {
            *row += &format!(" {name},");
        }
    }
    format!("use wattle_catalog::{{\n{}\n}};\n", rows.join("\n"))
}

/// The lines of a body other than comments. Each comment has its own lines.
pub(super) fn code(body: &str) -> String {
    body.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with("//")).collect()
}
