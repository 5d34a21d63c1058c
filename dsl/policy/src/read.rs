//! The file in which a team declares which policies apply and what they allow.

use serde_yaml::{Mapping, Value};
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
    /// How to fix it.
    pub help: Vec<String>,
}

impl Refused {
    /// A refusal without help.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: Vec::new() }
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
}

/// The settings that a file gives for one policy.
#[derive(Clone, Copy, Debug)]
pub struct PolicySettings<'f> {
    policy: &'static str,
    settings: &'f Mapping,
}

impl PolicySettings<'_> {
    /// A list of texts. Numbers are taken as they are written.
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
        let text = |item: &Value| match item {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        let texts = value.as_sequence().and_then(|items| items.iter().map(text).collect());
        let refused = || Refused::new(format!("`{name}` of the policy `{}` is not a list of texts", self.policy));
        texts.map(Some).ok_or_else(refused)
    }

    /// Refuses one of its settings.
    pub fn refuse(&self, name: &str, why: impl std::fmt::Display) -> Refused {
        Refused::new(format!("`{name}` of the policy `{}`: {why}", self.policy))
    }
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
        let file: Value =
            serde_yaml::from_str(text).map_err(|error| Refused::new(format!("it is not YAML: {error}")))?;
        let form =
            || Refused::new("it is not a map of policies").help("write, for example, `images: {allowed: [debian-12]}`");
        let file = file.as_mapping().ok_or_else(form)?;
        let rules = file.iter().map(|(name, settings)| rule(name.as_str().ok_or_else(form)?, settings, known));
        Ok(Self { rules: rules.collect::<Result<_, Refused>>()? })
    }
}

fn rule(name: &str, settings: &Value, known: &[Policy]) -> Result<Rule, Refused> {
    let names = || known.iter().map(|policy| policy.name);
    let policy = known.iter().find(|policy| policy.name == name).ok_or_else(|| {
        let refused = Refused::new(format!("there is no policy `{name}`")).nearest(name, names());
        refused.help(format!("the policies are {}", list(names(), "and")))
    })?;
    let none = Mapping::new();
    let settings = match settings {
        Value::Null => &none,
        Value::Mapping(settings) => settings,
        _ => return Err(Refused::new(format!("the settings of the policy `{name}` are not a map"))),
    };
    let takes = || policy.settings.iter().copied().chain([SEVERITY]);
    for key in settings.keys() {
        let key = key.as_str().unwrap_or_default();
        if !takes().any(|setting| setting == key) {
            let refused = Refused::new(format!("the policy `{name}` takes no `{key}`")).nearest(key, takes());
            return Err(refused.help(format!("its settings are {}", list(takes(), "and"))));
        }
    }
    let given = PolicySettings { policy: policy.name, settings };
    let severity = match settings.get(SEVERITY).map(|severity| severity.as_str().unwrap_or_default()) {
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

    fn refused(text: &str) -> String {
        let refused = Policies::read(text, ALL).expect_err(text);
        [refused.message].into_iter().chain(refused.help).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn what_is_meant_is_said() {
        for (text, told) in [
            (
                "image: {allowed: [a]}",
                "there is no policy `image`; did you mean `images`?; the policies are `tags`, `open-ports` and `images`",
            ),
            (
                "open_ports: {}",
                "there is no policy `open_ports`; did you mean `open-ports`?; the policies are `tags`, `open-ports` and `images`",
            ),
            (
                "images: {alowed: [a]}",
                "the policy `images` takes no `alowed`; did you mean `allowed`?; its settings are `allowed` and `severity`",
            ),
            ("images:", "the policy `images` needs `allowed`; add it: `images: {allowed: [...]}`"),
            ("images: {allowed: debian}", "`allowed` of the policy `images` is not a list of texts"),
            ("images: [debian]", "the settings of the policy `images` are not a map"),
            (
                "images: {allowed: [a], severity: fatal}",
                "`severity` of the policy `images`: it must be `error` or `warning`",
            ),
            ("- images", "it is not a map of policies; write, for example, `images: {allowed: [debian-12]}`"),
            (
                "open-ports: {allowed: [80-70]}",
                "`allowed` of the policy `open-ports`: `80-70` is not a port, a range of ports or a protocol; write, for example, `443`, `8000-8099`, `53/udp` or `icmp`",
            ),
            (
                "tags: {required: [owner], types: [OS::Nova::Sever]}",
                "`types` of the policy `tags`: `OS::Nova::Sever` has no labels; did you mean `OS::Nova::Server`?",
            ),
        ] {
            assert_eq!(refused(text), told, "{text}");
        }
        assert!(refused("a: [").starts_with("it is not YAML: "), "{}", refused("a: ["));
    }

    #[test]
    fn an_empty_file_asks_for_nothing() {
        assert!(Policies::read("{}", ALL).expect("a file").is_empty());
    }
}
