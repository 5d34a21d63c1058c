//! The mappings of resource types.

use std::sync::Arc;

use crate::files::join;
use crate::template::Map;
use crate::yaml::{Node, Span, Tree};

use super::Given;

/// The mappings of resource types, for all resources or for those with a name.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    /// By type, possibly one that ends with `*`.
    pub types: Map<Target>,
    /// By the name of a resource or of the nested stack that it is, possibly with wildcards.
    pub resources: Map<Registry>,
    /// The hooks at which Heat pauses, as written.
    pub hooks: Option<Given>,
    /// The actions that Heat must not take, as written.
    pub restricted_actions: Option<Given>,
    /// The base of relative file paths, if it is not the environment that contains them.
    base: Option<String>,
}

/// The target of a mapping, and its place.
#[derive(Clone, Debug)]
pub struct Target {
    /// The target.
    pub implementation: Implementation,
    /// The file that clients send along for it: for every value without `::`.
    pub path: Option<String>,
    /// The value as written.
    pub value: Node,
    /// The environment file.
    pub file: Arc<str>,
    /// The place of the type's name.
    pub name_span: Span,
}

/// The implementation of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Implementation {
    /// A template, which becomes a separate stack. This is its path.
    Template(String),
    /// A resource type.
    Type(String),
}

/// Types are mapped to each other in a cycle.
struct Endless;

/// Whether the name of a type, or the target of its mapping, refers to a template.
pub fn is_template(name: &str) -> bool {
    name.ends_with(".yaml") || name.ends_with(".template")
}

impl Registry {
    pub(super) fn add(&mut self, file: &Arc<str>, section: &Node) {
        let Tree::Map(pairs) = &*section.tree else { return };
        let base = section.get("base_url").and_then(|url| url.tree.as_text());
        self.base = base.map(|url| format!("{}/", url.trim_end_matches('/'))).or(self.base.take());
        let base = base.and(self.base.clone()).unwrap_or_else(|| file.to_string());
        for pair in pairs {
            let name = pair.key.as_key();
            let given = || Given { value: pair.value.clone(), file: file.clone(), name_span: pair.key.span };
            match (&*name, &*pair.value.tree) {
                ("base_url", _) => {}
                ("hooks", _) => self.hooks = Some(given()),
                ("restricted_actions", _) => self.restricted_actions = Some(given()),
                (_, Tree::Null) => match name.strip_suffix('*') {
                    Some(prefix) => self.types.retain(|ty, _| !ty.starts_with(prefix)),
                    None => {
                        self.types.shift_remove(&name);
                    }
                },
                ("resources", Tree::Map(resources)) => {
                    for resource in resources {
                        let scoped = self.resources.entry(resource.key.as_key()).or_default();
                        scoped.add_scoped(file, &base, &resource.value, true);
                    }
                }
                (_, Tree::Text { text, .. }) => {
                    let target = target(&name, text, &base, given());
                    self.types.insert(name, target);
                }
                _ => {}
            }
        }
    }

    /// Adds the mappings of one resource. `sent` tells whether clients look at it and send the files that it names, which
    /// they do only on the outermost level.
    fn add_scoped(&mut self, file: &Arc<str>, base: &str, section: &Node, sent: bool) {
        let Tree::Map(pairs) = &*section.tree else { return };
        let own = section.get("base_url").and_then(|url| url.tree.as_text());
        let base = own.map_or_else(|| base.to_owned(), |url| format!("{}/", url.trim_end_matches('/')));
        for pair in pairs {
            let name = pair.key.as_key();
            let given = || Given { value: pair.value.clone(), file: file.clone(), name_span: pair.key.span };
            match (&*name, &*pair.value.tree) {
                ("hooks", _) => self.hooks = Some(given()),
                ("restricted_actions", _) => self.restricted_actions = Some(given()),
                (_, Tree::Map(_)) => {
                    self.resources.entry(name).or_default().add_scoped(file, &base, &pair.value, false);
                }
                (_, Tree::Text { text, .. }) if name != "base_url" => {
                    let mut target = target(&name, text, &base, given());
                    target.path = target.path.filter(|_| sent);
                    self.types.insert(name, target);
                }
                _ => {}
            }
        }
    }

    /// The implementation of the resource `resource` of type `ty`. `known` tells which types Heat has itself. `None` if
    /// there is no such type. A type that is a template's path is not looked up in the registry.
    pub fn resolve(&self, ty: &str, resource: &str, known: &dyn Fn(&str) -> bool) -> Option<Implementation> {
        self.resolve_within(ty, resource, known, &mut 0).unwrap_or_default()
    }

