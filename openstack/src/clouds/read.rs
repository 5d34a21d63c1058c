//! Reads the configuration files as settings by name.

use std::collections::BTreeMap;

use wattle_heat::yaml::{self, Node, Tree};

use super::CloudError;

/// The file that overlays `clouds.yaml`, in the same folder.
pub const SECURE: &str = "secure.yaml";

/// The file of the current directory, which may have been written by someone else.
pub(super) const HERE: &str = "./clouds.yaml";

/// The settings of one cloud. Those of `auth` and those beside it share one namespace, spelled with `_`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    /// The cloud's name.
    pub(crate) name: String,
    /// Values by their names, as texts.
    pub(crate) values: BTreeMap<String, String>,
    /// The names of its regions.
    pub(crate) regions: Vec<String>,
    /// Settings of the environment that were withheld from this cloud.
    pub(crate) withheld: Vec<String>,
}

impl Settings {
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(String::as_str).filter(|value| !value.is_empty())
    }

    pub(crate) fn first(&self, keys: &[&str]) -> Option<&str> {
        keys.iter().find_map(|key| self.get(key))
    }
}

/// The possible paths of `clouds.yaml`, in order. `home` is the user's home directory.
pub fn places(environment: &BTreeMap<String, String>, home: Option<&str>) -> Vec<String> {
    if let Some(named) = environment.get("OS_CLIENT_CONFIG_FILE").filter(|named| !named.is_empty()) {
        return vec![named.clone()];
    }
    let config = environment.get("XDG_CONFIG_HOME").filter(|folder| !folder.is_empty()).cloned();
    let config = config.or_else(|| home.map(|home| format!("{home}/.config")));
    let mut folders = vec![".".to_owned()];
    folders.extend(config.map(|config| format!("{config}/openstack")));
    folders.push("/etc/openstack".to_owned());
    folders.into_iter().map(|folder| format!("{folder}/clouds.yaml")).collect()
}

/// Reads all clouds in a file.
pub(super) fn clouds(file: &str, text: &str) -> Result<BTreeMap<String, Settings>, CloudError> {
    let wrong = |node: Option<&Node>, message: String, help: Option<String>| CloudError::File {
        file: file.to_owned(),
        place: node.map_or(String::new(), |node| format!(":{}", node.span.start)),
        message,
        help,
    };
    let root = yaml::read(text).map_err(|error| CloudError::File {
        file: file.to_owned(),
        place: format!(":{}", error.span.start),
        message: error.problem.to_string(),
        help: error.help(),
    })?;
    let Some(listed) = root.get("clouds") else {
        let help = "list the clouds by name under the key `clouds`";
        return Err(wrong(None, "there is no `clouds`".into(), Some(help.into())));
    };
    let mut clouds = BTreeMap::new();
    for (name, node) in pairs(listed).ok_or_else(|| wrong(Some(listed), expected("`clouds`", listed), None))? {
        let mut settings = Settings { name: name.clone(), ..Settings::default() };
        let of = format!("the cloud `{name}`");
        for (key, value) in pairs(node).ok_or_else(|| wrong(Some(node), expected(&of, node), None))? {
            let within = format!("`{key}` of {of}");
            match key.as_str() {
                "auth" => {
                    let auth = pairs(value).ok_or_else(|| wrong(Some(value), expected(&within, value), None))?;
                    for (key, value) in auth {
                        let of = format!("`{key}` of {within}");
                        let text = scalar(value).ok_or_else(|| wrong(Some(value), no_text(&of, value), None))?;
                        settings.values.insert(normal(&key), text);
                    }
                }
                "regions" => settings.regions = regions(value),
                _ => {
                    // Other values are for other tools.
                    if let Some(text) = scalar(value) {
                        settings.values.entry(normal(&key)).or_insert(text);
                    }
                }
            }
        }
        clouds.insert(name, settings);
    }
    Ok(clouds)
}

/// Overlays `clouds` with `secure`, setting by setting.
pub(super) fn lay_over(clouds: &mut BTreeMap<String, Settings>, secure: BTreeMap<String, Settings>) {
    for (name, over) in secure {
        let under = clouds.entry(name).or_insert_with(|| Settings { name: over.name.clone(), ..Settings::default() });
        under.values.extend(over.values);
        if !over.regions.is_empty() {
            under.regions = over.regions;
        }
    }
}

fn normal(key: &str) -> String {
    key.replace('-', "_")
}

fn pairs(node: &Node) -> Option<Vec<(String, &Node)>> {
    let Tree::Map(pairs) = &*node.tree else { return None };
    Some(pairs.iter().map(|pair| (pair.key.tree.as_text().unwrap_or_default().to_owned(), &pair.value)).collect())
}

/// A scalar as written: `project_name: 42` is the text 42, as in other clients.
fn scalar(node: &Node) -> Option<String> {
    if let Some(written) = node.written() {
        return Some(written.to_owned());
    }
    match &*node.tree {
        Tree::Null => Some(String::new()),
        Tree::List(_) | Tree::Map(_) => None,
        Tree::Boolean(value) => Some(value.to_string()),
        Tree::Integer(value) => Some(value.to_string()),
        Tree::Float(value) => Some(value.to_string()),
        Tree::Text { text, .. } => Some(text.clone()),
    }
}

fn regions(node: &Node) -> Vec<String> {
    let Tree::List(items) = &*node.tree else { return Vec::new() };
    items.iter().filter_map(|item| scalar(item.get("name").unwrap_or(item))).collect()
}

fn expected(what: &str, node: &Node) -> String {
    format!("{what} must be a map, but is {}", node.tree.kind())
}

fn no_text(what: &str, node: &Node) -> String {
    format!("{what} must be text, but is {}", node.tree.kind())
}
