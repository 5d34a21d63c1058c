//! Checks once nothing happens any more.

use wattle_agent_core::content::{Content, Written};
use wattle_agent_core::revision::Revision;
use wattle_agent_core::server_plan::ServerPlan;
use wattle_agent_core::status::{State, Status};
use wattle_model::{IndexMap, Name, Value};

use crate::agent::layout;
use crate::topology::{Part, Teardown, Wire};
use crate::world::World;

use super::expected::expected;
use super::{reveal, server_of};

/// A value without its part that is specific to a run.
fn base(text: &str) -> String {
    match text.split_once('#') {
        Some((before, run)) => format!("{before}{}", if run.ends_with('!') { "!" } else { "" }),
        None => text.to_owned(),
    }
}

impl World {
    /// Checks that waits for servers that never started have ended.
    pub(crate) fn check_waits(&mut self, absent: usize) {
        let waits = self.hosts.iter().position(|host| {
            let agent = host.agent.as_ref().filter(|agent| agent.is_claimed && agent.is_in_touch);
            agent.is_some_and(|agent| !agent.machine.is_settled())
        });
        if let Some(host) = waits {
            self.breaks(|| format!("h{host} still waits, long after it should have given up h{absent}"));
        }
    }

    /// Checks that everything has settled, in the desired revision; in the last one, as if there had been no faults.
    pub(crate) fn check_settled(&mut self, is_last: bool) {
        if let Err(what) = self.settled(is_last) {
            self.breaks(|| format!("after all{}: {what}", if is_last { ", in the last revision" } else { "" }));
        }
    }

    fn settled(&self, is_last: bool) -> Result<(), String> {
        let desired = self.store.truth(&layout().revision()).ok_or("there is no desired revision")?;
        let desired: serde_json::Value = serde_json::from_slice(&desired.data).map_err(|error| error.to_string())?;
        let space = desired["space"].as_str().map(Name::from);
        let revision = Revision { space, number: desired["revision"].as_u64().unwrap_or(0) };
        let number = self.oracle.revisions.get(&revision).ok_or_else(|| format!("nobody applied {revision:?}"))?;
        let model = &*self.models[*number];
        for (name, server) in &model.servers {
            let host = self.machine_of(name).ok_or("a server without a machine")?;
            let plan = self.planned(name)?;
            for writer in plan.writers.keys() {
                let (expected, there) = (plan.expects(writer), self.planned(writer)?.of());
                if expected != there {
                    return Err(format!("{name} expects {expected:?} of {writer}, which has {there:?}"));
                }
            }
            self.server_settled(host, &plan, server.retired, is_last)
                .map_err(|what| format!("h{host} of {name}: {what}"))?;
        }
        if let Some((host, process)) =
            self.hosts.iter().enumerate().find_map(|(at, host)| Some((at, host.processes.iter().find(|p| !p.is_gone)?)))
        {
            return Err(format!("h{host}: {} still runs", process.part.full()));
        }
        let expected = expected(model);
        for (full, part) in &model.parts {
            let is_expected = is_last && !expected[full].is_open;
            self.part_settled(&self.planned(&part.server)?, part, is_expected.then(|| expected[full].is_done))
                .map_err(|what| format!("{full}: {what}"))?;
        }
        Ok(())
    }

    /// The plan of a server.
    fn planned(&self, server: &Name) -> Result<ServerPlan, String> {
        let node = self.store.truth(&layout().plan(server)).ok_or("it has no plan")?;
        serde_json::from_slice(&node.data).map_err(|error| error.to_string())
    }

