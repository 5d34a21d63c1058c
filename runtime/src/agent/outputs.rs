//! Outputs: from what a recipe gave to what stands in entries.

use indexmap::IndexMap;
use wattle::model::{Name, Value};
use wattle::values;

use crate::space::{Content, Kind, PlannedComponent, PlannedOutput, SpaceError, Written, seal};
use crate::store::MAX_DATA;

use super::record::{RevisionId, Stored};
use super::shared::Shared;

/// Why an output is not published.
pub(super) type Refused = (Kind, String);

/// `value` as it is published, once it is clear that it can be.
///
/// # Errors
/// When it does not fit its type, or is too large.
pub(super) fn stored(name: &str, output: &PlannedOutput, value: &Value) -> Result<Stored, Refused> {
    if let Some(why) = values::refuse(&output.declared.ty, value) {
        return Err((Kind::Type, format!("output `{name}`: {why}")));
    }
    let content = if output.declared.ty.is_secret() {
        let readers = output.recipients.iter().map(String::as_str);
        let sealed = seal(value, readers)
            .map_err(|error| (Kind::Type, format!("output `{name}` cannot be encrypted for its readers: {error}")))?;
        Content::Sealed(sealed)
    } else {
        Content::Value(value.clone())
    };
    let bytes = Written { revision: u64::MAX, content: content.clone() }.to_bytes().len();
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
pub(super) fn all_stored(
    planned: &PlannedComponent,
    values: &IndexMap<Name, Value>,
    early: &IndexMap<Name, Stored>,
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
    let mut all = IndexMap::with_capacity(planned.outputs.len());
    for (name, output) in &planned.outputs {
        let stored = match (early.get(name), values.get(name)) {
            (Some(early), _) => early.clone(),
            (None, Some(value)) => stored(name, output, value)?,
            (None, None) => continue,
        };
        all.insert(name.clone(), stored);
    }
    Ok(all)
}

/// The outputs of a component that finished before, for those who read them now; none if they cannot be read here.
pub(super) fn for_readers(
    shared: &Shared,
    planned: &PlannedComponent,
    before: &IndexMap<Name, Stored>,
) -> Option<IndexMap<Name, Stored>> {
    let one = |(name, output): (&Name, &PlannedOutput)| {
        let before = before.get(name)?;
        if before.recipients == output.recipients {
            return Some((name.clone(), before.clone()));
        }
        let value = shared.reveal(&before.content).ok()??;
        Some((name.clone(), stored(name, output, &value).ok()?))
    };
    planned.outputs.iter().map(one).collect()
}

/// What `entry` of this server holds of the revision already. Afterwards writing it takes one request.
pub(super) async fn peek(shared: &Shared, revision: &RevisionId, entry: &str) -> Option<Content> {
    match shared.insist(|| shared.space.peek(entry)).await {
        Ok(written) => written.filter(|written| written.revision == revision.number).map(|written| written.content),
        Err(error) => {
            tracing::debug!("`{entry}` cannot be looked at before it is written: {error}");
            None
        }
    }
}

/// Publishes `content`, unless the entry holds something of this revision: what stands there stays.
pub(super) async fn publish(
    shared: &Shared,
    revision: &RevisionId,
    entry: &str,
    content: &Content,
    there: Option<&Content>,
) {
    let there = match there {
        Some(there) => Ok(Some(there.clone())),
        None => shared.insist(|| shared.space.write(entry, revision.number, content)).await,
    };
    match there {
        Ok(None) => {}
        Ok(Some(there)) if same(shared, &there, content) => {}
        Ok(Some(_)) => tracing::warn!(
            revision = revision.number,
            "`{entry}` holds another value already, which stays until the next revision (`wattle seed apply --again`)"
        ),
        Err(SpaceError::Superseded { newer, .. }) => {
            tracing::debug!(revision = revision.number, newer, "`{entry}` belongs to a newer revision");
        }
        Err(error) => shared.board.trouble(entry, Some(format!("cannot publish `{entry}`: {error}"))),
    }
}

fn same(shared: &Shared, there: &Content, ours: &Content) -> bool {
    match (there, ours) {
        (Content::Failure(_), Content::Failure(_)) => true,
        (Content::Sealed(_), Content::Sealed(_)) => {
            there == ours || shared.reveal(there).ok().flatten() == shared.reveal(ours).ok().flatten()
        }
        _ => there == ours,
    }
}
