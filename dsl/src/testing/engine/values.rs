//! The values of a run: what a component is given, what is required of that, and what no recipe could have written.

use wattle_agent_core::plan::Held;
use wattle_heat::evaluate::apply;

use crate::model::{IndexMap, Value};
use crate::requirement::{Verdict, judge, told};
use crate::values::{self, FailureKind};

use super::super::kind::Values;
use super::super::world::meant;
use super::Engine;

impl Engine<'_> {
    /// The value of an entry, or of what is told.
    fn leaf(&self, leaf: &Held) -> Result<Value, String> {
        match leaf {
            Held::Entry(entry) => match self.entries.get(entry) {
                Some(Ok(value)) => Ok(value.clone()),
                _ => Err(format!("nobody waited for `{entry}`")),
            },
            Held::UserData(key) => {
                self.world.told.get(key).cloned().ok_or_else(|| format!("the user data does not tell `{key}`"))
            }
            Held::Sealed(_) | Held::Foreign { .. } => {
                unreachable!("INVARIANT: the secrets of a trial are in plain, and its imports are values")
            }
        }
    }

    /// Judges what is required of the values that it reads.
    pub(super) fn judge(&self, node: usize) -> Result<(), (FailureKind, String)> {
        let mut broken = Vec::new();
        for (name, required) in &self.world.planned(node).requires {
            let mut unknown = None;
            let verdict = judge(&required.predicate, &mut |part| {
                part.evaluate(&mut |leaf| self.leaf(leaf), &mut apply).map_err(|why| unknown = Some(why)).ok()
            });
            match verdict {
                Verdict::Holds => {}
                Verdict::Fails(reasons) => broken.push(told(name, &required.at, &reasons, &required.because)),
                Verdict::Unknown => {
                    let why = unknown.unwrap_or_else(|| "not all of its values are known".to_owned());
                    let message = format!("the requirement `{name}` cannot be judged: {why}");
                    return Err((FailureKind::Input, message));
                }
            }
        }
        if broken.is_empty() { Ok(()) } else { Err((FailureKind::Requirement, broken.join("; "))) }
    }

    /// The values of its inputs, all that they need being there.
    pub(super) fn inputs(&self, node: usize) -> Result<Values, (FailureKind, String)> {
        let world = self.world;
        let mut found = IndexMap::default();
        for (name, input) in &world.planned(node).inputs {
            let value = input
                .from
                .evaluate(&mut |leaf| self.leaf(leaf), &mut apply)
                .map_err(|why| (FailureKind::Input, format!("input `{name}`: {why}")))?;
            if let Some(why) = values::refuse(&input.ty, &value) {
                return Err((FailureKind::Type, format!("input `{name}`: {why}")));
            }
            found.insert(name.clone(), value);
        }
        Ok(Values(found))
    }

    /// Why no recipe could have written these.
    pub(super) fn impossible(&self, node: usize, written: &Values, all: bool) -> Option<String> {
        let outputs = &self.world.planned(node).outputs;
        if let Some(name) = written.0.keys().find(|name| !outputs.contains_key(*name)) {
            let known: Vec<&str> = outputs.keys().map(|name| &**name).collect();
            return Some(format!("it declares no output `{name}`{}", meant(name, &known)));
        }
        for (name, output) in outputs {
            let Some(value) = written.0.get(name) else {
                if all {
                    return Some(format!("it does not set the output `{name}`, and a recipe that leaves it out fails"));
                }
                continue;
            };
            if let Some(why) = values::refuse(&output.declared.ty, value) {
                return Some(format!("no recipe could write its output `{name}`: {why}"));
            }
            let bytes = value.to_string().len();
            if bytes > values::MAX_DATA {
                let why = values::too_large(bytes);
                return Some(format!("no recipe could write its output `{name}`: {why}"));
            }
        }
        None
    }
}
