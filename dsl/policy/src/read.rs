//! The file in which a team declares which policies apply and what they allow.

use std::fmt;

use wattle_heat::yaml::{self, Node, Pair, Place, Tree};
use wattle_model::Severity;
use wattle_model::names::{list, meant};

use crate::{Policies, Policy, Rule};

/// The setting that every policy takes in addition to its own.
const SEVERITY: &str = "severity";

/// Why a policy file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// What is wrong.
    pub message: String,
    /// Where in the file, if that is known.
    pub at: Option<Place>,
    /// How to fix it.
    pub help: Vec<String>,
}

impl Refused {
    /// A refusal without a place and without help.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), at: None, help: Vec::new() }
    }

    /// Adds a way to fix it.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    fn nearest<'n>(self, name: &str, known: impl IntoIterator<Item = &'n str>) -> Self {
        match meant(name, known) {
            Some(help) => self.help(help),
            None => self,
        }
    }

    /// Adds a place, unless there is one.
    fn or_at(self, node: &Node) -> Self {
        Self { at: self.at.or(Some(node.span.start)), ..self }
    }
}

/// The settings that a file gives for one policy.
#[derive(Clone, Copy, Debug)]
pub struct PolicySettings<'f> {
    policy: &'static str,
    /// A map, or null if there are none.
    settings: &'f Node,
}

impl PolicySettings<'_> {
    /// A list of texts. What YAML takes for a number or a boolean is a text here, as it is written.
    ///
    /// # Errors
    /// The setting is something else, or missing.
    pub fn texts(&self, name: &str) -> Result<Vec<String>, Refused> {
        self.texts_or_none(name)?.ok_or_else(|| {
            Refused::new(format!("the policy `{}` needs `{name}`", self.policy))
                .help(format!("add it: `{}: {{{name}: [...]}}`", self.policy))
        })
    }

    /// A list of texts that may be missing.
    ///
    /// # Errors
    /// The setting is something else.
    pub fn texts_or_none(&self, name: &str) -> Result<Option<Vec<String>>, Refused> {
        let Some(value) = self.settings.get(name) else { return Ok(None) };
        let refused = |node: &Node| {
            Refused::new(format!("`{name}` of the policy `{}` is not a list of strings", self.policy)).or_at(node)
        };
        let Tree::List(items) = &*value.tree else { return Err(refused(value)) };
        let texts: Result<Vec<String>, Refused> =
            items.iter().map(|item| text(item).ok_or_else(|| refused(item))).collect();
        texts.map(Some)
    }

    /// Refuses one of its settings.
    pub fn refuse(&self, name: &str, why: impl fmt::Display) -> Refused {
        let refused = Refused::new(format!("`{name}` of the policy `{}`: {why}", self.policy));
        match self.settings.get(name) {
            Some(value) => refused.or_at(value),
            None => refused,
        }
    }

    /// Refuses one item of a list that is one of its settings. The first item has the index 0.
    pub fn refuse_item(&self, name: &str, index: usize, why: impl fmt::Display) -> Refused {
        let refused = self.refuse(name, why);
        let item = self.settings.get(name).and_then(|value| match &*value.tree {
            Tree::List(items) => items.get(index),
            _ => None,
        });
        Refused { at: item.map(|item| item.span.start).or(refused.at), ..refused }
    }
}

/// The text of an item of a list.
fn text(item: &Node) -> Option<String> {
    let plain = match &*item.tree {
        Tree::Text { text, .. } => text.clone(),
        Tree::Boolean(value) => value.to_string(),
        Tree::Integer(value) => value.to_string(),
        Tree::Float(value) => value.to_string(),
        Tree::Null | Tree::List(_) | Tree::Map(_) => return None,
    };
    Some(item.written().map_or(plain, str::to_owned))
}

impl Policies {
    /// Reads a policy file, which is YAML: a map from each policy's name to its settings. `known` are the available
    /// policies: [`ALL`](crate::ALL), and a team's own.
    ///
    /// Every policy also takes `severity`, which is `error` or `warning`.
    ///
    /// # Errors
    /// The text is not a policy file, or names an unknown policy or setting.
    pub fn read(text: &str, known: &[Policy]) -> Result<Self, Refused> {
        let file = yaml::read(text).map_err(unreadable)?;
        let form = |node: &Node| {
            Refused::new("it is not a map of policies")
                .help("write, for example, `images: {allowed: [debian-12]}`")
                .or_at(node)
        };
        let Tree::Map(pairs) = &*file.tree else { return Err(form(&file)) };
        let mut rules: Vec<Rule> = Vec::new();
        for Pair { key, value, .. } in pairs {
            let name = key.tree.as_text().ok_or_else(|| form(key))?;
            if rules.iter().any(|rule| rule.name == name) {
                return Err(Refused::new(format!("the policy `{name}` appears twice")).or_at(key));
            }
            rules.push(rule(name, value, known).map_err(|refused| refused.or_at(key))?);
        }
        Ok(Self { rules })
    }
}

fn unreadable(error: yaml::Error) -> Refused {
    let refused = Refused { at: Some(error.span.start), ..Refused::new(error.problem.to_string()) };
    match error.help() {
        Some(help) => refused.help(help),
        None => refused,
    }
}

