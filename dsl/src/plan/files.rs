//! The files of a deployment: the template, and all that it names.

use indexmap::IndexMap;

use crate::model::Value;

/// The names under which `emit` writes the template of the whole stack.
pub(super) const ROOTS: [&str; 2] = ["template.yaml", "template.json"];

/// The template of a deployment, the nested templates and the files that it names, by their paths within the deployment's
/// folder; `read` gives the text of a file there. What cannot be read is left out.
pub fn gather(read: &mut dyn FnMut(&str) -> Option<String>) -> IndexMap<String, String> {
    let mut found = IndexMap::new();
    let root = ROOTS.into_iter().find_map(|name| Some((name.to_owned(), read(name)?)));
    let mut open: Vec<(String, String)> = root.into_iter().collect();
    while let Some((name, text)) = open.pop() {
        let value = if is_template(&name) { parse(&text).ok() } else { None };
        let mut named = Vec::new();
        if let Some(value) = &value {
            names(value, &mut named);
        }
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        found.insert(name, text);
        for path in named {
            let Some(path) = below(&folder, path) else { continue };
            if !found.contains_key(&path) && !open.iter().any(|(name, _)| *name == path) {
                open.extend(read(&path).map(|text| (path, text)));
            }
        }
    }
    found
}

/// Whether Heat takes a resource type of this name for a file.
pub(super) fn is_template(name: &str) -> bool {
    name.ends_with(".yaml") || name.ends_with(".template") || ROOTS.contains(&name)
}

/// A template's text as a value.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    // JSON is YAML, but is read much faster as what it is.
    if text.trim_start().starts_with('{')
        && let Ok(value) = serde_json::from_str(text)
    {
        return Ok(value);
    }
    serde_yaml::from_str(text).map_err(|error| error.to_string())
}

/// The files that a template names: of nested stacks, and by `get_file`.
fn names<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    match value {
        Value::List(items) => items.iter().for_each(|item| names(item, found)),
        Value::Map(items) => {
            for (key, item) in items {
                match (&**key, item) {
                    ("type", Value::Str(name)) if is_template(name) => found.push(name),
                    ("get_file", Value::Str(name)) => found.push(name),
                    _ => names(item, found),
                }
            }
        }
        _ => {}
    }
}

/// `path` as the template in `folder` means it, if it stays within the deployment's folder.
pub(super) fn below(folder: &str, path: &str) -> Option<String> {
    if path.starts_with('/') || path.contains("://") {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deployment_is_its_template_and_all_that_it_names() {
        let texts = [
            (
                "template.yaml",
                "resources: {a: {type: part-1.yaml}, b: {type: lib/b.yaml, properties: {x: {get_file: x.sh}}}}",
            ),
            ("part-1.yaml", "resources: {s: {type: OS::Nova::Server}}"),
            ("lib/b.yaml", "resources: {c: {type: ../part-1.yaml}, d: {type: c.yaml}, e: {type: ../../out.yaml}}"),
            ("lib/c.yaml", "resources: {d: {type: b.yaml}}"),
            ("x.sh", "echo type: nobody.yaml"),
            ("nobody.yaml", "{}"),
        ];
        let mut read = |path: &str| texts.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned());
        let mut found: Vec<String> = gather(&mut read).into_keys().collect();
        found.sort();
        assert_eq!(found, ["lib/b.yaml", "lib/c.yaml", "part-1.yaml", "template.yaml", "x.sh"]);
        assert!(gather(&mut |_| None).is_empty());
    }
}
