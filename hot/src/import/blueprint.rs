//! One template as one Rust module.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;

use wattle::model::Source;
use wattle::shown::one_line;
use wattle_model::IndexMap;

use wattle_heat::template::{Context, Step, Template, walk};
use wattle_heat::yaml::Node;
use wattle_heat::{Loaded, Mention};

use super::catalog::{Catalog, Known, Ty};
use super::face::{Face, Stacks};
use super::files::FileUse;
use super::kept::Kept;
use super::literal::Literals;
use super::literal::doc;
use super::names::{Names, snake};
use super::parameter::reads;
use super::remark::{Owner, Remarks};
use super::rust::{Expr, WIDTH, assigned, quoted, statement};
use super::software::Software;
use super::valued::Valued;
use super::{Note, Unsupported, order};

/// What a module imports.
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

/// A resource that has already been added.
#[derive(Debug)]
pub(super) struct Handle<'a> {
    pub(super) variable: String,
    pub(super) ty: Ty,
    pub(super) known: Option<&'a Known>,
    /// The nested template that it is a stack of.
    pub(super) stack: Option<Stacks<'a>>,
}

/// A template that is being turned into a module.
pub(super) struct Blueprint<'a> {
    pub(super) loaded: &'a Loaded,
    pub(super) template: &'a Template,
    pub(super) catalog: &'a Catalog,
    /// Whether the modules of nested templates are within this one rather than beside it.
    is_root: bool,
    modules: &'a Modules,
    /// The nested templates with typed stacks here, by the type as written.
    pub(super) stacks: HashMap<&'a str, Stacks<'a>>,
    pub(super) software: &'a Software<'a>,
    pub(super) kept: &'a Kept,
    /// The variables of components, by the names of their deployments.
    pub(super) components: HashMap<&'a str, String>,
    /// The field and type of each parameter, by name.
    pub(super) parameters: HashMap<&'a str, (String, &'static str)>,
    /// The variables of conditions, by name.
    pub(super) conditions: HashMap<&'a str, String>,
    pub(super) handles: HashMap<&'a str, Handle<'a>>,
    /// The files that it reads, by path as written.
    pub(super) files: HashMap<String, FileUse>,
    /// The paths of the files that it registers.
    pub(super) brought: Vec<String>,
    pub(super) variables: Names,
    /// Resources that are referred to.
    pub(super) referred: HashSet<&'a str>,
    /// Dependencies on resources that are added later.
    pub(super) later: Vec<(String, String)>,
    pub(super) literals: Literals,
    pub(super) uses: Uses,
    pub(super) body: String,
    /// Comments that have not been written to the code yet.
    pub(super) remarks: Remarks<'a>,
    pub(super) notes: Vec<Note>,
    /// Notes on resources, by resource name.
    noted: Vec<(&'a str, String)>,
}

/// The modules of nested templates, by template path.
#[derive(Debug, Default)]
pub(super) struct Modules {
    /// The function of each template, which also names its module.
    pub(super) functions: IndexMap<String, String>,
    /// The public interfaces of the templates that have been processed.
    pub(super) faces: IndexMap<String, Face>,
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

impl<'a> Blueprint<'a> {
    /// The template as the function `name`, in a module whose own files are in the folder with that name.
    pub(super) fn module(
        loaded: &'a Loaded,
        template: &'a Template,
        catalog: &'a Catalog,
        modules: &'a Modules,
        software: &'a Software<'a>,
        kept: &'a Kept,
        name: &str,
    ) -> Result<Module, Unsupported> {
        let mut blueprint = Self {
            loaded,
            template,
            catalog,
            is_root: template.file == loaded.template.file,
            modules,
            stacks: HashMap::new(),
            software,
            kept,
            components: HashMap::new(),
            parameters: HashMap::new(),
            conditions: HashMap::new(),
            handles: HashMap::new(),
            files: HashMap::new(),
            brought: Vec::new(),
            variables: Names::without(["t", "p", name]),
            referred: HashSet::new(),
            later: Vec::new(),
            literals: Literals::new(name),
            uses: Uses::default(),
            body: String::new(),
            remarks: Remarks::of(template),
            notes: Vec::new(),
            noted: Vec::new(),
        };
        blueprint.refer();
        blueprint.declare_parameters();
        blueprint.version();
        blueprint.groups();
        blueprint.named_files();
        blueprint.nested_templates();
        blueprint.declare_conditions();
        blueprint.paragraph();
        blueprint.remark(Owner::Section("resources"));
        for (name, why) in &software.stays {
            let text = format!("it stays a resource and does not become a component: {why}");
            blueprint.note(name, format!("`{name}`"), text);
        }
        for name in order::resources(template).into_iter().filter(|name| !software.has(name)) {
            blueprint.resource(name, &template.resources[name])?;
        }
        blueprint.cycles();
        blueprint.paragraph();
        blueprint.run();
        blueprint.paragraph();
        blueprint.remark(Owner::Section("outputs"));
        let outputs = blueprint.outputs();
        blueprint.paragraph();
        blueprint.remark(Owner::End);
        let face = blueprint.face(&outputs);
        Ok(blueprint.finish(name, face))
    }

