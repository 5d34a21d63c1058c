//! Decides which software deployments become components: those that a component can express in full.
//!
//! A deployment of a script becomes a component if nothing else in the stack refers to it or to its config, if it runs
//! whenever its server is created or changed, and if its server exists only for such software. Everything else remains a
//! resource, and [`Software::stays`] contains the reason.

use std::collections::{HashMap, HashSet};

use wattle_model::IndexMap;
use wattle_recipe::environment::is_taken;
use wattle_recipe::{Tool, analyse, never_written};

use wattle_heat::Loaded;
use wattle_heat::files::join;
use wattle_heat::template::{Call, Context, Function, Resource, Step, Template, walk};
use wattle_heat::yaml::{Node, Tree};

use super::names::snake;
use super::valued::entries;

const CONFIG: &str = "OS::Heat::SoftwareConfig";
const DEPLOYMENT: &str = "OS::Heat::SoftwareDeployment";

/// Server attributes that the server's agent provides.
const PUBLISHED: [&str; 3] = ["first_address", "networks", "accessIPv4"];

/// The result for a template's software.
#[derive(Debug, Default)]
pub(super) struct Software<'a> {
    /// Component types, by the names of their configs.
    pub(super) configs: IndexMap<&'a str, Config>,
    /// Components, by the names of their deployments, each after those whose outputs it reads.
    pub(super) deployments: IndexMap<&'a str, Deployment<'a>>,
    /// The servers that they run on.
    pub(super) servers: HashSet<&'a str>,
    /// Resources that remain resources, by name, with the reason.
    pub(super) stays: Vec<(&'a str, String)>,
}

/// A config that becomes a component type.
#[derive(Clone, Debug)]
pub(super) struct Config {
    /// The recipe.
    pub(super) script: String,
    /// Names, defaults and descriptions.
    pub(super) inputs: Vec<(String, Option<String>, String)>,
    /// Names and descriptions.
    pub(super) outputs: Vec<(String, String)>,
}

/// A deployment that becomes a component.
#[derive(Clone, Debug)]
pub(super) struct Deployment<'a> {
    pub(super) config: &'a str,
    pub(super) server: &'a str,
    pub(super) inputs: Vec<(String, &'a Node)>,
    /// Deployments that run before it without their outputs being read.
    pub(super) after: Vec<&'a str>,
}

impl<'a> Software<'a> {
    /// Analyses the software of the template of `loaded`.
    pub(super) fn of(loaded: &'a Loaded) -> Self {
        let template: &'a Template = &loaded.template;
        let mut software = Self::default();
        let mut configs = IndexMap::default();
        let mut deployments = IndexMap::default();
        for (name, resource) in &template.resources {
            let read = match resource.kind() {
                Some(CONFIG) => config(loaded, resource).map(|config| {
                    configs.insert(name.as_str(), config);
                }),
                Some(DEPLOYMENT) => deployment(template, resource).map(|deployment| {
                    deployments.insert(name.as_str(), deployment);
                }),
                Some("OS::Heat::WaitCondition" | "AWS::CloudFormation::WaitCondition") => {
                    Err("only a script decides what signals it".into())
                }
                Some(ty) if is_software(ty) => Err(format!("a component cannot express `{ty}`")),
                _ => Ok(()),
            };
            if let Err(why) = read {
                software.stays.push((name, why));
            }
        }
        // A deployment that remains may prevent others from becoming components.
        loop {
            let refused = deployments
                .iter()
                .find_map(|(name, one)| refusal(template, name, one, &configs, &deployments).map(|why| (*name, why)));
            let Some((name, why)) = refused else { break };
            deployments.shift_remove(name);
            software.stays.push((name, why));
        }
        for (name, config) in configs {
            if deployments.values().any(|one| one.config == name) {
                software.configs.insert(name, config);
            } else {
                software.stays.push((name, "none of its deployments becomes a component".into()));
            }
        }
        software.servers = deployments.values().map(|one| one.server).collect();
        software.sort(template, deployments);
        software
    }

    /// Whether a component replaces the resource.
    pub(super) fn has(&self, name: &str) -> bool {
        self.configs.contains_key(name) || self.deployments.contains_key(name)
    }

    fn sort(&mut self, template: &Template, mut waiting: IndexMap<&'a str, Deployment<'a>>) {
        while !waiting.is_empty() {
            let ready = waiting.iter().position(|(_, one)| {
                let reads = one.inputs.iter().filter_map(|(_, node)| output(template, node)).map(|(name, _)| name);
                reads.chain(one.after.iter().copied()).all(|name| !waiting.contains_key(name))
            });
            // Heat refuses a cycle.
            let (name, one) = waiting.shift_remove_index(ready.unwrap_or(0)).expect("INVARIANT: one is waiting");
            self.deployments.insert(name, one);
        }
    }
}

