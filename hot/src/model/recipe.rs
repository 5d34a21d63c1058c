//! Recipes: written inline, or as files beside the template.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use wattle::extended::KEY;
use wattle::model::{Content, File, Name, Recipe, Tool};
use wattle::names::meant;

use super::component::hides_declaration;
use super::{Reader, items, pairs};
use crate::codes::RECIPE;
use wattle_heat::files::join;
use wattle_heat::template::Template;
use wattle_heat::yaml::{Node, Span, Tree};

/// The path as written: as text, or with `get_file`.
pub(super) fn path_of(node: &Node) -> Option<&str> {
    node.tree.as_text().or_else(|| match &*node.tree {
        Tree::Map(pairs) if pairs.len() == 1 => node.get("get_file")?.tree.as_text(),
        _ => None,
    })
}

/// The paths of the recipe files of a template's components, as written.
pub(crate) fn written(template: &Template) -> Vec<String> {
    let mut paths = Vec::new();
    for resource in template.resources.values() {
        let ours = resource.metadata.as_ref().and_then(|metadata| metadata.get(KEY));
        let Some(components) = ours.and_then(|ours| ours.get("components")) else { continue };
        let mut component = |node: &Node| {
            for key in ["recipe", "teardown"] {
                paths.extend(node.get(key).and_then(path_of).map(str::to_owned));
            }
            let Some(recipe) = node.get("recipe").filter(|recipe| path_of(recipe).is_none()) else { return };
            let tool = recipe.get("tool").and_then(|tool| Tool::named(tool.tree.as_text()?));
            match recipe.get("files").map(|files| (files, &*files.tree)) {
                Some((files, Tree::Map(_))) => {
                    let listed = pairs(files).filter_map(|(_, _, content)| content.get("get_file")?.tree.as_text());
                    paths.extend(listed.map(str::to_owned));
                    return;
                }
                Some((files, _)) => paths.extend(items(files).iter().filter_map(path_of).map(str::to_owned)),
                None => {}
            }
            if tool.is_none_or(Tool::runs_files) && recipe.get("script").is_none() {
                for key in ["entry", "teardown"] {
                    paths.extend(recipe.get(key).and_then(path_of).map(str::to_owned));
                }
            }
        };
        match &*components.tree {
            Tree::List(items) => items.iter().for_each(&mut component),
            Tree::Map(pairs) => pairs.iter().for_each(|pair| component(&pair.value)),
            _ => {}
        }
    }
    paths
}

impl<'l> Reader<'l> {
    /// The recipe of a component type. Reports missing and unreadable parts.
    pub(super) fn recipe(&mut self, what: &str, key: &str, node: &'l Node, span: Span) -> Option<Recipe> {
        let teardown = node.get("teardown");
        let Some(recipe) = node.get("recipe") else {
            if hides_declaration(node) {
                return None;
            }
            let diagnostic = RECIPE
                .diagnostic(format!("{what} has no recipe"))
                .label(&self.at(span), "this component")
                .help("add one: `recipe: recipes/install.sh`");
            self.push(diagnostic);
            return None;
        };
        if let Some(path) = path_of(recipe) {
            let (tool, mut files) = (tool_of(path), Vec::new());
            self.is_found(tool, path, recipe.span)?;
            self.file(path, recipe.span, &mut files)?;
            let teardown = teardown.and_then(|node| {
                let path = self.also(node, &mut files)?;
                self.is_found(tool, &path, node.span).map(|()| path)
            });
            let whole = Recipe { tool, entry: path.into(), teardown, files };
            self.sound(&whole, recipe.span, None);
            return Some(whole);
        }
        if !self.is_map(recipe, &format!("the recipe of {what}")) {
            return None;
        }
        self.only(recipe, &format!("the recipe of {what}"), &["tool", "entry", "teardown", "files", "script"]);
        let tool = match recipe.get("tool") {
            Some(tool) => Some(self.tool(tool)?),
            None => None,
        };
        if let Some(script) = self.text_of(recipe, "script", &format!("the recipe of {what}")) {
            let tool = tool.unwrap_or(Tool::Shell);
            let entry = format!("{}.{}", key.rsplit('/').next().unwrap_or("recipe"), tool.ending());
            let content = Content::Text(script.to_owned().into());
            let files = vec![File { path: entry.clone().into(), content }];
            let whole = Recipe { tool, entry: entry.into(), teardown: None, files };
            self.sound(&whole, recipe.span, Some(&format!("the script of {what}")));
            return Some(whole);
        }
        self.of_files(what, recipe, teardown, tool)
    }

