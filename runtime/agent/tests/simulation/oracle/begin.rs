//! Checks whether a recipe may begin, and its inputs.

use wattle_agent_core::content::Content;
use wattle_agent_core::machine::RunRequest;
use wattle_agent_core::server_plan::{Script, ServerPlan};
use wattle_model::{Name, Order, Value};

use crate::agent::layout;
use crate::topology::{Part, Wire};
use crate::world::{SESSION, World};

use super::{reveal, server_of};

impl World {
    /// Checks whether a recipe may begin, and which one it is.
    pub(crate) fn check_begin(&mut self, host: usize, job: &RunRequest) -> Option<Part> {
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
        // A lost data space forgets the holder of a place, and so the place can be taken again at once.
        let is_forgotten = self.oracle.lost_at.is_some_and(|lost| self.now < lost + SESSION);
        // An agent that took it by mistake gives this one the time to notice.
        let taken = self.oracle.mistaken.get(&layout().alive(&server));
        let is_forgotten = is_forgotten || taken.is_some_and(|taken| self.now < taken + SESSION);
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
            let still = desired.components.contains_key(&component);
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
        let id = known.revision.revision;
        if id != desired.of() {
            self.breaks(|| format!("{what} begins in {id:?}, and {:?} is to be reached", desired.of()));
            return None;
        }
        let Some((plan, model)) = self.plan_at(&server, &id) else {
            self.breaks(|| format!("{what} begins in {id:?}, which nobody has applied"));
            return None;
        };
        let plan = plan.clone();
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
            if !self.oracle.done.contains(&(plan.expects(server_of(&name)), name.clone())) {
                self.breaks(|| format!("{what} begins in {id:?} before {name} has ended"));
            }
        }
        for output in part.outputs.keys() {
            let entry: Name = format!("{full}/{output}").into();
            let first = self.oracle.first.get(&(id.clone(), entry.clone()));
            // A later machine sees what was there when its session began.
            let at = self.oracle.written_at.get(&(id.clone(), entry.clone())).copied();
            let session = self.hosts[host].session_since;
            let is_seen = self.machines(host) == 1 || at.is_some_and(|at| at < session);
            // A component that has left the model since is gone, or was created again, and its outcome is no longer
            // visible.
            let is_there = self.store.truth(&layout().entry(&entry)).is_some_and(|node| !node.data.is_empty());
            if matches!(first, Some(Content::Failure(_))) && is_seen && is_there {
                self.breaks(|| format!("{what} begins in {id:?}, where `{entry}` has failed already"));
            }
        }
        for (name, value) in &job.inputs {
            self.check_value(host, &part, &plan, name, value);
        }
        if !part.live && !part.inputs.keys().eq(job.inputs.keys()) {
            self.breaks(|| format!("{what} is not given all of its inputs: {:?}", job.inputs));
        }
        Some(part)
    }

    /// Checks an input that a recipe requested.
    pub(crate) fn check_input(&mut self, host: usize, process: usize, name: &Name, value: &Value) {
        let process = &self.hosts[host].processes[process];
        let (part, component, script) = (process.part.clone(), process.job.component.clone(), process.job.script);
        let Some(known) = self.hosts[host].disk.memory.known(&component) else { return };
        let plan = self.plan_at(&part.server, &known.revision.revision).map(|(plan, _)| plan.clone());
        if script == Script::Recipe
            && let Some(plan) = plan
        {
            self.check_value(host, &part, &plan, name, value);
            if let Some((_, inputs)) = self.oracle.ran.get_mut(&(host, component)) {
                inputs.insert(name.clone(), value.clone());
            }
        }
    }

    fn check_value(&mut self, host: usize, part: &Part, plan: &ServerPlan, name: &Name, value: &Value) {
        let key = |entry: &Name| (plan.expects(server_of(entry)), entry.clone());
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
            let (full, id) = (part.full(), plan.of());
            self.breaks(|| format!("h{host}: {full} is given {value} as `{name}` in {id:?}, where it is {right:?}"));
        }
    }
}
