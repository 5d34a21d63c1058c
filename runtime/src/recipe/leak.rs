//! Checks whether an output that everyone may read contains a secret.
//!
//! A secret in a plain output would be published unencrypted, so the output is refused, and not only masked in the log.
//! The search is for each secret as a whole, in the forms that masks know. A secret that is short, or that is also in a
//! plain input of the component, proves nothing: the password `shop` may also be the name of the database.

use wattle::model::{IndexMap, Name, Type, Value};
use wattle::values;

use super::secret::{self, Part};
use super::{Broken, Mask};
use crate::space::{FailureKind, PlannedComponent};

/// The minimum number of bytes of a secret to search for: shorter ones occur in other texts by chance.
const SHORT: usize = 6;

/// The state of a run when an output is checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'r> {
    /// The inputs of the recipe.
    pub(crate) given: &'r IndexMap<Name, Value>,
    /// The outputs that it has written.
    pub(crate) written: &'r IndexMap<Name, Value>,
    /// Whether the output has been published, so that others may have read it.
    pub(crate) is_published: bool,
}

/// Refuses `value` as the output `name` if that is plain and contains one of the `known` secrets.
///
/// # Errors
/// The secret that it contains.
pub(crate) fn refuse(
    component: &PlannedComponent,
    known: Known<'_>,
    (name, value): (&str, &Value),
) -> Result<(), Broken> {
    let Some(output) = component.outputs.get(name).filter(|output| !output.declared.ty.is_secret()) else {
        return Ok(());
    };
    let ty = &output.declared.ty;
    let texts: Vec<String> = plain(ty, value).collect();
    let inputs =
        known.given.iter().filter_map(|(name, value)| Some(("input", name, &component.inputs.get(name)?.ty, value)));
    let outputs = known
        .written
        .iter()
        .filter_map(|(name, value)| Some(("output", name, &component.outputs.get(name)?.declared.ty, value)));
    let in_clear: Vec<String> = inputs.clone().flat_map(|(_, _, ty, value)| plain(ty, value)).collect();
    for (what, secret, secret_ty, value) in inputs.chain(outputs) {
        let is_telling =
            |text: &String| text.len() >= SHORT && !in_clear.iter().any(|plain| plain.contains(text.as_str()));
        let is_there = |secret: String| {
            let mask = Mask::of_whole(&secret);
            texts.iter().any(|text| mask.finds(text))
        };
        let secrets = secret::secrets(secret_ty, value).map(|secret| values::text(secret).trim().to_owned());
        if secrets.filter(is_telling).any(is_there) {
            let holds = format!("its output `{name}`, {ty}, holds the secret {what} `{secret}`");
            let message = if known.is_published {
                format!(
                    "{holds}, and was published unencrypted before that could be known: change this secret, and declare \
                     the output as `Secret<...>`, or leave the secret out"
                )
            } else {
                format!(
                    "{holds}, and would be published unencrypted: declare it as `Secret<...>`, or leave the secret out"
                )
            };
            return Err(Broken::new(FailureKind::Type, message));
        }
    }
    Ok(())
}

/// All texts of `value` that are visible to readers of its plain parts.
fn plain(ty: &Type, value: &Value) -> impl Iterator<Item = String> {
    secret::parts(ty, value).into_iter().filter_map(|part| match part {
        Part::Secret(_) => None,
        Part::Plain(value) => Some(values::text(value)),
        Part::Key(key) => Some(key.to_string()),
    })
}
