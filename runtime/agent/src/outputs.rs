//! Outputs: from what a recipe gave to what is published.

use wattle_model::values::{self, MAX_DATA};
use wattle_model::{IndexMap, Name, Value};

use crate::content::{Content, Written};
use crate::failure::Kind;
use crate::plan::{PlannedComponent, PlannedOutput};
use crate::record::Stored;
use crate::vault::Vault;

/// As long as the name of any data space.
const LONGEST_SPACE: &str = "2000-01-01T00:00:00.000000000Z-0123456789abcdef";

/// Why an output is not published.
pub type Refused = (Kind, String);

/// `value` as it is published, once it is clear that it can be.
///
/// # Errors
/// When it does not fit its type, or is too large.
pub fn stored(name: &str, output: &PlannedOutput, value: &Value, vault: &impl Vault) -> Result<Stored, Refused> {
    if let Some(why) = values::refuse(&output.declared.ty, value) {
        return Err((Kind::Type, format!("output `{name}`: {why}")));
    }
    let content = if output.declared.ty.is_secret() {
        vault
            .seal(value, &output.recipients)
            .map_err(|error| (Kind::Type, format!("output `{name}` cannot be encrypted for its readers: {error}")))?
    } else {
        Content::Value(value.clone())
    };
    let bytes =
        Written { revision: u64::MAX, space: Some(LONGEST_SPACE.into()), content: content.clone() }.to_bytes().len();
    if bytes > MAX_DATA {
        let message = format!(
            "output `{name}` takes {bytes} bytes, and the data space takes {MAX_DATA}; publish where it is found"
        );
        return Err((Kind::Size, message));
    }
    Ok(Stored { content, recipients: output.recipients.clone() })
}

/// What a recipe that succeeded wrote, as it is published. What it published while it ran stays.
///
/// # Errors
/// When an output is missing or cannot be published.
pub fn all_stored(
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
        return Err((Kind::Unwritten, message));
    }
    let mut all = IndexMap::default();
    for (name, output) in &planned.outputs {
        let stored = match (early.get(name), values.get(name)) {
            (Some(early), _) => early.clone(),
            (None, Some(value)) => stored(name, output, value, vault)?,
            (None, None) => continue,
        };
        all.insert(name.clone(), stored);
    }
    Ok(all)
}

/// The outputs of a component that finished before, for those who read them now; none if they cannot be read here.
pub fn for_readers(
    planned: &PlannedComponent,
    before: &IndexMap<Name, Stored>,
    vault: &impl Vault,
) -> Option<IndexMap<Name, Stored>> {
    let one = |(name, output): (&Name, &PlannedOutput)| {
        let before = before.get(name)?;
        if before.recipients == output.recipients {
            return Some((name.clone(), before.clone()));
        }
        let value = vault.reveal(&before.content).ok()??;
        Some((name.clone(), stored(name, output, &value, vault).ok()?))
    };
    planned.outputs.iter().map(one).collect()
}

/// Whether an entry that holds `there` already says what it is to hold. Of failures the first one stays.
pub fn same(there: &Content, ours: &Content, vault: &impl Vault) -> bool {
    match (there, ours) {
        (Content::Failure(_), Content::Failure(_)) => true,
        (Content::Sealed(_), Content::Sealed(_)) => {
            there == ours || vault.reveal(there).ok().flatten() == vault.reveal(ours).ok().flatten()
        }
        _ => there == ours,
    }
}
