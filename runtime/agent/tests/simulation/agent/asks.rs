//! An agent's requests to the data space, and the responses.

use wattle_agent_core::machine::Event;
use wattle_agent_core::request::{Answer, Op, Request as _, Step, Task};

use crate::call::{Call, Outcome};
use crate::world::World;

use super::claim::Claim;
use super::says::Saying;

/// The purpose of a call.
pub(super) enum Purpose {
    Task(Task),
    Follow,
    Say(Box<Saying>),
    Claim,
    Watch,
}

impl World {
    pub(super) fn start(&mut self, host: usize, op: Op, purpose: Purpose) {
        let client = self.agent(host).client;
        let id = self.call(client, Call::new(op));
        self.agent(host).calls.insert(id, purpose);
    }

    pub(super) fn follow(&mut self, host: usize) {
        let op = self.agent(host).following.begin();
        self.start(host, op, Purpose::Follow);
    }

    pub(crate) fn agent_hears(&mut self, host: usize, incarnation: u64, id: u64, outcome: Outcome) {
        if !self.is_there(host, incarnation) {
            return;
        }
        let Some(purpose) = self.agent(host).calls.remove(&id) else { return };
        match (purpose, outcome) {
            (Purpose::Task(mut task), Outcome::Answer(answer)) => {
                let mut versions = std::mem::take(&mut self.agent(host).versions);
                let step = task.answered(answer, &mut versions);
                self.agent(host).versions = versions;
                match step {
                    Step::Ask(op) => self.start(host, op, Purpose::Task(task)),
                    Step::Over(event) => {
                        self.feed(host, event.clone());
                        if self.faults.is_doubled && self.hosts[host].agent.is_some() && self.chance.once_in(5) {
                            self.feed(host, event);
                        }
                    }
                }
            }
            (Purpose::Follow, Outcome::Answer(answer)) => match self.agent(host).following.answered(answer) {
                Step::Ask(op) => self.start(host, op, Purpose::Follow),
                Step::Over(Ok(desired)) => {
                    let event = Event::Desired(desired);
                    if self.faults.is_doubled && self.chance.once_in(3) {
                        self.feed(host, event.clone());
                    }
                    if self.hosts[host].agent.is_some() {
                        self.feed(host, event);
                    }
                    if self.hosts[host].agent.is_some() {
                        self.follow(host);
                    }
                }
                Step::Over(Err(refused)) => self.breaks(|| format!("h{host}: what is to be done: {refused}")),
            },
            (Purpose::Say(mut saying), Outcome::Answer(answer)) => match saying.say.answered(answer) {
                // An agent that has lost its place publishes nothing more, and one that is not sure of its own
                // publishes later.
                Step::Ask(_) if !self.agent(host).is_claimed || !self.agent(host).is_in_touch => {
                    let agent = self.agent(host);
                    agent.is_saying = false;
                    if agent.is_claimed {
                        agent.dirty.entry(saying.path).or_insert(saying.said);
                    }
                    self.check_ended(host);
                }
                Step::Ask(op) => self.start(host, op, Purpose::Say(saying)),
                Step::Over(result) => {
                    if let Ok(version) = result {
                        let Saying { path, said, .. } = *saying;
                        self.agent(host).versions.note(path, said.space(), version);
                    }
                    self.agent(host).is_saying = false;
                    self.publish(host);
                    self.check_ended(host);
                }
            },
            (Purpose::Claim, Outcome::Plain(reply)) => self.claim_hears(host, reply),
            (Purpose::Watch, Outcome::Answer(Answer::Node(_))) => match self.agent(host).claim {
                Claim::Behind => self.claim(host),
                Claim::Held => {
                    self.touch(host, false);
                    if self.hosts[host].agent.is_some() {
                        self.look_at_place(host);
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }
}
