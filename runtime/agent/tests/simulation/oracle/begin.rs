//! Whether a recipe may begin, and what it is given.

use wattle_agent_core::content::Content;
use wattle_agent_core::machine::Job;
use wattle_agent_core::plan::Script;
use wattle_agent_core::record::RevisionId;
use wattle_model::{Name, Order, Value};

use crate::agent::layout;
use crate::topology::{Part, Wire};
use crate::world::{SESSION, World};

use super::reveal;

impl World {
    /// A recipe begins: whether it may, and what it is.
    pub(crate) fn check_begin(&mut self, host: usize, job: &Job) -> Option<Part> {
        let (server, component) = (self.hosts[host].server.clone(), job.component.clone());
        let full: Name = format!("{server}/{component}").into();
        let what = format!("h{host}: {:?} of {full}", job.script);
        let agent = self.hosts[host].agent.as_ref().expect("INVARIANT: it acts");
        if !agent.is_claimed {
            self.breaks(|| format!("{what} begins before it is this agent's turn"));
            return None;
        }
        let desired = agent.desired.clone();
        let place = self.store.truth(&layout().alive(&server));
        // A data space that was lost forgets who had the place, and so it is given again at once.
        let is_forgotten = self.oracle.lost_at.is_some_and(|lost| self.now < lost + SESSION);
        let others = place.filter(|node| *node.data != *format!("h{host}").as_bytes() && !is_forgotten);
        if let Some(holder) = others {
            let holder = String::from_utf8_lossy(&holder.data).into_owned();
            self.breaks(|| format!("{what} begins while {holder} has the place of the server"));
            return None;
        }
        if self.hosts[host].processes.iter().any(|process| !process.is_gone && process.job.component == component) {
            self.breaks(|| format!("{what} begins while the component still runs"));
            return None;
        }
        let known = self.hosts[host].disk.memory.known(&component).cloned();
        let Some((known, desired)) = known.zip(desired) else {
            self.breaks(|| format!("{what} begins, and its disk does not know"));
            return None;
        };
        if job.script == Script::Teardown {
            let still = self.model_at(&desired).is_none_or(|model| model.parts.contains_key(&full));
            let Some((part, inputs)) = self.oracle.ran.get(&(host, component.clone())).cloned() else {
                self.breaks(|| format!("{what} begins, and the component never ran"));
                return None;
            };
            if still {
                self.breaks(|| format!("{what} begins, and the component has not left"));
            }
            let is_same = if part.live {
                job.inputs.iter().all(|(name, value)| inputs.get(name).is_none_or(|had| had == value))
            } else {
                job.inputs == inputs
            };
            if !is_same {
                self.breaks(|| format!("{what} has {:?}, and the component had {inputs:?}", job.inputs));
            }
            return Some(part);
        }
        let id = known.revision;
        if id != desired {
            self.breaks(|| format!("{what} begins in {id:?}, and {desired:?} is to be reached"));
            return None;
        }
        let Some(model) = self.model_at(&id) else {
            self.breaks(|| format!("{what} begins in {id:?}, which nobody has applied"));
            return None;
        };
        let Some(part) = model.parts.get(&full).cloned() else {
            self.breaks(|| format!("{what} begins in {id:?}, which has no such component"));
            return None;
        };
        let is_planned = model.planned(&part) == job.planned;
        let mut before = part.after.clone();
        if model.servers[&server].order == Order::Declared {
            let mine = model.parts.values().filter(|part| part.server == server);
            before.extend(mine.map(Part::full).take_while(|name| *name != full).last());
        }
        if !is_planned {
            self.breaks(|| format!("{what} is not what {id:?} says of it"));
        }
        for name in before {
            if !self.oracle.done.contains(&(id.revision.clone(), name.clone())) {
                self.breaks(|| format!("{what} begins in {id:?} before {name} has ended"));
            }
        }
        for output in part.outputs.keys() {
            let entry: Name = format!("{full}/{output}").into();
            let first = self.oracle.first.get(&(id.revision.clone(), entry.clone()));
            if matches!(first, Some(Content::Failure(_))) && self.machines(host) == 1 {
                self.breaks(|| format!("{what} begins in {id:?}, where `{entry}` has failed already"));
            }
        }
        for (name, value) in &job.inputs {
            self.check_value(host, &part, &id, name, value);
        }
        if !part.live && !part.inputs.keys().eq(job.inputs.keys()) {
            self.breaks(|| format!("{what} is not given all of its inputs: {:?}", job.inputs));
        }
        Some(part)
    }

    /// An input that a recipe asked for.
    pub(crate) fn check_input(&mut self, host: usize, process: usize, name: &Name, value: &Value) {
        let process = &self.hosts[host].processes[process];
        let (part, component, script) = (process.part.clone(), process.job.component.clone(), process.job.script);
        let Some(known) = self.hosts[host].disk.memory.known(&component) else { return };
        let id = known.revision.clone();
        if script == Script::Recipe {
            self.check_value(host, &part, &id, name, value);
            if let Some((_, inputs)) = self.oracle.ran.get_mut(&(host, component)) {
                inputs.insert(name.clone(), value.clone());
            }
        }
    }

    fn check_value(&mut self, host: usize, part: &Part, id: &RevisionId, name: &Name, value: &Value) {
        let key = |entry: &Name| (id.revision.clone(), entry.clone());
        let of = |entry: &Name| {
            let mut lost = self.oracle.lost.get(&key(entry)).into_iter().flatten().filter_map(reveal);
            lost.find(|lost| lost == value).or_else(|| self.oracle.first.get(&key(entry)).and_then(reveal))
        };
        let right = match part.inputs.get(name) {
            Some(Wire::Constant(number)) => Some(Value::from(format!("k{number}"))),
            Some(Wire::UserData) => Some(Value::from(format!("told {}", part.server))),
            Some(Wire::Entry(entry)) => of(entry),
            Some(Wire::Attribute(server)) => of(&format!("{server}/server/id").into()),
            None => None,
        };
        if right.as_ref() != Some(value) {
            let full = part.full();
            self.breaks(|| format!("h{host}: {full} is given {value} as `{name}` in {id:?}, where it is {right:?}"));
        }
    }
}