fn is_software(ty: &str) -> bool {
    ty.strip_prefix("OS::Heat::")
        .is_some_and(|ty| ["Software", "Structured"].iter().any(|start| ty.starts_with(start)) || ty == "WaitCondition")
}

/// The deployment and output that the value refers to, if any.
pub(super) fn output<'n>(template: &Template, node: &'n Node) -> Option<(&'n str, &'n str)> {
    let call = Call::of(node, template.version()).filter(|call| call.function == Function::GetAttr)?;
    match call.arguments()? {
        [name, output] => Some((name.tree.as_text()?, output.tree.as_text()?)),
        _ => None,
    }
}

fn has_settings(resource: &Resource) -> bool {
    [&resource.condition, &resource.metadata, &resource.deletion_policy, &resource.update_policy, &resource.external_id]
        .iter()
        .any(|setting| setting.is_some())
}

fn properties<'n>(template: &Template, resource: &'n Resource) -> Option<Vec<(String, &'n Node)>> {
    let node = resource.properties.as_ref()?;
    match &*node.tree {
        Tree::Map(pairs) if Call::of(node, template.version()).is_none() => Some(entries(pairs)),
        _ => None,
    }
}

fn get<'n>(entries: &[(String, &'n Node)], name: &str) -> Option<&'n Node> {
    entries.iter().find(|(key, _)| key == name).map(|(_, value)| *value)
}

/// The resource whose identity is the value.
fn resource_of<'n>(template: &Template, node: &'n Node) -> Option<&'n str> {
    let call = Call::of(node, template.version()).filter(|call| call.function == Function::GetResource)?;
    call.argument.tree.as_text()
}

fn config(loaded: &Loaded, resource: &Resource) -> Result<Config, String> {
    let template = &loaded.template;
    if has_settings(resource) || resource.depends_on().next().is_some() {
        return Err("it has settings besides its properties".into());
    }
    let properties = properties(template, resource).ok_or("its properties are computed")?;
    if let Some((key, _)) =
        properties.iter().find(|(key, _)| !["group", "config", "inputs", "outputs"].contains(&&**key))
    {
        return Err(format!("a component has no `{key}`"));
    }
    match get(&properties, "group").and_then(|group| group.tree.as_text()) {
        Some("script") => {}
        Some("salt") => {
            return Err("Heat passes its inputs as options of the minion, but a component as the pillar".into());
        }
        _ => return Err("its group is not `script`".into()),
    }
    let script = get(&properties, "config").and_then(|config| match Call::of(config, template.version()) {
        None => config.tree.as_text(),
        Some(call) if call.function == Function::GetFile => {
            let path = join(&template.file, call.argument.tree.as_text()?);
            loaded.content(&path)?.ok()
        }
        Some(_) => None,
    });
    let script = script.ok_or("its script is computed")?;
    let first = script.lines().next().unwrap_or_default();
    if !(first.starts_with("#!") && first.ends_with("sh")) || script.contains('\r') {
        return Err("its script is not a shell script".into());
    }
    if script.contains("deploy_") {
        return Err("its script may read what Heat provides about a deployment".into());
    }
    let mut inputs = Vec::new();
    for entry in declared(&properties, "inputs")? {
        let default = match get(&entry, "default").map(|node| &*node.tree) {
            None | Some(Tree::Null) => None,
            Some(Tree::Text { text, .. }) => Some(text.clone()),
            Some(Tree::Integer(number)) => Some(number.to_string()),
            Some(_) => return Err("an input has a default that is not text".into()),
        };
        inputs.push((name_of(&entry)?, default, description(&entry)));
    }
    let mut outputs = Vec::new();
    for entry in declared(&properties, "outputs")? {
        if get(&entry, "error_output").is_some_and(Node::is_truthy) {
            return Err("an output of it reports a failure".into());
        }
        outputs.push((name_of(&entry)?, description(&entry)));
    }
    let names: HashSet<&String> =
        inputs.iter().map(|(name, ..)| name).chain(outputs.iter().map(|(name, _)| name)).collect();
    if names.len() != inputs.len() + outputs.len() {
        return Err("an input and an output have the same name".into());
    }
    let analysis = analyse(Tool::Shell, script).map_err(|_| "its script cannot be a recipe")?;
    if let Some(output) = never_written(&analysis, outputs.iter().map(|(name, _)| name.as_str())).first() {
        return Err(format!("its script never writes `{output}`"));
    }
    Ok(Config { script: script.to_owned(), inputs, outputs })
}

