//! The files of a crate.

use std::collections::{BTreeSet, VecDeque};

use wattle_model::IndexMap;

use wattle_heat::Loaded;

use super::blueprint::{Blueprint, Modules};
use super::catalog::Catalog;
use super::kept::Kept;
use super::module::Module;
use super::names::{MODULES, Names, snake};
use super::rust::WIDTH;
use super::software::Software;
use super::{Imported, Note, Options, Unsupported, dated};

/// The catalog's default features.
const DEFAULT: [&str; 3] = ["cinder", "neutron", "nova"];

pub(super) fn package(loaded: &Loaded, options: &Options) -> Result<Imported, Unsupported> {
    let (catalog, kept) = (Catalog::new(), Kept::of(loaded));
    let mut notes = Vec::new();
    let mut known = Modules { functions: functions(loaded, &options.name), ..Modules::default() };
    let (software, none) = (Software::of(loaded), Software::default());
    let software = if options.components { &software } else { &none };
    // Each module comes after those whose stacks it contains, because it needs their interfaces.
    let mut modules = Vec::new();
    for (path, function) in innermost_first(loaded, &known.functions) {
        if let Some(nested) = loaded.library.templates.get(path) {
            let template = dated::renamed(&nested.template, &catalog, &mut notes);
            let mut module = Blueprint::module(loaded, &template, &catalog, &known, &none, &kept, function)?;
            known.faces.insert(path.clone(), std::mem::take(&mut module.face));
            modules.push((function.clone(), module));
        }
    }
    let template = dated::renamed(&loaded.template, &catalog, &mut notes);
    let root = Blueprint::module(loaded, &template, &catalog, &known, software, &kept, &options.name)?;
    modules.insert(0, (String::from("lib"), root));
    let mut files = vec![
        ("Cargo.toml".to_owned(), manifest(options, &modules)),
        ("src/main.rs".to_owned(), program(&options.name)),
    ];
    for (name, module) in modules {
        let is_root = name == "lib";
        let text = if is_root { with_modules(&module.text, known.functions.values()) } else { module.text };
        files.push((format!("src/{name}.rs"), text));
        files.extend(module.files.into_iter().map(|(path, text)| (format!("src/{path}"), text)));
        notes.extend(module.notes);
        for path in &module.brought {
            if let Some(Ok(text)) = loaded.content(path) {
                files.push((kept.in_crate(path), text.to_owned()));
            }
        }
    }
    files.extend(software.configs.iter().map(|(name, config)| (recipe(name), config.script.clone())));
    files.sort();
    files.dedup();
    Ok(Imported { files, notes: Note::gathered(notes) })
}

/// The path of a config's recipe.
pub(super) fn recipe(config: &str) -> String {
    format!("recipes/{}.sh", snake(config))
}

/// The function and module of each template that is used as a type, directly or indirectly, by its path.
fn functions(loaded: &Loaded, root: &str) -> IndexMap<String, String> {
    let taken = [root, "lib", "t", "p"].into_iter().chain(MODULES);
    let mut names = Names::without(taken);
    let mut functions = IndexMap::default();
    let mut waiting = VecDeque::from([&*loaded.template.file]);
    while let Some(file) = waiting.pop_front() {
        for mention in loaded.library.mentions.iter().filter(|mention| mention.is_type && *mention.file == *file) {
            let path = &mention.path;
            let is_whole = loaded.library.templates.get(path).is_some_and(|nested| nested.unreadable.is_none());
            if is_whole && !functions.contains_key(path) {
                let stem = path.rsplit('/').next().unwrap_or(path);
                let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
                functions.insert(path.clone(), names.fresh(snake(stem)));
                waiting.push_back(path);
            }
        }
    }
    functions
}

/// The nested templates, each after those that it uses as types.
fn innermost_first<'f>(loaded: &Loaded, functions: &'f IndexMap<String, String>) -> Vec<(&'f String, &'f String)> {
    let mut order: Vec<(&String, &String)> = Vec::new();
    let mut waiting: Vec<(&String, &String)> = functions.iter().collect();
    while !waiting.is_empty() {
        let before: Vec<&String> = waiting.iter().map(|(path, _)| *path).collect();
        waiting.retain(|(path, function)| {
            let inner = loaded.library.mentions.iter().filter(|one| one.is_type && *one.file == ***path);
            let is_ready = inner.map(|one| &one.path).all(|inner| inner == *path || !before.contains(&inner));
            if is_ready {
                order.push((path, function));
            }
            !is_ready
        });
        // A cycle, which Heat refuses.
        if waiting.len() == before.len() {
            order.append(&mut waiting);
        }
    }
    order
}

fn with_modules<'f>(text: &str, functions: impl Iterator<Item = &'f String>) -> String {
    let mut names: Vec<&String> = functions.collect();
    names.sort();
    if names.is_empty() {
        return text.to_owned();
    }
    let modules: String = names.iter().map(|name| format!("pub mod {name};\n")).collect();
    // After the module's own documentation.
    let starts = |at: &usize| *at == 0 || text[..*at].ends_with('\n');
    let doc = text.match_indices("//! ").map(|(at, _)| at).find(starts).unwrap_or_default();
    let end = text[doc..].find("\n\n").map_or(doc, |end| doc + end + 2);
    format!("{}{modules}\n{}", &text[..end], &text[end..])
}

fn program(name: &str) -> String {
    let call = format!("    wattle::main({name}::{name})\n");
    let call =
        if call.len() <= WIDTH + 1 { call } else { format!("    wattle::main(\n        {name}::{name},\n    )\n") };
    format!(
        "//! `cargo run` emits the template; `cargo run -- --help` lists all commands.\n\nuse std::process::ExitCode;\n\nfn main() \
         -> ExitCode {{\n{call}}}\n"
    )
}

fn manifest(options: &Options, modules: &[(String, Module)]) -> String {
    let mut features: Vec<&str> =
        modules.iter().flat_map(|(_, module)| &module.uses.services).map(|service| &**service).collect();
    features.sort_unstable();
    features.dedup();
    features.retain(|service| !DEFAULT.contains(service));
    let others: BTreeSet<&str> = modules.iter().flat_map(|(_, module)| &module.uses.features).copied().collect();
    features.extend(others);
    let features: Vec<String> = features.into_iter().map(|service| format!("\"{service}\"")).collect();
    let features = if features.is_empty() { String::new() } else { format!(", features = [{}]", features.join(", ")) };
    let uses_catalog = modules.iter().any(|(_, module)| module.uses.raw || !module.uses.services.is_empty());
    let catalog = if uses_catalog {
        format!("wattle-catalog = {{ {}{features} }}\n", options.wattle.on("catalog"))
    } else {
        String::new()
    };
    format!(
        "[package]\nname = \"{}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nwattle = {{ {} \
         }}\n{catalog}",
        options.name,
        options.wattle.on("dsl")
    )
}
