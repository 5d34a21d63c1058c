//! Checks that only one machine acts for a server, and that runs on others end.

use wattle_model::Name;

use crate::agent::layout;
use crate::happening::Happening;
use crate::world::{SESSION, World};

/// How soon after its agent regains contact with the store nothing runs any more on a machine that has lost its place,
/// in milliseconds.
const HEARD: u64 = 20_000;

impl World {
    /// Checks a component that begins to run: on other machines, no agent is sure to act for the server, and their runs
    /// end soon.
    pub(crate) fn check_beside(&mut self, host: usize, component: &Name) {
        // A lost data space forgets the holder of a place, and so the place can be taken again at once.
        if self.oracle.lost_at.is_some_and(|lost| self.now < lost + SESSION) {
            return;
        }
        for other in 0..self.hosts.len() {
            if other == host || self.hosts[other].server != self.hosts[host].server {
                continue;
            }
            let state = &self.hosts[other];
            let acts = state.agent.as_ref().is_some_and(|agent| agent.is_claimed && agent.is_in_touch);
            if acts && state.pause.is_none() {
                self.breaks(|| {
                    format!("h{host} begins {component}, and h{other} is sure to act for its server as well")
                });
            }
            let is_it = |process: &crate::process::Process| !process.is_gone && process.job.component == *component;
            if let Some(process) = self.hosts[other].processes.iter().position(is_it) {
                self.say(|| format!("h{host}: {component} still runs on h{other}"));
                self.after(HEARD, Happening::Beside { host: other, process, other: host });
            }
        }
    }

    pub(crate) fn beside(&mut self, host: usize, process: usize, other: usize) {
        let state = &self.hosts[host];
        let has_place = |data: &[u8], host: usize| *data == *format!("h{host}").as_bytes();
        let place = self.store.truth(&layout().alive(&state.server));
        let is_others = place.is_some_and(|node| has_place(&node.data, other));
        if state.processes[process].is_gone || state.is_destroyed || !is_others {
            return;
        }
        if self.is_heard(host) && self.now >= state.hears_since + HEARD {
            let name = state.processes[process].part.full();
            return self.breaks(|| format!("h{host}: {name} still runs, and h{other} acts for the server"));
        }
        self.after(HEARD, Happening::Beside { host, process, other });
    }
}