/// The inputs or outputs of a config.
fn declared<'n>(properties: &[(String, &'n Node)], section: &str) -> Result<Vec<Vec<(String, &'n Node)>>, String> {
    let Some(node) = get(properties, section) else { return Ok(Vec::new()) };
    let Tree::List(items) = &*node.tree else { return Err(format!("its {section} are computed")) };
    items
        .iter()
        .map(|item| match &*item.tree {
            Tree::Map(pairs) => {
                let entry = entries(pairs);
                let is_text = get(&entry, "type").is_none_or(|ty| ty.tree.as_text() == Some("String"));
                let known = ["name", "type", "default", "description", "error_output"];
                if is_text && entry.iter().all(|(key, _)| known.contains(&&**key)) {
                    Ok(entry)
                } else {
                    Err(format!("its {section} are more than text"))
                }
            }
            _ => Err(format!("its {section} are computed")),
        })
        .collect()
}

/// A name that is valid both for a Rust field and for a shell variable.
fn name_of(entry: &[(String, &Node)]) -> Result<String, String> {
    let name = get(entry, "name").and_then(|name| name.tree.as_text()).ok_or("an input or output has no name")?;
    let is_field = snake(name) == name && !name.ends_with('_') && name.is_ascii();
    if is_field && !["new", "handle", "component"].contains(&name) && !is_taken(name) {
        Ok(name.to_owned())
    } else {
        Err(format!("`{name}` cannot be a field of a component"))
    }
}

fn description(entry: &[(String, &Node)]) -> String {
    get(entry, "description").and_then(|text| text.tree.as_text()).unwrap_or_default().to_owned()
}

fn deployment<'a>(template: &'a Template, resource: &'a Resource) -> Result<Deployment<'a>, String> {
    if has_settings(resource) {
        return Err("it has settings besides its properties".into());
    }
    let properties = properties(template, resource).ok_or("its properties are computed")?;
    let known = ["config", "server", "input_values", "name", "actions", "signal_transport"];
    if let Some((key, _)) = properties.iter().find(|(key, _)| !known.contains(&&**key)) {
        return Err(format!("a component has no `{key}`"));
    }
    if let Some(actions) = get(&properties, "actions") {
        let Tree::List(items) = &*actions.tree else { return Err("its actions are computed".into()) };
        let mut actions: Vec<Option<&str>> = items.iter().map(|item| item.tree.as_text()).collect();
        actions.sort_unstable();
        if actions != [Some("CREATE"), Some("UPDATE")] {
            return Err("a component runs when it is new and when it has changed, but this runs at other times".into());
        }
    }
    if get(&properties, "signal_transport").is_some_and(|node| node.tree.as_text() == Some("NO_SIGNAL")) {
        return Err("nothing waits for it to end, unlike for a component".into());
    }
    let of = |key: &str| get(&properties, key).and_then(|node| resource_of(template, node));
    let config = of("config").ok_or("its config is not in this template")?;
    let server = of("server").ok_or("its server is not in this template")?;
    let inputs = match get(&properties, "input_values").map(|node| (node, &*node.tree)) {
        None => Vec::new(),
        Some((node, Tree::Map(pairs))) if Call::of(node, template.version()).is_none() => entries(pairs),
        Some(_) => return Err("its inputs are computed".into()),
    };
    Ok(Deployment { config, server, inputs, after: resource.depends_on().map(|(name, _)| name).collect() })
}