    fn resolve_within(
        &self,
        ty: &str,
        resource: &str,
        known: &dyn Fn(&str) -> bool,
        steps: &mut u32,
    ) -> Result<Option<Implementation>, Endless> {
        // The depth at which Python gives up on a chain of mappings.
        *steps += 1;
        if *steps > 200 {
            return Err(Endless);
        }
        let own = self.resources.get(resource).and_then(|scoped| scoped.types.get(ty)).map(|target| (ty, target));
        let mut of_all: Vec<_> = self
            .types
            .iter()
            .filter(|(name, target)| {
                let mapped = target.value.tree.as_text().unwrap_or_default();
                // A mapping to a template is for one type, even if its name ends with a wildcard.
                let is_pattern = matches!(target.implementation, Implementation::Type(_));
                let prefix = name.strip_suffix('*').filter(|_| is_pattern);
                let glob = prefix.is_some_and(|prefix| ty != mapped && ty.starts_with(prefix));
                **name == ty || glob
            })
            .map(|(name, target)| (&**name, target))
            .collect();
        of_all.sort_by_key(|(name, _)| *name);
        for (name, target) in own.into_iter().chain(of_all) {
            let found = match &target.implementation {
                Implementation::Template(path) => Some(Implementation::Template(path.clone())),
                Implementation::Type(mapped) => {
                    let wild = name.strip_suffix('*').zip(mapped.strip_suffix('*'));
                    let mapped = match wild {
                        Some((prefix, mapped)) => format!("{mapped}{}", ty.get(prefix.len()..).unwrap_or_default()),
                        None => mapped.clone(),
                    };
                    self.resolve_within(&mapped, resource, known, steps)?
                }
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(known(ty).then(|| Implementation::Type(ty.to_owned())))
    }

    /// The registry for the stack nested as the resource `resource`: the mappings for the resources within it.
    pub fn within(&self, resource: &str) -> Self {
        let mut within = Self { types: self.types.clone(), base: self.base.clone(), ..Self::default() };
        let matching = self.resources.iter().filter(|(pattern, _)| *pattern != resource && matches(pattern, resource));
        for scoped in matching.map(|(_, scoped)| scoped).chain(self.resources.get(resource)) {
            within.resources.extend(scoped.resources.clone());
        }
        within
    }

    /// All files that it names.
    pub(crate) fn files(&self) -> Vec<(&str, &Target)> {
        let own = self.types.values().filter_map(|target| Some((target.path.as_deref()?, target)));
        own.chain(self.resources.values().flat_map(Self::files)).collect()
    }
}

fn target(name: &str, value: &str, base: &str, given: Given) -> Target {
    let path = (!value.contains("::")).then(|| join(base, value));
    let implementation = match &path {
        _ if is_template(name) => Implementation::Template(join(base, name)),
        Some(path) if is_template(value) => Implementation::Template(path.clone()),
        _ => Implementation::Type(value.to_owned()),
    };
    let Given { value, file, name_span } = given;
    Target { implementation, path, value, file, name_span }
}

/// Whether `name` matches `pattern`, in which `*` stands for any text and `?` for any character.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut on) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while on < name.len() {
        match pattern.get(at) {
            Some('*') => {
                back = Some((at + 1, on));
                at += 1;
            }
            Some(&character) if character == '?' || character == name[on] => {
                at += 1;
                on += 1;
            }
            _ => match back {
                Some((after, from)) => {
                    at = after;
                    on = from + 1;
                    back = Some((after, on));
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|&character| character == '*')
}

#[cfg(test)]
mod tests {
    use super::super::Environment;
    use super::*;

    fn known(ty: &str) -> bool {
        ty.starts_with("OS::Nova::") || ty == "OS::Heat::None"
    }

    fn resolve(text: &str, ty: &str, resource: &str) -> Option<Implementation> {
        let text = format!("resource_registry: {text}");
        Environment::read([("env/e.yaml", &*text)]).registry.resolve(ty, resource, &known)
    }

    #[test]
    fn types_stand_for_templates_and_other_types() {
        let template = |path: &str| Some(Implementation::Template(path.into()));
        let ty = |name: &str| Some(Implementation::Type(name.into()));
        assert_eq!(resolve("{}", "OS::Nova::Server", "s"), ty("OS::Nova::Server"));
        assert_eq!(resolve("{}", "My::Server", "s"), None);
        assert_eq!(resolve("{My::Server: ../s.yaml}", "My::Server", "s"), template("s.yaml"));
        assert_eq!(resolve("{My::Server: OS::Nova::Server}", "My::Server", "s"), ty("OS::Nova::Server"));
        assert_eq!(resolve("{'My::*': 'OS::Nova::*'}", "My::Flavor", "s"), ty("OS::Nova::Flavor"));
        assert_eq!(resolve("{'My::*': OS::Heat::None}", "My::Flavor", "s"), ty("OS::Heat::None"));
        assert_eq!(resolve("{A: B, B: A}", "A", "s"), None);
        assert_eq!(resolve("{'OS::Nova::S*': 'OS::Nova::S*'}", "OS::Nova::Server", "s"), None);
        assert_eq!(resolve("{base_url: /x, A: a.yaml}", "A", "s"), template("/x/a.yaml"));
        let scoped = "{A: a.yaml, resources: {s: {A: b.yaml}}}";
        assert_eq!(resolve(scoped, "A", "s"), template("env/b.yaml"));
        assert_eq!(resolve(scoped, "A", "other"), template("env/a.yaml"));
    }

    #[test]
    fn nested_stacks_have_what_is_said_for_them() {
        let text = "resource_registry: {resources: {'gr*': {inner: {A: a.yaml}}, other: {inner: {A: b.yaml}}}}";
        let registry = Environment::read([("e.yaml", text)]).registry.within("group");
        assert_eq!(registry.resolve("A", "inner", &known), Some(Implementation::Template("a.yaml".into())));
        assert_eq!(registry.resolve("A", "s", &known), None);
    }

    #[test]
    fn patterns_match_whole_names() {
        assert!(matches("*_db", "my_db") && matches("a?c", "abc") && matches("*", "") && matches("a*b*c", "aXbYc"));
        assert!(!matches("*_db", "db") && !matches("a", "ab") && !matches("?", ""));
    }
}
