//! The outputs of a deployed template.

use serde_json::Value;
use wattle::values;
use wattle_deploy::{Output, secret_outputs};
use wattle_openstack::Fault;

use crate::cli::entries::one_line;
use crate::cli::error::CommandError;
use crate::cli::paint::{Cell, Tone, table};
use crate::deploy::{Deployment, standing};
use crate::openstack::{TemplateSource, Templates};

use super::site::Site;

/// An output in displayed form.
enum Shown {
    Secret,
    Value(String),
    /// The reason why it is unknown.
    Unknown(String),
}

/// The outputs, one on each line. Secrets are not shown.
pub(super) async fn outputs(site: &Site, color: bool) -> Result<String, CommandError> {
    let Some((_, source)) = site.present().await? else { return Ok(String::new()) };
    let outputs = if site.is_heats {
        match of_heat(site, &source).await {
            Ok(outputs) => outputs,
            // The stack is up, whatever happens to its outputs.
            Err(fault) => return Ok(format!("  (the outputs are not known: {})\n", one_line(&fault.to_string()))),
        }
    } else {
        of_wattle(site, &source).await?
    };
    let line = |(name, shown): (String, Shown)| -> Vec<Cell> {
        let cell = match shown {
            Shown::Secret => ("(secret)".into(), Tone::Waiting),
            Shown::Value(text) => (one_line(&text), Tone::Good),
            Shown::Unknown(why) => (format!("(not known: {})", one_line(&why)), Tone::Faint),
        };
        vec![(format!("  {name}"), Tone::Plain), cell]
    };
    let rows: Vec<Vec<Cell>> = outputs.into_iter().map(line).collect();
    Ok(table(&rows, color, usize::MAX / 2))
}

async fn of_wattle(site: &Site, source: &TemplateSource) -> Result<Vec<(String, Shown)>, CommandError> {
    let Deployment { store, stack, key, .. } = &site.deployment;
    let Ok(target) = Templates::default().target(source) else { return Ok(Vec::new()) };
    let there = standing(&Deployment::rows(store, stack, key).await?);
    let shown = |Output { name, is_secret, value, .. }: Output| {
        let shown = match value {
            _ if is_secret => Shown::Secret,
            Ok(value) => Shown::Value(values::text(&value)),
            Err(why) => Shown::Unknown(why),
        };
        (name.to_string(), shown)
    };
    Ok(target.outputs(&|name| there.get(name)).into_iter().map(shown).collect())
}

async fn of_heat(site: &Site, source: &TemplateSource) -> Result<Vec<(String, Shown)>, Fault> {
    let loaded = source.loaded();
    let secrets = secret_outputs(&loaded);
    let shown = |(name, value): (String, Result<Value, String>)| {
        let shown = match value {
            // An output that the template does not have was not checked for secrets.
            _ if secrets.contains(&name) || !loaded.template.outputs.contains_key(&name) => Shown::Secret,
            Ok(Value::String(text)) => Shown::Value(text),
            Ok(value) => Shown::Value(value.to_string()),
            Err(why) => Shown::Unknown(why),
        };
        (name, shown)
    };
    let outputs = site.heats_outputs().await?.into_iter().map(|output| shown((output.name, output.value)));
    let mut outputs: Vec<_> = outputs.collect();
    // Heat lists them in no particular order. Use the template's.
    outputs.sort_by_key(|(name, _)| loaded.template.outputs.get_index_of(name));
    Ok(outputs)
}