/// Why a deployment remains a resource, given the others that do.
fn refusal(
    template: &Template,
    name: &str,
    one: &Deployment<'_>,
    configs: &IndexMap<&str, Config>,
    deployments: &IndexMap<&str, Deployment<'_>>,
) -> Option<String> {
    let Some(config) = configs.get(one.config) else {
        return Some(format!("its config `{}` stays a resource", one.config));
    };
    if let Some(other) = one.after.iter().find(|other| !deployments.contains_key(*other)) {
        return Some(format!("it depends on `{other}`, which stays a resource"));
    }
    let server = template.resources.get(one.server).filter(|server| server.kind() == Some("OS::Nova::Server"));
    let Some(given) = server.and_then(|server| properties(template, server)) else {
        return Some(format!("`{}` is not a server of this template", one.server));
    };
    let format = get(&given, "user_data_format").and_then(|format| format.tree.as_text());
    if format != Some("SOFTWARE_CONFIG") || get(&given, "user_data").is_some() {
        return Some(format!("its server `{}` has its own user data", one.server));
    }
    if get(&given, "software_config_transport").is_some() || server.is_some_and(|server| server.condition.is_some()) {
        return Some(format!("its server `{}` has a `software_config_transport` or a condition", one.server));
    }
    for (input, value) in &one.inputs {
        if !config.inputs.iter().any(|(known, ..)| known == input) {
            return Some(format!("its config does not declare the input `{input}`"));
        }
        if matches!(&*value.tree, Tree::Null | Tree::Boolean(_) | Tree::Float(_) | Tree::List(_))
            || matches!(&*value.tree, Tree::Map(_)) && Call::of(value, template.version()).is_none()
        {
            return Some(format!("its input `{input}` is not text"));
        }
        if let Some(attribute) = strange_attribute(template, value) {
            return Some(format!("its input `{input}` reads `{attribute}` of a server, which no agent knows"));
        }
    }
    let missing = config
        .inputs
        .iter()
        .find(|(input, default, _)| default.is_none() && !one.inputs.iter().any(|(given, _)| given == input));
    if let Some((input, ..)) = missing {
        return Some(format!("its input `{input}` has no value"));
    }
    let (all, allowed) = (mentions(template), allowed(template, configs, deployments));
    let is_alone = |name: &str| all.get(name).copied().unwrap_or(0) == allowed.get(name).copied().unwrap_or(0);
    if !is_alone(name) {
        return Some("something that Heat creates or shows reads it".into());
    }
    if !is_alone(one.config) {
        return Some(format!("its config `{}` is also used elsewhere", one.config));
    }
    let other = template.resources.iter().find(|(other, resource)| {
        let is_other = !deployments.contains_key(other.as_str()) && resource.kind().is_some_and(is_software);
        is_other && resource.properties.as_ref().is_some_and(|node| names(template, node).contains(&one.server))
    });
    other.map(|(other, _)| format!("its server `{}` also runs `{other}`, which stays a resource", one.server))
}

/// A server attribute that the server's agent does not provide.
fn strange_attribute(template: &Template, node: &Node) -> Option<String> {
    let mut found = None;
    walk(node, template.version(), Context::Value, &mut |_, call, _| {
        if let Some([name, attribute, ..]) =
            call.filter(|call| call.function == Function::GetAttr).and_then(Call::arguments)
        {
            let resource = name.tree.as_text().and_then(|name| template.resources.get(name));
            let is_server = resource.and_then(Resource::kind) == Some("OS::Nova::Server");
            let attribute = attribute.tree.as_text().unwrap_or("a computed attribute");
            if is_server && !PUBLISHED.contains(&attribute) {
                found = Some(attribute.to_owned());
            }
        }
        Step::Into
    });
    found
}

/// The resources that a value refers to.
fn names<'n>(template: &Template, node: &'n Node) -> Vec<&'n str> {
    let mut found = Vec::new();
    walk(node, template.version(), Context::Value, &mut |_, call, _| {
        if let Some(call) = call {
            found.extend(match call.function {
                Function::Ref => call.argument.tree.as_text(),
                _ => call.resource(),
            });
        }
        Step::Into
    });
    found
}

/// The number of references to each resource.
fn mentions(template: &Template) -> HashMap<&str, usize> {
    let mut count = HashMap::new();
    for section in ["resources", "outputs"].iter().filter_map(|name| template.root.get(name)) {
        for name in names(template, section) {
            *count.entry(name).or_default() += 1;
        }
    }
    for resource in template.resources.values() {
        for (name, _) in resource.depends_on() {
            *count.entry(name).or_default() += 1;
        }
    }
    count
}

/// The number of references that the deployments that become components account for.
fn allowed<'n>(
    template: &Template,
    configs: &IndexMap<&str, Config>,
    deployments: &IndexMap<&str, Deployment<'n>>,
) -> HashMap<&'n str, usize> {
    let mut count = HashMap::new();
    for one in deployments.values() {
        *count.entry(one.config).or_default() += 1;
        for name in &one.after {
            *count.entry(*name).or_default() += 1;
        }
        for (name, output) in one.inputs.iter().filter_map(|(_, node)| self::output(template, node)) {
            let declared = deployments.get(name).and_then(|other| configs.get(other.config));
            if declared.is_some_and(|config| config.outputs.iter().any(|(known, _)| known == output)) {
                *count.entry(name).or_default() += 1;
            }
        }
    }
    count
}