    fn server_settled(&self, host: usize, plan: &ServerPlan, is_retired: bool, is_last: bool) -> Result<(), String> {
        let state = &self.hosts[host];
        // A teardown that failed during the faults is retried in the next revision.
        let board = state.agent.as_ref().map(|agent| agent.machine.board().server().leaving).unwrap_or_default();
        let has_failed = |full: &Name| {
            !is_last && board.iter().any(|leaving| leaving.component == *full && leaving.failure.is_some())
        };
        let left = state.disk.memory.started().filter(|(name, _)| {
            let full: Name = format!("{}/{name}", state.server).into();
            let has_left = !plan.components.contains_key(*name);
            let ran = self.oracle.ran.get(&(host, (*name).clone()));
            has_left && !has_failed(&full) && ran.is_none_or(|(part, _)| part.teardown != Teardown::Fails)
        });
        let left: Vec<&Name> = left.map(|(name, _)| name).collect();
        if !left.is_empty() {
            return Err(format!("{left:?} have left, and are not torn down"));
        }
        if is_retired {
            let stays = state.disk.memory.started().next().is_some();
            let is_over = state.has_retired || stays;
            return if is_over { Ok(()) } else { Err("its agent does not retire".to_owned()) };
        }
        let agent = state.agent.as_ref().ok_or("there is no agent")?;
        if agent.desired.as_deref() != Some(plan) {
            let known = agent.desired.as_ref().map(|plan| plan.of());
            return Err(format!("it knows of {known:?}, and {:?} is to be reached", plan.of()));
        }
        if !agent.is_claimed || !agent.is_in_touch {
            return Err("it does not have its place".to_owned());
        }
        if agent.machine.is_settled() { Ok(()) } else { Err("it has not settled".to_owned()) }
    }

    fn part_settled(&self, plan: &ServerPlan, part: &Part, expected: Option<bool>) -> Result<(), String> {
        let full = part.full();
        let node = self.store.truth(&layout().status(&full)).ok_or("it has no status")?;
        let status: Status = serde_json::from_slice(&node.data).map_err(|_| "nothing was ever said of it")?;
        if status.of() != plan.of() {
            return Err(format!("what is said of it is of {:?}", status.of()));
        }
        let is_done = match &status.state {
            State::Done => true,
            State::Failed(_) => false,
            other => return Err(format!("it is {other:?}")),
        };
        if expected.is_some_and(|expected| expected != is_done) {
            return Err(format!("it is {:?}", status.state));
        }
        let host = self.machine_of(&part.server).ok_or("no machine")?;
        for output in part.outputs.keys() {
            let entry: Name = format!("{full}/{output}").into();
            let node = self.store.truth(&layout().entry(&entry)).ok_or_else(|| format!("there is no `{entry}`"))?;
            let written: Written = serde_json::from_slice(&node.data).map_err(|_| format!("`{entry}` is empty"))?;
            if written.of() != plan.of() {
                return Err(format!("`{entry}` is of {:?}", written.of()));
            }
            // Late outputs of a machine that is gone stay; those of another one are not there.
            let is_other = self.machines(host) > 1 && expected.is_none();
            if !is_done || is_other && matches!(written.content, Content::Failure(_)) {
                continue;
            }
            let Some(Value::Str(value)) = reveal(&written.content) else {
                return Err(format!("it is done, and `{entry}` is {:?}", written.content));
            };
            let known = self.hosts[host].disk.memory.known(&part.name).and_then(|known| known.finished.as_ref());
            let stored = known.and_then(|finished| finished.outputs.get(output));
            if !is_other && stored.is_none_or(|stored| stored.content != written.content) {
                return Err(format!("`{entry}` is {:?}, and its journal has {stored:?}", written.content));
            }
            let inputs = self.inputs(plan, part, output)?;
            if base(&value) != part.gives(output, &inputs) {
                return Err(format!("`{entry}` is {value}, and is to be {}", part.gives(output, &inputs)));
            }
        }
        Ok(())
    }

    /// The final inputs of which an output is made.
    fn inputs(&self, plan: &ServerPlan, part: &Part, output: &Name) -> Result<IndexMap<Name, Value>, String> {
        let mut inputs = IndexMap::default();
        if part.outputs[output].early {
            return Ok(inputs);
        }
        let asks = part.asks();
        for (name, wire) in part.inputs.iter().filter(|(name, _)| !part.live || asks.contains(name)) {
            let of =
                |entry: &Name| self.oracle.first.get(&(plan.expects(server_of(entry)), entry.clone())).and_then(reveal);
            let value = match wire {
                Wire::Constant(number) => Some(Value::from(format!("k{number}"))),
                Wire::UserData => Some(Value::from(format!("told {}", part.server))),
                Wire::Entry(entry) => of(entry),
                Wire::Attribute(server) => of(&format!("{server}/server/id").into()),
            };
            inputs.insert(name.clone(), value.ok_or_else(|| format!("its input `{name}` has no value"))?);
        }
        Ok(inputs)
    }
}