    fn finish(mut self, name: &str, face: Face) -> Module {
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

    /// Collects the resources that are referred to.
    fn refer(&mut self) {
        let template = self.template;
        for section in ["resources", "outputs"].iter().filter_map(|name| template.root.get(name)) {
            walk(section, template.version(), Context::Value, &mut |_, call, _| {
                if let Some(call) = call {
                    self.referred.extend(call.resource());
                }
                Step::Into
            });
        }
        for resource in template.resources.values() {
            self.referred.extend(resource.depends_on().map(|(name, _)| name));
        }
    }

    fn version(&mut self) {
        let written = self.template.root.get("heat_template_version").and_then(|version| version.tree.as_text());
        let version = written.unwrap_or_else(|| self.template.version().date());
        if version != wattle::model::VERSION {
            self.body += &statement(&Expr::atom("t").method("version", [Expr::text(version)]), 4);
        }
    }

    fn groups(&mut self) {
        self.remark(Owner::Section("parameter_groups"));
        for group in &self.template.parameter_groups {
            let names = group.parameters.iter().map(|(name, _)| Expr::text(name)).collect();
            let label = Expr::text(group.label.as_deref().unwrap_or_default());
            let description = Expr::text(group.description.as_deref().unwrap_or_default());
            let names = reference(Expr::Array(names));
            let call = Expr::atom("t").method("parameter_group", [label, description, names]);
            self.body += &statement(&call, 4);
        }
    }

    /// The text of a node. If it is the path of a nested template, the name under which the emitted template asks for that.
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
    fn nested_templates(&mut self) {
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

    fn declare_conditions(&mut self) {
        let template = self.template;
        let used = self.used_conditions();
        self.remark(Owner::Section("conditions"));
        for name in order::conditions(template) {
            self.remark(Owner::Named("conditions", name));
            let condition = self.condition(&template.conditions[name].node, name);
            let variable = self.variables.fresh(snake(name));
            let call = Expr::atom("t").method("condition", [Expr::text(name), condition.expr]);
            self.body +=
                &if used.contains(name) { assigned(&format!("let {variable}"), &call, 4) } else { statement(&call, 4) };
            if used.contains(name) {
                self.conditions.insert(name, variable);
            }
        }
    }

    /// The conditions that are mentioned. This may include too many, where a text happens to be the name of a condition.
    fn used_conditions(&self) -> HashSet<&'a str> {
        let template = self.template;
        let mut used = HashSet::new();
        let mut all = |node: &'a Node, context| {
            walk(node, template.version(), context, &mut |node, _, context| {
                if context == Context::Condition
                    && let Some((name, _)) =
                        node.tree.as_text().and_then(|text| template.conditions.get_key_value(text))
                {
                    used.insert(name.as_str());
                }
                Step::Into
            });
        };
        for condition in template.conditions.values() {
            all(&condition.node, Context::Condition);
        }
        for section in ["resources", "outputs"].iter().filter_map(|name| template.root.get(name)) {
            all(section, Context::Value);
        }
        let of_resources = template.resources.values().filter_map(|resource| resource.condition.as_ref());
        let of_outputs = template.outputs.values().filter_map(|output| output.condition.as_ref());
        of_resources.chain(of_outputs).for_each(|node| all(node, Context::Condition));
        used
    }

