//! The resources of a stack, each by its path through nested stacks.

use std::collections::BTreeMap;

use serde_json::Value;
use wattle_model::Name;

/// A resource of a stack, or of one nested in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// `NAME`, or `NESTED/NAME` in a nested stack.
    pub path: Name,
    /// Its type.
    pub kind: Name,
    /// Its last action and the action's progress: `CREATE_FAILED`.
    pub status: String,
    /// Heat's reason for the status.
    pub reason: String,
    /// The resource's physical id; empty if it has none.
    pub phys: Name,
    /// Whether it is a nested stack.
    pub is_stack: bool,
}

impl Resource {
    /// Whether its last action failed.
    pub fn has_failed(&self) -> bool {
        self.status.ends_with("_FAILED")
    }
}

/// All resources of a stack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// The resources by path.
    pub resources: BTreeMap<Name, Resource>,
    /// The path of the resource that is the nested stack of this id; empty for the stack itself.
    pub(super) stacks: BTreeMap<String, Name>,
}

impl Tree {
    /// Builds the tree of the stack `id` from Heat's list with `nested_depth`.
    pub(super) fn read(id: &str, listed: &[Value]) -> Self {
        let rows: Vec<Row> = listed.iter().filter_map(Row::read).collect();
        let mut stacks = BTreeMap::from([(id.to_owned(), Name::from(""))]);
        // A stack's path is known once that of its parent is. Each round finds one level.
        loop {
            let known = stacks.len();
            for row in rows.iter().filter(|row| row.is_stack && !row.phys.is_empty()) {
                if let Some(path) = stacks.get(&row.stack).map(|around| within(around, &row.name)) {
                    stacks.entry(row.phys.to_string()).or_insert(path);
                }
            }
            if stacks.len() == known {
                break;
            }
        }
        let resources = rows.into_iter().map(|row| {
            let path = match stacks.get(&row.stack) {
                Some(around) => within(around, &row.name),
                None => within(&row.around, &row.name),
            };
            let Row { kind, status, reason, phys, is_stack, .. } = row;
            (path.clone(), Resource { path, kind, status, reason, phys, is_stack })
        });
        Self { resources: resources.collect(), stacks }
    }

    /// The resources that failed, except stacks in which a failed resource is known.
    pub fn failed(&self) -> Vec<&Resource> {
        let failed: Vec<&Resource> = self.resources.values().filter(|resource| resource.has_failed()).collect();
        let is_around = |stack: &Resource| {
            let inner = format!("{}/", stack.path);
            failed.iter().any(|resource| resource.path.starts_with(&inner))
        };
        failed.iter().copied().filter(|resource| !is_around(resource)).collect()
    }

    /// The resources with an action in progress, except stacks.
    pub fn busy(&self) -> impl Iterator<Item = &Resource> {
        self.resources.values().filter(|resource| resource.status.ends_with("_IN_PROGRESS") && !resource.is_stack)
    }
}

/// The path of the resource `name` in the stack at the path `around`.
pub(super) fn within(around: &str, name: &str) -> Name {
    if around.is_empty() { Name::from(name) } else { format!("{around}/{name}").into() }
}

/// The last part of the link with this `rel`: an id.
pub(super) fn linked(item: &Value, rel: &str) -> Option<String> {
    let mut links = item["links"].as_array()?.iter();
    let link = links.find(|link| link["rel"] == *rel)?["href"].as_str()?;
    link.trim_end_matches('/').rsplit('/').next().map(str::to_owned)
}

struct Row {
    name: String,
    /// The id of the containing stack.
    stack: String,
    /// The name of the resource that represents this stack.
    around: String,
    kind: Name,
    status: String,
    reason: String,
    phys: Name,
    is_stack: bool,
}

impl Row {
    fn read(listed: &Value) -> Option<Self> {
        let text = |key: &str| listed[key].as_str().unwrap_or_default();
        Some(Self {
            name: listed["resource_name"].as_str()?.to_owned(),
            stack: linked(listed, "stack")?,
            around: text("parent_resource").to_owned(),
            kind: text("resource_type").into(),
            status: text("resource_status").to_owned(),
            reason: text("resource_status_reason").to_owned(),
            phys: text("physical_resource_id").into(),
            is_stack: linked(listed, "nested").is_some(),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn row(stack: &str, name: &str, status: &str, nested: Option<&str>) -> Value {
        let mut links = vec![json!({ "rel": "stack", "href": format!("http://heat/v1/p/stacks/any/{stack}") })];
        if let Some(nested) = nested {
            links.push(json!({ "rel": "nested", "href": format!("http://heat/v1/p/stacks/any/{nested}") }));
        }
        json!({ "resource_name": name, "resource_type": "T", "resource_status": status, "links": links,
                "physical_resource_id": nested.unwrap_or("x"), "parent_resource": "parent" })
    }

    #[test]
    fn paths_go_through_nested_stacks_in_whatever_order_they_are_listed() {
        let tree = Tree::read(
            "root",
            &[
                row("inner", "port", "CREATE_FAILED", None),
                row("outer", "deep", "CREATE_FAILED", Some("inner")),
                row("root", "part", "CREATE_FAILED", Some("outer")),
                row("root", "net", "CREATE_COMPLETE", None),
                row("unknown", "lost", "CREATE_IN_PROGRESS", None),
            ],
        );
        let paths: Vec<&str> = tree.resources.keys().map(|path| &**path).collect();
        assert_eq!(paths, ["net", "parent/lost", "part", "part/deep", "part/deep/port"]);
        let failed: Vec<&str> = tree.failed().into_iter().map(|resource| &*resource.path).collect();
        assert_eq!(failed, ["part/deep/port"], "a stack fails because of what is in it");
        assert_eq!(tree.busy().map(|resource| &*resource.path).collect::<Vec<_>>(), ["parent/lost"]);
    }

    #[test]
    fn a_stack_that_fails_by_itself_is_named() {
        let tree = Tree::read("root", &[row("root", "part", "CREATE_FAILED", None)]);
        assert_eq!(tree.failed().len(), 1);
    }
}
