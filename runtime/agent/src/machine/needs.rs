//! What is awaited, and the values that come of it.

use std::collections::HashMap;

use wattle_model::requirement::{self, Verdict};
use wattle_model::{IndexMap, Name, Value, values};

use crate::failure::{Failure, Kind};
use crate::plan::{Held, PlannedComponent, PlannedInput, Source};
use crate::status::Waiting;
use crate::time::Time;
use crate::vault::Vault;

/// Why a secret is not there that is made of others: what a function says of them would show them.
const UNTOLD: &str = "it cannot be computed from what it reads";

/// Most of what is awaited that a status names.
pub(super) const SHOWN: usize = 64;

/// Something that is awaited.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Awaited {
    /// An entry of this stack.
    Entry(Name),
    /// An entry of another stack, of whatever revision.
    Foreign(Name, Name),
    /// That a component has ended: `SERVER/COMPONENT`.
    Ended(Name),
}

impl Awaited {
    /// The entry that holds a value, if one does.
    fn of(held: &Held) -> Option<Self> {
        match held {
            Held::Entry(entry) => Some(Self::Entry(entry.clone())),
            Held::Foreign { stack, entry } => Some(Self::Foreign(stack.clone(), entry.clone())),
            Held::Sealed(_) | Held::UserData(_) => None,
        }
    }

    /// As a status names it.
    pub fn name(&self) -> Name {
        match self {
            Self::Entry(name) | Self::Ended(name) => name.clone(),
            Self::Foreign(stack, entry) => format!("{stack}:{entry}").into(),
        }
    }
}

/// What is awaited, and the inputs that need it, none for mere order.
pub(super) type Needs = IndexMap<Awaited, Option<Name>>;

/// What was awaited and has come, or why it does not.
pub(super) type Found = HashMap<Awaited, Result<Value, Missing>>;

/// Why something that was awaited does not come.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Missing {
    /// It failed; whose failure it is stands in it, and who awaited it has not passed it on yet.
    Failed(Failure),
    /// The wait itself failed, which is the failure of who awaited it.
    Own(Kind, String),
    /// There is a newer revision.
    Superseded,
}

/// Adds what is awaited for a value, and the input that it is for.
pub(super) fn add(source: &Source, input: Option<&Name>, needs: &mut Needs) {
    for awaited in source.leaves().filter_map(Awaited::of) {
        needs.entry(awaited).or_insert_with(|| input.cloned());
    }
}

/// What a component awaits before its recipe starts, of whose inputs those are read that are given here: what it comes
/// after, those inputs, and whatever is required, which is judged whoever asks for inputs.
pub(super) fn before_start<'p>(
    planned: &PlannedComponent,
    read: impl Iterator<Item = (&'p Name, &'p PlannedInput)>,
) -> Needs {
    let mut needs: Needs = planned.after.iter().map(|name| (Awaited::Ended(name.clone()), None)).collect();
    read.for_each(|(name, input)| add(&input.from, Some(name), &mut needs));
    let mut judged = Needs::default();
    for requirement in planned.requires.values() {
        requirement.predicate.each(&mut |operand| add(&operand.from, None, &mut judged));
    }
    for (name, input) in &planned.inputs {
        let mut read = Needs::default();
        add(&input.from, Some(name), &mut read);
        for (awaited, input) in read.into_iter().filter(|(awaited, _)| judged.contains_key(awaited)) {
            needs.entry(awaited).or_insert(input);
        }
    }
    for (awaited, _) in judged {
        needs.entry(awaited).or_insert(None);
    }
    needs
}

/// Whether any of `components` reads what is awaited as a secret: else no secret is opened there.
pub(super) fn is_secret<'p>(mut components: impl Iterator<Item = &'p PlannedComponent>, awaited: &Awaited) -> bool {
    let reads = |source: &Source| source.leaves().filter_map(Awaited::of).any(|read| read == *awaited);
    components.any(|component| {
        let judged = component.requires.values().any(|requirement| {
            let mut is_read = false;
            requirement.predicate.each(&mut |operand| is_read |= reads(&operand.from));
            is_read && requirement.predicate.is_secret()
        });
        judged || component.inputs.values().any(|input| input.ty.is_secret() && reads(&input.from))
    })
}

/// As a status shows it; of very much, a part, which a status has room for.
pub(super) fn shown(missing: &Needs, since: Time) -> Vec<Waiting> {
    missing
        .iter()
        .take(SHOWN)
        .map(|(awaited, input)| Waiting { what: awaited.name(), input: input.clone(), revision: None, since })
        .collect()
}

/// What values are made of.
pub(super) struct Values<'a, V> {
    pub(super) vault: &'a V,
    pub(super) user_data: &'a IndexMap<Name, Value>,
    pub(super) found: &'a Found,
}

impl<V: Vault> Values<'_, V> {
    /// The value of an input, all that it needs being there.
    pub(super) fn input(&self, name: &str, input: &PlannedInput) -> Result<Value, (Kind, String)> {
        let untold = |why| if input.ty.is_secret() { UNTOLD.to_owned() } else { why };
        let value =
            self.resolve(&input.from).map_err(|why| (Kind::Input, format!("input `{name}`: {}", untold(why))))?;
        match values::refuse_unseen(&input.ty, &value) {
            None => Ok(value),
            Some(why) => Err((Kind::Type, format!("input `{name}`: {why}"))),
        }
    }

    fn resolve(&self, source: &Source) -> Result<Value, String> {
        source.evaluate(&mut |held| self.held(held), &mut wattle_heat::evaluate::apply)
    }

    fn held(&self, held: &Held) -> Result<Value, String> {
        match held {
            Held::Sealed(sealed) => self.vault.open(sealed),
            Held::UserData(key) => self.user_data.get(key).cloned().ok_or_else(|| {
                format!(
                    "the user data of this server does not have `{key}`: the stack was created from another template \
                     than the seed"
                )
            }),
            Held::Entry(entry) | Held::Foreign { entry, .. } => {
                let value = Awaited::of(held).and_then(|awaited| self.found.get(&awaited));
                let value = value.and_then(|value| value.as_ref().ok());
                value.cloned().ok_or_else(|| format!("nobody waited for `{entry}`"))
            }
        }
    }

    /// Judges what is required of the values that a component reads. A requirement is no part of what a component is:
    /// one that has changed is judged again, and runs nothing again.
    pub(super) fn judge(&self, planned: &PlannedComponent) -> Result<(), Missing> {
        let mut broken = Vec::new();
        for (name, requirement) in &planned.requires {
            let mut unknown = None;
            let verdict = requirement::judge(&requirement.predicate, &mut |source| {
                self.resolve(source).map_err(|why| unknown = Some(why)).ok()
            });
            match verdict {
                Verdict::Holds => {}
                Verdict::Fails(reasons) => {
                    broken.push(requirement::told(name, &requirement.at, &reasons, &requirement.because));
                }
                Verdict::Unknown => {
                    let is_secret = requirement.predicate.is_secret();
                    let unknown = unknown.map(|why| if is_secret { UNTOLD.to_owned() } else { why });
                    let why = unknown.unwrap_or_else(|| "not all of its values are known".to_owned());
                    return Err(Missing::Own(Kind::Input, format!("the requirement `{name}` cannot be judged: {why}")));
                }
            }
        }
        if broken.is_empty() { Ok(()) } else { Err(Missing::Own(Kind::Requirement, broken.join("; "))) }
    }
}
