//! The outputs of a template that wattle itself has deployed.

use wattle::values;
use wattle_deploy::Output;

use crate::cli::entries::one_line;
use crate::cli::failure::Failure;
use crate::cli::paint::{Cell, Tone, table};
use crate::deploy::{Deployment, standing};
use crate::openstack::Templates;

use super::site::Site;

/// The outputs, one on each line. Secrets are not shown.
pub(super) async fn outputs(site: &Site, color: bool) -> Result<String, Failure> {
    let Deployment { store, stack, key, .. } = &site.deployment;
    let Some((_, source)) = site.present().await?.filter(|_| !site.is_heats) else { return Ok(String::new()) };
    let Ok(target) = Templates::default().target(&source) else { return Ok(String::new()) };
    let there = standing(&Deployment::rows(store, stack, key).await?);
    let line = |Output { name, is_secret, value, .. }: Output| -> Vec<Cell> {
        let cell = match value {
            _ if is_secret => ("(secret)".into(), Tone::Waiting),
            Ok(value) => (one_line(&values::text(&value)), Tone::Good),
            Err(why) => (format!("(not known: {})", one_line(&why)), Tone::Faint),
        };
        vec![(format!("  {name}"), Tone::Plain), cell]
    };
    let rows: Vec<Vec<Cell>> = target.outputs(&|name| there.get(name)).into_iter().map(line).collect();
    Ok(table(&rows, color, usize::MAX / 2))
}
