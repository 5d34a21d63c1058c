//! Content that does not belong to one server: forward references, imports, exports, modules, orders, files.

use wattle::extended::FORMAT;
use wattle::model::{
    After, Binding, Content, ElementKind, Export, Expr, FormerName, ForwardReference, Import, Module, Name,
    StackOutput, Type,
};
use wattle_model::IndexMap;

use super::recipe::inline;
use super::value::is_of_software;
use super::{Reader, items, pairs, words};
use wattle_heat::files::join;
use wattle_heat::template;
use wattle_heat::yaml::{Node, Tree};

/// The keys of `wattle_model`'s metadata.
const KEYS: &[&str] = &[
    "format",
    "stack",
    "run_time",
    "parameters",
    "modules",
    "promises",
    "imports",
    "exports",
    "requirements",
    "after",
    "moved",
    "components",
    "kinds",
    "files",
    "schemas",
    "sources",
];

/// The record of an export in `wattle_model`.
pub(super) struct Exported {
    ty: Option<Type>,
    stack: Option<Name>,
}

impl<'l> Reader<'l> {
    /// Reads name, modules, forward references, imports, orders and files.
    pub(super) fn stack(&mut self) {
        self.model.stack = self.stack_name();
        self.model.at = self.at(self.template.root.span);
        self.library();
        let Some(stack) = self.stack else { return };
        if !self.is_map(stack, "`metadata.wattle` of `wattle_model`") {
            return;
        }
        self.only(stack, "`metadata.wattle` of `wattle_model`", KEYS);
        if let Some(format) = stack.get("format")
            && format.tree.as_text() != Some(FORMAT)
        {
            self.damaged(
                format.span,
                format!("the model has the format `{}`", format.as_key()),
                &format!("this version of wattle reads `{FORMAT}`"),
            );
        }
        for (name, span, kind) in stack.get("modules").into_iter().flat_map(pairs) {
            self.model.modules.insert(name.into(), Module { kind: words(kind), at: self.at(span) });
        }
        for (name, span, node) in stack.get("promises").into_iter().flat_map(pairs) {
            self.forward_reference(&name, span, node);
        }
        for node in stack.get("imports").map(items).unwrap_or_default() {
            self.import(node);
        }
        self.requirements();
        for node in stack.get("after").map(items).unwrap_or_default() {
            let [component, predecessor] = items(node) else {
                self.damaged(node.span, "an order does not have two components", "`[who waits, for whom]`");
                continue;
            };
            let at = self.at(node.span);
            self.model.after.push(After { component: words(component), predecessor: words(predecessor), at });
        }
        let metadata = self.template.resources.get(wattle::extended::MODEL).and_then(|model| model.metadata.as_ref());
        if let Some(node) = metadata.and_then(|metadata| metadata.get(wattle_place::template::KEY)) {
            let (policies, wrong) = wattle_place::template::policies(node, &self.template.file);
            self.model.placement = policies;
            self.diagnostics.extend(wrong);
        }
        for node in stack.get("moved").map(items).unwrap_or_default() {
            self.moved(node);
        }
        for (name, _, node) in stack.get("files").into_iter().flat_map(pairs) {
            let Some(content) = inline(node) else {
                self.damaged(node.span, format!("the file `{name}` is neither text nor base64"), "this file");
                continue;
            };
            self.model.files.insert(name.into(), content);
        }
    }

    /// Reads the name under which something was first deployed.
    fn moved(&mut self, node: &'l Node) {
        let kinds = [ElementKind::Resource, ElementKind::Module, ElementKind::Component];
        let one = kinds.into_iter().find_map(|kind| Some((kind, node.get(&kind.to_string())?)));
        let (Some((kind, name)), Some(from)) = (one, node.get("from")) else {
            let help = "write `{resource: NAME, from: NAME}`, or `module` or `component` in place of `resource`";
            let text = "it is not clear what was moved, or from where".into();
            self.malformed(node.span, text, "this move", help.into());
            return;
        };
        self.only(node, "a move", &["resource", "module", "component", "from"]);
        let at = self.at(node.span);
        self.model.moved.push(FormerName::new(kind, words(name), words(from), at));
    }

    /// The name in `wattle_model`, otherwise the file's name, changed to a valid stack name.
    fn stack_name(&self) -> Name {
        if let Some(name) = self.stack.and_then(|stack| stack.get("stack")) {
            return words(name);
        }
        let file = self.template.file.rsplit('/').next().unwrap_or_default();
        let stem = file.split('.').next().unwrap_or_default();
        let legal = stem.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
        let legal: String =
            legal.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
        let legal = legal.trim_end_matches('-');
        if legal.is_empty() { "stack".into() } else { legal.into() }
    }

