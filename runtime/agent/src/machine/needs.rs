//! Awaited things, and the values computed from them.

use std::collections::HashMap;

use wattle_model::requirement::{self, Verdict};
use wattle_model::{IndexMap, IndexSet, Name, Value, names, values};

use crate::failure::{Failure, FailureKind};
use crate::server_plan::{Held, PlannedComponent, PlannedInput, ValueSource};
use crate::status::Waiting;
use crate::time::Time;
use crate::vault::Vault;

/// Stands in place of the reason why a secret cannot be computed from others. The function's own message would reveal
/// them.
const WITHHELD: &str = "it cannot be computed from what it reads";

/// The maximum number of awaited things in a status.
pub(super) const SHOWN: usize = 64;

/// Something that is awaited.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Awaited {
    /// An entry of this stack.
    Entry(Name),
    /// An entry of another stack, of any revision.
    Foreign(Name, Name),
    /// The end of a component, `SERVER/COMPONENT`.
    Ended(Name),
}

impl Awaited {
    /// What to wait for if an entry holds the value, and `None` otherwise.
    fn of(held: &Held) -> Option<Self> {
        match held {
            Held::Entry(entry) => Some(Self::Entry(entry.clone())),
            Held::Foreign { stack, entry } => Some(Self::Foreign(stack.clone(), entry.clone())),
            Held::Sealed(_) | Held::UserData(_) => None,
        }
    }

    /// Its name in a status.
    pub fn name(&self) -> Name {
        match self {
            Self::Entry(name) | Self::Ended(name) => name.clone(),
            Self::Foreign(stack, entry) => format!("{stack}:{entry}").into(),
        }
    }
}

/// Awaited things, each with the input that needs it. `None` if only the order requires it.
pub(super) type Needs = IndexMap<Awaited, Option<Name>>;

/// The results of awaited things, or why they are missing.
pub(super) type Found = HashMap<Awaited, Result<Value, Missing>>;

/// Why something awaited is missing.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Missing {
    /// It failed. The failure names its component. The component that waited for it is not in its path yet.
    Failed(Failure),
    /// The wait itself failed, which is a failure of the waiting component.
    Own(FailureKind, String),
    /// There is a newer revision.
    Superseded,
}

/// Adds the needs of a value, and the input that the value is for.
pub(super) fn add(source: &ValueSource, input: Option<&Name>, needs: &mut Needs) {
    for awaited in source.leaves().filter_map(Awaited::of) {
        needs.entry(awaited).or_insert_with(|| input.cloned());
    }
}

/// The needs of a component before its recipe starts: its predecessors, the given inputs, and the inputs of its
/// requirements. Requirements are checked even if the recipe requests its inputs itself.
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

/// Whether any of `components` reads this as a secret. Otherwise no secret is opened there.
pub(super) fn is_secret<'p>(mut components: impl Iterator<Item = &'p PlannedComponent>, awaited: &Awaited) -> bool {
    let reads = |source: &ValueSource| source.leaves().filter_map(Awaited::of).any(|read| read == *awaited);
    components.any(|component| {
        let judged = component.requires.values().any(|requirement| {
            let mut is_read = false;
            requirement.predicate.each(&mut |operand| is_read |= reads(&operand.from));
            is_read && requirement.predicate.is_secret()
        });
        judged || component.inputs.values().any(|input| input.ty.is_secret() && reads(&input.from))
    })
}

/// The origin of the value, for a message about one that does not fit. Empty if it is in no entry.
fn read_from(source: &ValueSource) -> String {
    let entries: IndexSet<Name> = source.leaves().filter_map(Awaited::of).map(|awaited| awaited.name()).collect();
    if entries.is_empty() {
        return String::new();
    }
    format!(", read from {}", names::some(entries.iter().map(|entry| &**entry), 3))
}

/// The missing things in the form of a status, truncated if there are too many.
pub(super) fn shown(missing: &Needs, since: Time) -> Vec<Waiting> {
    missing
        .iter()
        .take(SHOWN)
        .map(|(awaited, input)| Waiting { what: awaited.name(), input: input.clone(), revision: None, since })
        .collect()
}

/// The context for computing values.
pub(super) struct Values<'a, V> {
    pub(super) vault: &'a V,
    pub(super) user_data: &'a IndexMap<Name, Value>,
    pub(super) found: &'a Found,
}

impl<V: Vault> Values<'_, V> {
    /// The value of an input, once everything that it needs is available.
    pub(super) fn input(&self, name: &str, input: &PlannedInput) -> Result<Value, (FailureKind, String)> {
        let hide = |why| if input.ty.is_secret() { WITHHELD.to_owned() } else { why };
        let value =
            self.resolve(&input.from).map_err(|why| (FailureKind::Input, format!("input `{name}`: {}", hide(why))))?;
        match values::refuse_unseen(&input.ty, &value) {
            None => Ok(value),
            Some(why) => Err((FailureKind::Type, format!("input `{name}`{}: {why}", read_from(&input.from)))),
        }
    }

    fn resolve(&self, source: &ValueSource) -> Result<Value, String> {
        source.evaluate(&mut |held| self.held(held), &mut wattle_heat::evaluate::apply)
    }

    fn held(&self, held: &Held) -> Result<Value, String> {
        match held {
            Held::Sealed(sealed) => self.vault.open(sealed),
            Held::UserData(key) => self.user_data.get(key).cloned().ok_or_else(|| {
                format!(
                    "the user data of this server does not have `{key}`: the stack was created from a template that \
                     does not belong to the seed"
                )
            }),
            Held::Entry(entry) | Held::Foreign { entry, .. } => {
                let value = Awaited::of(held).and_then(|awaited| self.found.get(&awaited));
                let value = value.and_then(|value| value.as_ref().ok());
                value.cloned().ok_or_else(|| format!("nothing waited for `{entry}`"))
            }
        }
    }

    /// Checks the requirements on values that a component reads. A requirement is not a part of the component: a
    /// changed requirement is checked again, and makes nothing run again.
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
                    broken.push(requirement::unmet(name, &requirement.at, &reasons, &requirement.because));
                }
                Verdict::Unknown => {
                    let is_secret = requirement.predicate.is_secret();
                    let unknown = unknown.map(|why| if is_secret { WITHHELD.to_owned() } else { why });
                    let why = unknown.unwrap_or_else(|| "not all of its values are known".to_owned());
                    return Err(Missing::Own(
                        FailureKind::Input,
                        format!("the requirement `{name}` cannot be checked: {why}"),
                    ));
                }
            }
        }
        if broken.is_empty() { Ok(()) } else { Err(Missing::Own(FailureKind::Requirement, broken.join("; "))) }
    }
}