    /// Adds dependencies that could not be expressed when the resource was added.
    fn cycles(&mut self) {
        for (name, other) in std::mem::take(&mut self.later) {
            if let (Some((variable, _)), Some((other, _))) = (self.handle(&name), self.handle(&other)) {
                let call = Expr::atom("t")
                    .method("resource", [Expr::atom(variable)])
                    .method("depends_on", [Expr::atom(other)]);
                self.body += &statement(&call, 4);
            }
        }
    }

    fn outputs(&mut self) -> Vec<(&'a str, Ty)> {
        let mut types = Vec::new();
        for (name, output) in &self.template.outputs {
            self.remark(Owner::Named("outputs", name));
            let value = match &output.value {
                Some(value) => self.value(value, Context::Value, &format!("{name}.output")),
                None => Valued::hot("null", []),
            };
            types.push((name.as_str(), value.ty));
            let value = value.expr;
            let mut methods = Vec::new();
            if let Some(text) = output.description.as_ref().and_then(Node::as_prose) {
                methods.push(("description", self.literals.text(&text, &format!("{name}.description"))));
            }
            if let Some(condition) = &output.condition {
                methods.push(("condition", self.condition(condition, name).expr));
            }
            let chain = |value: Expr| {
                let output = Expr::atom("t").method("output", [Expr::text(name), value]);
                methods.iter().cloned().fold(output, |output, (method, argument)| output.method(method, [argument]))
            };
            let output = Expr::atom("t").method("output", [Expr::text(name), value.clone()]);
            let is_long = statement(&output, 4).lines().count() > 1;
            if is_long {
                let variable = self.variables.fresh(snake(name));
                self.body += &assigned(&format!("let {variable}"), &value, 4);
                self.body += &statement(&chain(Expr::atom(variable)), 4);
            } else {
                self.body += &statement(&chain(value), 4);
            }
        }
        types
    }

    /// Writes the comments of `owner` into the function's body.
    pub(super) fn remark(&mut self, owner: Owner<'a>) {
        self.body += &self.remarks.take(owner, 4);
    }

    pub(super) fn paragraph(&mut self) {
        if !self.body.is_empty() && !self.body.ends_with("\n\n") {
            self.body.push('\n');
        }
    }

    /// The variable of a resource that has already been added.
    pub(super) fn handle(&self, name: &str) -> Option<(String, Ty)> {
        self.handles.get(name).map(|handle| (handle.variable.clone(), handle.ty.clone()))
    }

    /// What the catalog knows about a resource that has already been added.
    pub(super) fn known(&self, name: &str) -> Option<&'a Known> {
        self.handles.get(name).and_then(|handle| handle.known)
    }

    pub(super) fn at(&self, node: &Node) -> Source {
        self.template.at(node.span)
    }

    pub(super) fn unsupported(&self, node: &Node, text: String) -> Unsupported {
        Unsupported { at: self.at(node), text }
    }

    /// Records a note on a resource: the part that it concerns, and its text.
    pub(super) fn note(&mut self, resource: &'a str, subject: String, text: String) {
        let at = self.template.at(self.template.resources[resource].name_span);
        self.notes.push(Note::new(at, subject, text.clone()));
        self.noted.push((resource, text));
    }

    /// The notes on a resource, as comments.
    pub(super) fn comments_of(&self, resource: &str) -> String {
        let own = self.noted.iter().filter(|(of, _)| *of == resource);
        own.map(|(_, text)| comment(text)).collect()
    }
}

/// `&[...]`: the only borrowed value in generated code.
fn reference(expr: Expr) -> Expr {
    match expr {
        Expr::Array(items) => {
            let items: Vec<String> = items
                .into_iter()
                .map(|item| match item {
                    Expr::Atom(text) => text,
                    _ => quoted(""),
                })
                .collect();
            Expr::atom(format!("&[{}]", items.join(", ")))
        }
        other => other,
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

/// A comment in a function.
fn comment(text: &str) -> String {
    let mut out = String::new();
    let mut row = String::from("    //");
    for word in text.split_whitespace().map(one_line) {
        if row.chars().count() + 1 + word.chars().count() > WIDTH {
            out += &format!("{row}\n");
            row = String::from("    //");
        }
        row += &format!(" {word}");
    }
    out + &row + "\n"
}