    /// The files that the template and its nested templates refer to, by path relative to its folder. A file that is
    /// referred to by a path out of the folder has that path as its key here. Nothing can be placed there beside another
    /// template, so code that writes one reports this.
    fn library(&mut self) {
        let folder = self.template.file.rfind('/').map_or("", |end| &self.template.file[..=end]);
        let library = &self.loaded.library;
        for mention in &library.mentions {
            let named = mention.file.strip_prefix(folder).map(|file| join(file, &mention.written));
            let is_of_a_template = mention.file == self.template.file || library.templates.contains_key(&*mention.file);
            let path = match mention.path.strip_prefix(folder) {
                Some(path) if !is_out(path) && named.as_deref().is_none_or(|named| !is_out(named)) => path,
                // Clients find these files regardless of the template's location.
                _ if mention.written.starts_with('/') || mention.written.contains("://") || !is_of_a_template => {
                    continue;
                }
                _ => &mention.written,
            };
            if library.recipes.contains_key(&mention.path) {
                continue;
            }
            if let Some(Ok(text)) = self.loaded.content(&mention.path) {
                self.model.files.insert(path.into(), Content::Text(text.to_owned().into()));
            }
        }
    }

    fn forward_reference(&mut self, name: &str, span: wattle_heat::yaml::Span, node: &'l Node) {
        let what = format!("the forward reference `{name}`");
        if !self.is_map(node, &what) {
            return;
        }
        self.only(node, &what, &["type", "value"]);
        let ty = match node.get("type") {
            Some(ty) => self.ty(ty),
            None => Some(Type::Any),
        };
        let fulfilled =
            node.get("value").map(|value| Binding { value: self.own_value(value), at: self.at(value.span) });
        if let Some(ty) = ty {
            let forward = ForwardReference { ty, at: self.at(span), fulfilled: fulfilled.into_iter().collect() };
            self.model.forward_references.insert(name.into(), forward);
        }
    }

    fn import(&mut self, node: &'l Node) {
        if !self.is_map(node, "an import") {
            return;
        }
        self.only(node, "an import", &["stack", "export", "type"]);
        let (Some(stack), Some(export)) = (node.get("stack"), node.get("export")) else {
            let help = "write `{stack: NAME, export: NAME, type: TYPE}`";
            self.malformed(node.span, "an import has no `stack` or no `export`".into(), "this import", help.into());
            return;
        };
        let ty = match node.get("type") {
            Some(ty) => self.ty(ty),
            None => Some(Type::Any),
        };
        if let Some(ty) = ty {
            let at = self.at(node.span);
            self.model.imports.push(Import { stack: words(stack), export: words(export), ty, at });
        }
    }

    /// Reads exports, and the other outputs of the stack.
    pub(super) fn outputs(&mut self) {
        let mut exported = self.exported();
        let mut exports: IndexMap<Name, Option<Export>> =
            exported.keys().map(|name| (Name::from(name.as_str()), None)).collect();
        for (name, output) in &self.template.outputs {
            let Some(written) = &output.value else { continue };
            let value = self.own_value(written);
            let said = exported.shift_remove(name);
            if said.is_none() && !is_of_software(&value) {
                let known = self.stack_output(output, self.value(written));
                self.model.outputs.insert(name.as_str().into(), known);
                continue;
            }
            let said = said.unwrap_or(Exported { ty: None, stack: None });
            // A secret leaves the stack only if it is declared as secret.
            let ty = said.ty.unwrap_or_else(|| shown(self.type_of(&value)));
            let export = Export { ty, value, stack: said.stack, at: self.at(output.name_span) };
            exports.insert(name.as_str().into(), Some(export));
        }
        for (name, _) in exported {
            let span = self.stack.map_or_else(Default::default, |stack| stack.span);
            self.damaged(span, format!("`wattle_model` exports `{name}`, which is not an output"), "its exports");
        }
        self.model.exports = exports.into_iter().filter_map(|(name, export)| Some((name, export?))).collect();
    }

    fn stack_output(&self, written: &template::Output, value: Expr) -> StackOutput {
        let mut output = StackOutput::new(value, self.at(written.name_span));
        output.description = written.description.as_ref().map(Node::as_key).unwrap_or_default();
        output.condition = written.condition.as_ref().map(|node| self.condition(node));
        output
    }

    fn exported(&mut self) -> IndexMap<String, Exported> {
        let mut exported = IndexMap::default();
        for (name, _, node) in self.stack.and_then(|stack| stack.get("exports")).into_iter().flat_map(pairs) {
            let is_long = node.get("type").is_some() || node.get("stack").is_some();
            let ty = if is_long { node.get("type") } else { Some(node) };
            if is_long {
                self.only(node, &format!("the export `{name}`"), &["type", "stack"]);
            }
            let ty = ty.filter(|ty| !matches!(*ty.tree, Tree::Null)).and_then(|ty| self.ty(ty));
            let stack = if is_long { node.get("stack").map(words) } else { None };
            exported.insert(name, Exported { ty, stack });
        }
        exported
    }
}

/// Whether a path leads out of the folder that it starts in.
fn is_out(path: &str) -> bool {
    path.starts_with('/') || path.split('/').any(|part| part == "..") || path.contains("://")
}

/// The type without any confidentiality, including that of its parts.
fn shown(ty: Type) -> Type {
    match ty {
        Type::Hidden(inner) => shown(*inner),
        Type::List(item) => Type::List(Box::new(shown(*item))),
        Type::Map(item) => Type::Map(Box::new(shown(*item))),
        Type::Struct(fields) => Type::Struct(fields.into_iter().map(|(name, ty)| (name, shown(ty))).collect()),
        other => other,
    }
}
