//! The input of Heat: a template with everything that it names, its environments and values, as python-heatclient sends
//! them.
//!
//! The client names files by URLs of the machine that it runs on. Here each file has its path from the template's
//! folder, so that a stack is the same from wherever it is updated. Heat accepts any names.

use serde_json::{Map, Number, Value, json};
use wattle_heat::environment::is_template;
use wattle_heat::files::join;
use wattle_heat::yaml::{Node, Tree};
use wattle_heat::{Library, Loaded};

use super::TemplateSource;

/// Packs the template, files, environments and values of `source` into the fields of Heat's API.
pub fn package(source: &TemplateSource) -> Map<String, Value> {
    let loaded = source.loaded();
    let library = &*loaded.library;
    let mut files: Map<String, Value> = library
        .contents
        .iter()
        .filter_map(|(path, text)| Some((path.clone(), sent(library, path, text.as_deref().ok()?).into())))
        .collect();
    let mut environments = Vec::new();
    for (number, file) in loaded.environment.files.iter().enumerate() {
        // No file has a name like this.
        let name = format!("{number}:{}", file.name);
        files.insert(name.clone(), environment(&file.name, &file.root).to_string().into());
        environments.push(Value::from(name));
    }
    let given = source.given.iter().map(|(name, value)| (name.to_string(), json!(value)));
    let fields = [
        ("template", outermost(&loaded)),
        ("files", files.into()),
        ("environment_files", environments.into()),
        ("parameters", given.collect::<Map<_, _>>().into()),
    ];
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// The template itself.
fn outermost(loaded: &Loaded) -> Value {
    template(&loaded.library, &loaded.template.file, &loaded.template.root)
}

/// Converts a file for Heat: paths in templates become relative to the outermost one.
fn sent(library: &Library, path: &str, text: &str) -> String {
    match library.templates.get(path) {
        Some(nested) if nested.unreadable.is_none() => {
            template(library, &nested.template.file, &nested.template.root).to_string()
        }
        _ => text.to_owned(),
    }
}

fn template(library: &Library, file: &str, root: &Node) -> Value {
    written(root, &|key, value| {
        let is_named = key == "get_file" || (key == "type" && is_template(value));
        let path = is_named.then(|| join(file, value))?;
        library.contents.contains_key(&path).then_some(path)
    })
}

/// Converts an environment: paths of templates become relative to the outermost one.
fn environment(file: &str, root: &Node) -> Value {
    let mut environment = written(root, &|_, _| None);
    if let Some(registry) = environment.get_mut("resource_registry").and_then(Value::as_object_mut) {
        let base = base(registry, file);
        types(registry, &base);
        for scoped in registry.get_mut("resources").and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut)
        {
            if let Some(scoped) = scoped.as_object_mut() {
                let base = self::base(scoped, &base);
                types(scoped, &base);
            }
        }
    }
    environment
}

/// The folder to which files in a part of a registry are relative.
fn base(registry: &Map<String, Value>, file: &str) -> String {
    let own = registry.get("base_url").and_then(Value::as_str);
    own.map_or_else(|| file.to_owned(), |url| format!("{}/", url.trim_end_matches('/')))
}

fn types(registry: &mut Map<String, Value>, base: &str) {
    for (name, value) in registry {
        let is_type = !matches!(name.as_str(), "base_url" | "hooks" | "restricted_actions");
        if let Some(target) = value.as_str().filter(|target| is_type && !target.contains("::")) {
            *value = join(base, target).into();
        }
    }
}

