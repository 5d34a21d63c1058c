//! The nested stack of each resource in a cut stack.
//!
//! Heat identifies a resource by its name within its own stack, so a resource that moves to another stack is created again.
//! That is why the deployed places are an input of the cut. They are read from the deployed templates, which contain them
//! already. A separate record could be lost, or belong to another deployment.

use std::collections::HashMap;
use std::fmt;

use wattle_heat::yaml::{self, Node, Tree};

use crate::model::{IndexMap, Name};

use super::RESERVED;
use super::hot::Template;

/// The names under which `emit` writes the template of the whole stack.
pub const ROOTS: [&str; 2] = ["template.yaml", "template.json"];

/// The place of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// In the stack itself.
    Stack,
    /// In the nested stack with this number.
    Nested(u32),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stack => f.write_str("the stack itself"),
            Self::Nested(number) => write!(f, "the nested stack `{}`", part_name(*number)),
        }
    }
}

/// The places of a deployment's resources, each by the name under which it was deployed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    places: HashMap<Name, Place>,
}

/// Why the places of a deployment's resources are not known.
#[derive(Debug, thiserror::Error)]
pub enum PlacesError {
    /// A template that cannot be read.
    #[error("`{file}` cannot be read: {reason}")]
    Unreadable {
        /// The file.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A nested template that is missing.
    #[error("`{root}` names `{file}`, which does not exist")]
    Absent {
        /// The file.
        file: String,
        /// The template of the whole stack.
        root: String,
    },
}

/// A resource that is no longer where it was.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moved {
    /// Its name.
    pub name: Name,
    /// Where it was.
    pub from: Place,
    /// Where it is now.
    pub to: Place,
}

impl Places {
    /// The places of the resources in these templates.
    pub fn of(template: &Template, nested: &IndexMap<String, Template>) -> Self {
        let mut places = Self::default();
        for (name, resource) in &template.resources {
            match (part_of(name, &resource.ty), nested.get(&*resource.ty)) {
                (Some(part), Some(nested)) => places.add(nested.resources.keys().cloned(), part),
                _ => places.add([name.clone()], Place::Stack),
            }
        }
        places
    }

    /// The places of the resources in the templates that `emit` wrote to a folder. `read` returns the text of a file
    /// there. If there is no template, nothing has a place.
    ///
    /// # Errors
    /// If a template cannot be read.
    pub fn read(read: &mut dyn FnMut(&str) -> Option<String>) -> Result<Self, PlacesError> {
        let mut places = Self::default();
        let Some((root, text)) = ROOTS.into_iter().find_map(|name| Some((name, read(name)?))) else {
            return Ok(places);
        };
        let mut parts = Vec::new();
        each_resource(root, &text, |name, ty| match part_of(name, ty) {
            Some(part) => parts.push((ty.to_owned(), part)),
            None => places.add([name.into()], Place::Stack),
        })?;
        drop(text);
        for (file, part) in parts {
            let text = read(&file).ok_or_else(|| PlacesError::Absent { file: file.clone(), root: root.to_owned() })?;
            each_resource(&file, &text, |name, _| places.add([name.into()], part))?;
        }
        Ok(places)
    }

    fn add(&mut self, names: impl IntoIterator<Item = Name>, place: Place) {
        // Our own resources are not the author's: each part has its own root.
        let names = names.into_iter().filter(|name| !name.starts_with(RESERVED));
        self.places.extend(names.map(|name| (name, place)));
    }

    /// The place of a resource, if it has one.
    pub fn get(&self, resource: &str) -> Option<Place> {
        self.places.get(resource).copied()
    }

    /// Whether no resource has a place.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Whether anything is in a nested stack.
    pub fn is_cut(&self) -> bool {
        self.places.values().any(|place| *place != Place::Stack)
    }

    /// The resources whose place is different in `after`, by name.
    pub fn moved(&self, after: &Self) -> Vec<Moved> {
        let moved = self.places.iter().filter_map(|(name, &from)| {
            let to = after.get(name).filter(|to| *to != from)?;
            Some(Moved { name: name.clone(), from, to })
        });
        let mut moved: Vec<Moved> = moved.collect();
        moved.sort_unstable();
        moved
    }
}

/// Calls `found` with the name and the type of each resource of a template.
fn each_resource(file: &str, text: &str, mut found: impl FnMut(&str, &str)) -> Result<(), PlacesError> {
    if let Some(listed) = listed(text) {
        listed.into_iter().for_each(|(name, ty)| found(name, ty));
        return Ok(());
    }
    let unreadable = |error: yaml::Error| PlacesError::Unreadable { file: file.into(), reason: error.to_string() };
    let root = yaml::read(text).map_err(unreadable)?;
    let Some(Tree::Map(resources)) = root.get("resources").map(|node| &*node.tree) else { return Ok(()) };
    let text = |node: &Node, key: &str| node.get(key)?.tree.as_text().map(str::to_owned);
    for pair in resources {
        found(&pair.key.as_key(), text(&pair.value, "type").as_deref().unwrap_or_default());
    }
    Ok(())
}