fn rule(name: &str, settings: &Node, known: &[Policy]) -> Result<Rule, Refused> {
    let names = || known.iter().map(|policy| policy.name);
    let policy = known.iter().find(|policy| policy.name == name).ok_or_else(|| {
        let refused = Refused::new(format!("there is no policy `{name}`")).nearest(name, names());
        let own = "your own policies are known only to the program that passes them to `wattle::main_with`";
        refused.help(format!("the policies are {}; {own}", list(names(), "and")))
    })?;
    let pairs: &[Pair] = match &*settings.tree {
        Tree::Null => &[],
        Tree::Map(pairs) => pairs,
        _ => return Err(Refused::new(format!("the settings of the policy `{name}` are not a map")).or_at(settings)),
    };
    let takes = || policy.settings.iter().copied().chain([SEVERITY]);
    for (index, Pair { key, .. }) in pairs.iter().enumerate() {
        let setting = key.tree.as_text().unwrap_or_default();
        if !takes().any(|known| known == setting) {
            let refused = Refused::new(format!("the policy `{name}` takes no `{setting}`")).nearest(setting, takes());
            return Err(refused.help(format!("its settings are {}", list(takes(), "and"))).or_at(key));
        }
        if pairs[..index].iter().any(|other| other.key.tree.as_text() == Some(setting)) {
            return Err(Refused::new(format!("`{setting}` appears twice in the policy `{name}`")).or_at(key));
        }
    }
    let given = PolicySettings { policy: policy.name, settings };
    let severity = match settings.get(SEVERITY).map(|severity| severity.tree.as_text().unwrap_or_default()) {
        None => None,
        Some("error") => Some(Severity::Error),
        Some("warning") => Some(Severity::Warning),
        Some(_) => return Err(given.refuse(SEVERITY, "it must be `error` or `warning`")),
    };
    Ok(Rule { name: name.to_owned(), severity, look: policy.look(&given)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ALL;

    /// The place of what is refused, why, and how to fix it.
    fn refused(text: &str) -> String {
        let Refused { message, at, help } = Policies::read(text, ALL).expect_err(text);
        let at = at.map_or("nowhere".to_owned(), |at| at.to_string());
        format!("{at}: {}", [message].into_iter().chain(help).collect::<Vec<_>>().join("; "))
    }

    #[test]
    fn what_is_meant_is_said() {
        for (text, expected) in [
            (
                "image: {allowed: [a]}",
                "1:1: there is no policy `image`; did you mean `images`?; the policies are `tags`, `open-ports` and `images`; your own policies are known only to the program that passes them to `wattle::main_with`",
            ),
            (
                "tags: {required: [a]}\nopen_ports: {}",
                "2:1: there is no policy `open_ports`; did you mean `open-ports`?; the policies are `tags`, `open-ports` and `images`; your own policies are known only to the program that passes them to `wattle::main_with`",
            ),
            (
                "images: {alowed: [a]}",
                "1:10: the policy `images` takes no `alowed`; did you mean `allowed`?; its settings are `allowed` and `severity`",
            ),
            ("\nimages:", "2:1: the policy `images` needs `allowed`; add it: `images: {allowed: [...]}`"),
            ("images: {allowed: debian}", "1:19: `allowed` of the policy `images` is not a list of strings"),
            (
                "images:\n  allowed:\n    - debian\n    - [a]\n",
                "4:7: `allowed` of the policy `images` is not a list of strings",
            ),
            ("images: [debian]", "1:9: the settings of the policy `images` are not a map"),
            (
                "images: {allowed: [a], severity: fatal}",
                "1:34: `severity` of the policy `images`: it must be `error` or `warning`",
            ),
            ("- images", "1:1: it is not a map of policies; write, for example, `images: {allowed: [debian-12]}`"),
            ("images: {allowed: [a]}\nimages: {allowed: [b]}", "2:1: the policy `images` appears twice"),
            ("images: {allowed: [a], allowed: [b]}", "1:24: `allowed` appears twice in the policy `images`"),
            (
                "open-ports: {allowed: [443, 80-70]}",
                "1:29: `allowed` of the policy `open-ports`: `80-70` is not a port, a range of ports or a protocol; write, for example, `443`, `8000-8099`, `53/udp` or `icmp`",
            ),
            (
                "tags: {required: [owner], types: [OS::Nova::Sever]}",
                "1:35: `types` of the policy `tags`: `OS::Nova::Sever` has no labels; did you mean `OS::Nova::Server`?",
            ),
            (
                "open-ports: {allowed: [443, 80/tcpp]}",
                "1:29: `allowed` of the policy `open-ports`: `80/tcpp` names the protocol `tcpp`, which Neutron does not know; did you mean `tcp`?",
            ),
            (
                "tags: {required: []}",
                "1:18: `required` of the policy `tags`: the list is empty, so no label is required; name the labels: `required: [owner]`",
            ),
            (
                "tags: {required: [owner], types: []}",
                "1:34: `types` of the policy `tags`: the list is empty, so no resource needs labels; leave it out for servers and volumes",
            ),
            ("a: [", "1:4: the `[` is never closed; close it; quote a bracket that is text"),
        ] {
            assert_eq!(refused(text), expected, "{text}");
        }
    }

    #[test]
    fn words_are_taken_as_they_are_written() {
        let node = yaml::read("[a, '1', 0644, 1.10, on]").expect("YAML");
        let settings = yaml::read("{\"allowed\": [443]}").expect("JSON");
        let Tree::List(items) = &*node.tree else { panic!("a list") };
        let texts: Vec<_> = items.iter().filter_map(text).collect();
        assert_eq!(texts, ["a", "1", "0644", "1.10", "on"]);
        let given = PolicySettings { policy: "open-ports", settings: &settings };
        assert_eq!(given.texts("allowed").expect("a list"), ["443"]);
    }

    #[test]
    fn an_empty_file_asks_for_nothing() {
        assert!(Policies::read("{}", ALL).expect("a file").is_empty());
    }
}
