//! Converts one template to one Rust module.

use std::collections::{HashMap, HashSet};

use wattle::model::Source;
use wattle::shown::one_line;
use wattle_model::IndexMap;

use wattle_heat::Loaded;
use wattle_heat::template::{Context, Step, Template, walk};
use wattle_heat::yaml::Node;

use super::catalog::{Catalog, Known, Ty};
use super::face::{Face, Stacks};
use super::files::FileUse;
use super::kept::Kept;
use super::literal::Literals;
use super::module::{Module, Uses};
use super::names::Names;
use super::remark::{Owner, Remarks};
use super::rust::{Expr, WIDTH, quoted, statement};
use super::software::Software;
use super::{Note, Unsupported, order};

/// A resource that has already been added.
#[derive(Debug)]
pub(super) struct Handle<'a> {
    pub(super) variable: String,
    pub(super) ty: Ty,
    pub(super) known: Option<&'a Known>,
    /// The nested template that it is a stack of.
    pub(super) stack: Option<Stacks<'a>>,
}

/// A template that is being converted to a module.
pub(super) struct Blueprint<'a> {
    pub(super) loaded: &'a Loaded,
    pub(super) template: &'a Template,
    pub(super) catalog: &'a Catalog,
    /// Whether the modules of nested templates are within this one rather than beside it.
    pub(super) is_root: bool,
    pub(super) modules: &'a Modules,
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

impl<'a> Blueprint<'a> {
    /// Converts the template to the function `name`, in a module whose own files are in the folder with that name.
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

    /// The catalog entry of a resource that has already been added.
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