    fn of_files(
        &mut self,
        what: &str,
        recipe: &'l Node,
        teardown: Option<&'l Node>,
        tool: Option<Tool>,
    ) -> Option<Recipe> {
        let Some((node, entry)) = recipe.get("entry").and_then(|entry| Some((entry, path_of(entry)?))) else {
            let help = "add one: `entry: recipes/install.sh`; with `tool: chef`, `entry: cookbooks/db2::server`";
            self.malformed(recipe.span, format!("the recipe of {what} has no `entry`"), "this recipe", help.into());
            return None;
        };
        let tool = tool.unwrap_or_else(|| tool_of(entry));
        let mut files = Vec::new();
        match recipe.get("files").map(|files| (files, &*files.tree)) {
            Some((written, Tree::Map(_))) => {
                for (path, at, content) in pairs(written) {
                    files.extend(self.content(&path, at, content));
                }
            }
            Some((written, _)) if self.is_list(written, &format!("`files` of the recipe of {what}")) => {
                for file in items(written) {
                    self.also(file, &mut files);
                }
            }
            _ => {}
        }
        let written_out = recipe.get("files").filter(|files| matches!(*files.tree, Tree::Map(_)));
        let teardown = recipe.get("teardown").or(teardown);
        let runs = teardown.and_then(|node| Some((node, path_of(node)?)));
        if tool.runs_files() {
            for (node, path) in [(node, entry)].into_iter().chain(runs) {
                self.is_found(tool, path, node.span)?;
                if !files.iter().any(|file| file.path == path) {
                    if let Some(written) = written_out {
                        // Mistakes in a file that exists have already been reported.
                        if pairs(written).any(|(known, ..)| known == path) {
                            return None;
                        }
                        let diagnostic = RECIPE
                            .diagnostic(format!("the recipe of {what} runs `{path}`, which is not one of its `files`"))
                            .label(&self.at(node.span), "named here")
                            .help("add it to `files`, or list all files by their paths");
                        self.push(diagnostic);
                        return None;
                    }
                    // The entry point comes first.
                    let mut run = Vec::new();
                    self.file(path, node.span, &mut run)?;
                    files.splice(0..0, run);
                }
            }
        }
        let (mut entry, mut teardown) = (Name::from(entry), runs.map(|(_, path)| Name::from(path)));
        if tool == Tool::Chef {
            let written = recipe.get("files");
            entry = self.of_cookbook(what, node, &entry, written)?;
            if let Some((node, path)) = runs {
                teardown = Some(self.of_cookbook(what, node, path, written)?);
            }
        }
        let whole = Recipe { tool, entry, teardown, files };
        self.sound(&whole, node.span, None);
        Some(whole)
    }

    fn tool(&mut self, node: &Node) -> Option<Tool> {
        let name = node.as_key();
        let tool = Tool::named(&name);
        if tool.is_none() {
            let diagnostic = RECIPE
                .diagnostic(format!("there is no tool `{name}`"))
                .label(&self.at(node.span), "unknown tool")
                .help(
                    meant(&name, Tool::NAMES)
                        .unwrap_or_else(|| format!("the tools are {}", wattle::names::list(Tool::NAMES, "and"))),
                );
            self.push(diagnostic);
        }
        tool
    }