/// The names and types of resources, if they are written as `emit` writes most of them: without quotes, each on a line
/// of its own, indented by two spaces and by four. Nothing else in a template can look like that. Fully reading a large
/// stack would take as long as writing it.
fn listed(text: &str) -> Option<Vec<(&str, &str)>> {
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.:".contains(&byte));
    let mut lines = text.lines();
    lines.by_ref().find(|line| *line == "resources:")?;
    let mut listed: Vec<(&str, &str)> = Vec::new();
    for line in lines.take_while(|line| !line.starts_with(|first: char| first.is_ascii_lowercase())) {
        if let Some(ty) = line.strip_prefix("    type: ") {
            listed.last_mut()?.1 = ty;
        } else if line.starts_with("   ") {
            listed.last()?;
        } else if !line.is_empty() {
            listed.push((line.strip_prefix("  ")?.strip_suffix(':')?, ""));
        }
    }
    let is_whole = |(name, ty): &(&str, &str)| plain(name) && plain(ty) && !name.is_empty() && !ty.is_empty();
    listed.iter().all(is_whole).then_some(listed)
}

/// The file of a part's template.
pub(super) fn part_file(number: u32) -> String {
    format!("part-{number}.yaml")
}

/// The number of the part that has this template file.
pub(crate) fn number_of(file: &str) -> Option<u32> {
    let digits = file.strip_prefix("part-")?.strip_suffix(".yaml")?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// The name of the resource that stands for a part.
pub(super) fn part_name(number: u32) -> Name {
    format!("{RESERVED}part_{number}").into()
}

fn part_of(name: &str, ty: &str) -> Option<Place> {
    number_of(ty).filter(|number| *name == *part_name(*number)).map(Place::Nested)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::hot::{Hot, HotResource};

    fn template(names: &[&str]) -> Template {
        let mut template = Template::new("resources:\n  of: it\n\nand more");
        for name in names {
            let ty = part_file(1);
            let ty = if name.starts_with(RESERVED) { ty.as_str() } else { "OS::Heat::Value" };
            let mut resource = HotResource::new(ty.into());
            resource.description = "one\n\n  two:\n".into();
            resource.set("value".into(), Hot::from("#!/bin/sh\n\nresources:\n  name:\n    type: x\n"));
            template.resources.insert((*name).into(), resource);
        }
        template
    }

    fn read(root: &str, part: &str) -> Result<Places, PlacesError> {
        Places::read(&mut |name| match name {
            "template.yaml" => Some(root.to_owned()),
            "part-1.yaml" => Some(part.to_owned()),
            _ => None,
        })
    }

    #[test]
    fn it_is_read_from_what_was_emitted() {
        for (names, is_listed) in [(&["server", "a.b-c_1", "E2"][..], true), (&["yes", "0644", "x y", "a#b"], false)] {
            let (root, part) = (template(&[names, &["wattle_part_1"]].concat()), template(&["port", "wattle_agent"]));
            let places = Places::of(&root, &IndexMap::from_iter([(part_file(1), part.clone())]));
            assert_eq!((places.get("port"), places.get(names[0])), (Some(Place::Nested(1)), Some(Place::Stack)));
            let yaml = [&root, &part].map(|template| wattle_heat::emit::to_yaml(template).expect("emits"));
            assert_eq!(listed(&yaml[0]).is_some(), is_listed, "{}", yaml[0]);
            assert_eq!(read(&yaml[0], &yaml[1]).expect("readable"), places);
            let json = [&root, &part].map(|template| serde_json::to_string(template).expect("emits"));
            assert_eq!(read(&json[0], &json[1]).expect("readable"), places);
        }
    }

    #[test]
    fn what_stands_otherwise_is_read_as_yaml() {
        for text in [
            "resources:\n   a:\n     type: x\n",
            "resources:\n  a:\n   type: x\n",
            "resources:\n  a:\n    type: 'x'\n",
            "resources:\n  b:\n    type: x\n# a is\n  a:\n    type: x\n",
            "resources:\n  a: {type: x}\n",
            "{resources: {a: {type: x}}}",
        ] {
            assert_eq!(listed(text), None);
            assert_eq!(read(text, "").expect("readable").get("a"), Some(Place::Stack), "{text}");
        }
        assert!(read("nothing", "").expect("readable").is_empty());
        assert!(matches!(read("resources:\n  a: [", ""), Err(PlacesError::Unreadable { .. })));
    }
}
