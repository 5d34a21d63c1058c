//! Converts the results of a recipe to the outputs to publish.

use wattle_model::values::{self, MAX_DATA};
use wattle_model::{IndexMap, Name, Value};

use crate::content::{Content, ENVELOPE, Written};
use crate::failure::FailureKind;
use crate::record::Stored;
use crate::server_plan::{PlannedComponent, PlannedOutput};
use crate::vault::Vault;

/// As long as the longest name of a data space.
const LONGEST_SPACE: &str = "2000-01-01T00:00:00.000000000Z-0123456789abcdef";

/// Why an output is not published.
pub type Refused = (FailureKind, String);

/// Checks `value` and converts it to the form published in `component`'s entry `name`.
///
/// # Errors
/// It does not fit its type, or is too large.
pub fn stored(
    (component, name): (&str, &str),
    output: &PlannedOutput,
    value: &Value,
    vault: &impl Vault,
) -> Result<Stored, Refused> {
    if let Some(why) = values::refuse_unseen(&output.declared.ty, value) {
        return Err((FailureKind::Type, format!("output `{name}`: {why}")));
    }
    let content = if output.declared.ty.is_secret() {
        vault.seal(&format!("{component}/{name}"), value, &output.recipients).map_err(|error| {
            (FailureKind::Type, format!("output `{name}` cannot be encrypted for its readers: {error}"))
        })?
    } else {
        Content::Value(value.clone())
    };
    let written =
        Written { revision: u64::MAX, space: Some(LONGEST_SPACE.into()), before: None, content: content.clone() };
    let bytes = written.to_bytes().len() + ENVELOPE;
    if bytes > MAX_DATA {
        let message = format!(
            "output `{name}` takes {bytes} bytes, but the data space takes at most {MAX_DATA}; publish where to find it instead"
        );
        return Err((FailureKind::Size, message));
    }
    Ok(Stored { content, recipients: output.recipients.clone() })
}

/// All outputs of `component`, `SERVER/COMPONENT`, in published form, once its recipe has succeeded. Outputs that it
/// published while it ran are kept.
///
/// # Errors
/// An output is missing or cannot be published.
pub fn all_stored(
    component: &str,
    planned: &PlannedComponent,
    values: &IndexMap<Name, Value>,
    early: &IndexMap<Name, Stored>,
    vault: &impl Vault,
) -> Result<IndexMap<Name, Stored>, Refused> {
    let missing: Vec<String> = planned
        .outputs
        .keys()
        .filter(|name| !values.contains_key(*name) && !early.contains_key(*name))
        .map(|name| format!("`{name}`"))
        .collect();
    if !missing.is_empty() {
        let message = format!("the recipe succeeded, but did not write {}", missing.join(", "));
        return Err((FailureKind::Unwritten, message));
    }
    let mut all = IndexMap::default();
    for (name, output) in &planned.outputs {
        let stored = match (early.get(name), values.get(name)) {
            (Some(early), _) => early.clone(),
            (None, Some(value)) => stored((component, name), output, value, vault)?,
            (None, None) => continue,
        };
        all.insert(name.clone(), stored);
    }
    Ok(all)
}

/// The outputs of `component`, `SERVER/COMPONENT`, which finished earlier, for its present readers. `None` if they
/// cannot be read here.
pub fn for_readers(
    component: &str,
    planned: &PlannedComponent,
    before: &IndexMap<Name, Stored>,
    vault: &impl Vault,
) -> Option<IndexMap<Name, Stored>> {
    let one = |(name, output): (&Name, &PlannedOutput)| {
        let before = before.get(name)?;
        let read = vault.read(&format!("{component}/{name}"), &before.content);
        if read.is_ok() && before.recipients == output.recipients {
            return Some((name.clone(), before.clone()));
        }
        // Earlier versions did not bind a sealed secret to its entry.
        let value = read.or_else(|_| vault.reveal(&before.content)).ok()??;
        Some((name.clone(), stored((component, name), output, &value, vault).ok()?))
    };
    planned.outputs.iter().map(one).collect()
}

/// Whether `entry`, whose content is `there`, is already equivalent to `ours`. The first failure is kept.
pub fn same(entry: &str, there: &Content, ours: &Content, vault: &impl Vault) -> bool {
    match (there, ours) {
        (Content::Failure(_), Content::Failure(_)) => true,
        (Content::Sealed(_), Content::Sealed(_)) => {
            let value = |content| vault.read(entry, content).ok().flatten();
            there == ours || value(there).is_some_and(|there| Some(there) == value(ours))
        }
        _ => there == ours,
    }
}