    /// Reports a file that its tool would not find on a server because of its name.
    fn is_found(&mut self, tool: Tool, path: &str, span: Span) -> Option<()> {
        let Some(naming) = wattle_recipe::overlooked(tool, path) else { return Some(()) };
        let diagnostic = RECIPE
            .diagnostic(format!("{} does not find the recipe `{path}`", tool.title()))
            .label(&self.at(span), "named here")
            .help(format!("rename the file: {naming}"));
        self.push(diagnostic);
        None
    }

    /// An additional file, whose path is `node`.
    fn also(&mut self, node: &'l Node, files: &mut Vec<File>) -> Option<Name> {
        let Some(path) = path_of(node) else {
            self.malformed(node.span, "this is not a path".into(), "a file is expected here", "write its path".into());
            return None;
        };
        if !files.iter().any(|file| file.path == path) {
            self.file(path, node.span, files)?;
        }
        Some(path.into())
    }

    /// Adds the file at `path`. Reports it if it cannot be read.
    fn file(&mut self, path: &str, span: Span, files: &mut Vec<File>) -> Option<()> {
        if path.contains('\n') {
            let diagnostic = RECIPE
                .diagnostic("the recipe is a script, but a path is expected")
                .label(&self.at(span), "several lines are not a path")
                .help("write a script as `recipe: {script: ...}`");
            self.push(diagnostic);
            return None;
        }
        let found = self.loaded.library.recipes.get(&join(&self.template.file, path));
        match found {
            Some(Ok(bytes)) => {
                files.push(File { path: path.to_owned().into(), content: content(bytes.clone()) });
                Some(())
            }
            other => {
                let why = match other {
                    Some(Err(missing)) => missing.to_string(),
                    _ => "it was not looked for".into(),
                };
                let diagnostic = RECIPE
                    .diagnostic(format!("the file `{path}` of a recipe cannot be read: {why}"))
                    .label(&self.at(span), "named here")
                    .help("paths are relative to the template");
                self.push(diagnostic);
                None
            }
        }
    }

    /// A file written inline: as text, as base64, or by reference to the file with this path of another component type.
    fn content(&mut self, path: &str, at: Span, node: &'l Node) -> Option<File> {
        let whole = |content| Some(File { path: Cow::Owned(path.to_owned()), content });
        if let Some(content) = inline(node) {
            return whole(content);
        }
        if let Some(named) = node.get("get_file").and_then(|named| named.tree.as_text()) {
            let mut files = Vec::new();
            self.file(named, node.span, &mut files)?;
            return whole(files.pop()?.content);
        }
        if let Some(kind) = node.get("of").and_then(|kind| kind.tree.as_text()) {
            let known = self.model.declarations.get(kind);
            let file = known.and_then(|known| known.recipe.files.iter().find(|file| file.path == path).cloned());
            if file.is_none() {
                let diagnostic = RECIPE
                    .diagnostic(format!("the component type `{kind}` has no file `{path}`"))
                    .label(&self.at(node.span), "taken from this type")
                    .help("write the file's content, or name a component type that is declared before and has it");
                self.push(diagnostic);
            }
            return file;
        }
        let message = format!("the file `{path}` of a recipe is neither text nor base64");
        let help = "write the text, `{base64: ...}`, `{get_file: PATH}` or `{of: KIND}`";
        self.malformed(at, message, "this file", help.into());
        None
    }
}

/// A file written inline, as text or as base64.
pub(super) fn inline(node: &Node) -> Option<Content> {
    if let Some(text) = node.tree.as_text() {
        return Some(Content::Text(text.to_owned().into()));
    }
    let bytes = STANDARD.decode(node.get("base64")?.tree.as_text()?.trim()).ok()?;
    Some(Content::Binary(bytes.into()))
}

/// Text if the bytes are UTF-8, otherwise bytes.
fn content(bytes: Vec<u8>) -> Content {
    match String::from_utf8(bytes) {
        Ok(text) => Content::Text(text.into()),
        Err(error) => Content::Binary(error.into_bytes().into()),
    }
}

/// The tool for a file with this name.
fn tool_of(path: &str) -> Tool {
    Tool::of_path(path).filter(|tool| tool.runs_files()).unwrap_or(Tool::Shell)
}