/// A node as JSON. `instead` may replace the texts under a key.
fn written(node: &Node, instead: &dyn Fn(&str, &str) -> Option<String>) -> Value {
    match &*node.tree {
        Tree::Null => Value::Null,
        Tree::Boolean(value) => (*value).into(),
        // JSON cannot represent some; Heat accepts numbers as text, too.
        Tree::Integer(value) => Number::from_i128(*value).map_or_else(|| json!(value.to_string()), Value::Number),
        Tree::Float(value) => (*value).into(),
        Tree::Text { text, .. } => text.as_str().into(),
        Tree::List(items) => items.iter().map(|item| written(item, instead)).collect(),
        Tree::Map(pairs) => {
            let pairs = pairs.iter().map(|pair| {
                let key = pair.key.as_key();
                let other = pair.value.tree.as_text().and_then(|text| instead(&key, text));
                let value = other.map_or_else(|| written(&pair.value, instead), Value::from);
                (key, value)
            });
            Value::Object(pairs.collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use wattle::model::IndexMap;

    use super::*;

    fn source(files: &[(&str, &str)], environments: &[(&str, &str)]) -> TemplateSource {
        let owned = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
        TemplateSource {
            template: "template.yaml".into(),
            files: files.iter().map(owned).collect(),
            environments: environments.iter().map(owned).collect(),
            given: IndexMap::from_iter([("size".into(), wattle::model::Value::Str("3".into()))]),
            ..TemplateSource::default()
        }
    }

    fn read(text: &Value) -> Value {
        serde_json::from_str(text.as_str().expect("text")).expect("JSON")
    }

    #[test]
    fn files_are_named_from_the_templates_folder() {
        let root = "heat_template_version: 2021-04-16\nresources:\n  a: {type: lib/part.yaml}\n  b: {type: OS::Nova::Server, \
                    properties: {user_data: {get_file: lib/x.sh}, metadata: {type: nobody.yaml, on: no}}}\n";
        let part = "heat_template_version: 2021-04-16\nresources:\n  c: {type: OS::Heat::Value, properties: {value: {get_file: \
                    x.sh}}}\n  d: {type: deeper.yaml}\n";
        let deeper = "heat_template_version: 2021-04-16\n";
        let files =
            [("template.yaml", root), ("lib/part.yaml", part), ("lib/deeper.yaml", deeper), ("lib/x.sh", "echo")];
        let sent = package(&source(&files, &[]));
        let resources = &sent["template"]["resources"];
        assert_eq!(resources["a"]["type"], "lib/part.yaml");
        assert_eq!(resources["b"]["properties"]["user_data"], json!({ "get_file": "lib/x.sh" }));
        // Keys that name no file are unchanged, and YAML is read as Heat reads it.
        assert_eq!(resources["b"]["properties"]["metadata"], json!({ "type": "nobody.yaml", "true": false }));
        assert_eq!(sent["template"]["heat_template_version"], "2021-04-16");
        assert_eq!(sent["files"]["lib/x.sh"], "echo");
        let part = read(&sent["files"]["lib/part.yaml"]);
        assert_eq!(part["resources"]["c"]["properties"]["value"], json!({ "get_file": "lib/x.sh" }));
        assert_eq!(part["resources"]["d"]["type"], "lib/deeper.yaml");
        assert_eq!(read(&sent["files"]["lib/deeper.yaml"]), json!({ "heat_template_version": "2021-04-16" }));
        assert_eq!(sent["parameters"], json!({ "size": "3" }));
    }

    #[test]
    fn environments_are_sent_in_their_order_and_find_their_templates() {
        let root = "heat_template_version: 2021-04-16\nresources:\n  a: {type: My::Part}\n";
        let part = "heat_template_version: 2021-04-16\n";
        let first = "resource_registry: {My::Part: ../part.yaml, 'OS::A::B': OS::Heat::None, resources: {a: {My::Part: \
                     part.yaml, hooks: pre-create}}}\nparameter_defaults: {x: 1}\n";
        let files = [("template.yaml", root), ("part.yaml", part), ("env/part.yaml", part)];
        let sent = package(&source(&files, &[("env/first.yaml", first), ("second.yaml", "parameters: {x: yes}")]));
        assert_eq!(sent["environment_files"], json!(["0:env/first.yaml", "1:second.yaml"]));
        let first = read(&sent["files"]["0:env/first.yaml"]);
        assert_eq!(first["parameter_defaults"], json!({ "x": 1 }));
        let expected = json!({ "My::Part": "part.yaml", "OS::A::B": "OS::Heat::None",
                               "resources": { "a": { "My::Part": "env/part.yaml", "hooks": "pre-create" } } });
        assert_eq!(first["resource_registry"], expected);
        assert_eq!(read(&sent["files"]["1:second.yaml"]), json!({ "parameters": { "x": true } }));
        assert!(sent["files"].get("part.yaml").is_some() && sent["files"].get("env/part.yaml").is_some());
    }
}
