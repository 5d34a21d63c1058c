//! Runs a scenario: its steps, and the jobs held until each of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use wattle::model::Name;
use wattle_converge::{Desire, Event, Job, Limits, Notice, State, Stored, Time};

use super::format::{At, Change, Expect, Scenario, Step, Taken};
use super::reality::{Reality, are, verb};
use super::template::Template;

/// An engine, its reality, and the held jobs that it has begun.
struct Run<'a> {
    scenario: &'a Scenario,
    state: State,
    reality: Reality,
    held: Vec<Job>,
    now: u64,
    /// Changes in reality since the last request.
    changes: Vec<Change>,
    remembered: BTreeMap<Name, Name>,
    /// All events, for messages.
    journal: Vec<String>,
}

/// Runs a scenario.
///
/// # Errors
///
/// The failed expectation and its step, with all events.
pub(crate) fn run(scenario: &Scenario) -> Result<(), String> {
    let loaded =
        State::load(Stored::default(), 1, Limits { at_once: usize::MAX, ..Limits::default() }, Time::from_millis(0));
    let state = loaded.map_err(|refusal| refusal.to_string())?.0;
    let mut run = Run {
        scenario,
        state,
        reality: Reality::default(),
        held: Vec::new(),
        now: 0,
        changes: Vec::new(),
        remembered: BTreeMap::new(),
        journal: Vec::new(),
    };
    run.steps().map_err(|why| {
        let happened: String = run.journal.iter().map(|line| format!("    {line}\n")).collect();
        format!("  {why}\n  what happened:\n{happened}")
    })
}

impl Run<'_> {
    fn steps(&mut self) -> Result<(), String> {
        let steps = &self.scenario.steps;
        let mut waiting: Vec<(usize, &Expect)> = Vec::new();
        let mut has_ticked = false;
        for (number, step) in steps.iter().enumerate() {
            let label = |why: String| format!("step {} ({}): {why}", number + 1, step.words());
            match &step.taken {
                Taken::Ticks => has_ticked = true,
                Taken::Expect(expect) => match &step.at {
                    Some(at) => {
                        self.reach(at).map_err(label)?;
                        self.check(expect).map_err(label)?;
                    }
                    None if is_cut_short(&steps[number + 1..]) => waiting.push((number, expect)),
                    None => {
                        self.reach(&At::Idle).map_err(label)?;
                        self.check(expect).map_err(label)?;
                    }
                },
                Taken::Desire(_) | Taken::Rollback => {
                    match &step.at {
                        Some(at) => self.reach(at).map_err(label)?,
                        None if has_ticked => self.reach(&At::Idle).map_err(label)?,
                        None => {}
                    }
                    for (number, expect) in std::mem::take(&mut waiting) {
                        self.check(expect)
                            .map_err(|why| format!("step {} ({}): {why}", number + 1, steps[number].words()))?;
                    }
                    self.take(step).map_err(label)?;
                    has_ticked = false;
                }
            }
        }
        self.reach(&At::Idle)?;
        for (number, expect) in waiting {
            self.check(expect).map_err(|why| format!("step {} ({}): {why}", number + 1, steps[number].words()))?;
        }
        if let Some(counts) = &self.scenario.end {
            let is = self.reality.counts();
            if is != *counts {
                return Err(format!("at the end there is {}, and there is to be {}", counted(&is), counted(counts)));
            }
        }
        Ok(())
    }

    /// Makes a request.
    fn take(&mut self, step: &Step) -> Result<(), String> {
        self.journal.push(format!("-- {}", step.words()));
        self.changes.clear();
        let event = match &step.taken {
            Taken::Desire(template) => Event::Desire(Desire::new(Arc::new(self.template(template)))),
            // The last complete template, which may be the current one.
            _ => match self.state.good().next().map(|good| good.desired.generation) {
                Some(generation) => Event::Rollback { to: Some(generation) },
                None => Event::Desire(Desire::nothing()),
            },
        };
        self.tell(event)
    }

    fn template(&self, name: &Name) -> Template {
        self.scenario.templates.get(name).cloned().unwrap_or_default()
    }

    fn tell(&mut self, event: Event) -> Result<(), String> {
        self.now += 1;
        let step = self.state.step(event, Time::from_millis(self.now));
        for notice in step.notices {
            match notice {
                Notice::Refused(refusal) => return Err(format!("the engine refuses it: {refusal}")),
                Notice::Settled { roots, .. } if !roots.is_empty() => {
                    let roots: Vec<String> = roots.iter().map(ToString::to_string).collect();
                    return Err(format!("the engine gives up: {}", roots.join("; ")));
                }
                Notice::Settled { .. } | Notice::Stalled(_) | Notice::Look(_) => {}
            }
        }
        for job in step.jobs {
            self.journal.push(format!("   begun: {} {}", verb(&job), job.name));
            self.held.push(job);
        }
        Ok(())
    }

    /// Carries out the held job with this index.
    fn release(&mut self, place: usize) -> Result<(), String> {
        let job = self.held.remove(place);
        let change = change(&job);
        self.journal.push(format!("   done:  {change}"));
        let outcome = self.reality.carry_out(&job);
        self.changes.push(change);
        self.tell(Event::Done { job: job.id, row: job.row, outcome })
    }

    /// Continues until reality has changed as specified, and no further.
    fn reach(&mut self, at: &At) -> Result<(), String> {
        let At::Moment { done, one_of, open } = at else {
            while !self.held.is_empty() {
                self.release(0)?;
            }
            return Ok(());
        };
        let mut left = done.clone();
        let mut more: Vec<Change> = Vec::new();
        for change in &self.changes {
            match left.iter().position(|other| other == change) {
                Some(place) => drop(left.remove(place)),
                None => more.push(change.clone()),
            }
        }
        let mut is_one_there = false;
        for change in more {
            if is_one_there || !one_of.contains(&change) {
                return Err(format!("`{change}` is done by then, and is not to be"));
            }
            is_one_there = true;
        }
        while !left.is_empty() {
            let next = self.held.iter().enumerate().find_map(|(place, job)| {
                let of_left = left.iter().position(|left| *left == change(job))?;
                Some((place, of_left))
            });
            let Some((place, of_left)) = next else {
                return Err(format!("{} cannot come to be done{}", quoted(&left), self.held_words()));
            };
            left.remove(of_left);
            self.release(place)?;
        }
        if !one_of.is_empty() && !is_one_there {
            let Some(place) = self.held.iter().position(|job| one_of.contains(&change(job))) else {
                return Err(format!("neither of {} can come to be done{}", quoted(one_of), self.held_words()));
            };
            self.release(place)?;
        }
        match self.changes.iter().find(|change| open.contains(&change.name)) {
            Some(change) => Err(format!("`{change}` is done by then, although `{}` is to be open", change.name)),
            None => Ok(()),
        }
    }

    fn held_words(&self) -> String {
        let held: Vec<Change> = self.held.iter().map(change).collect();
        if held.is_empty() {
            ": the engine has begun nothing else".to_owned()
        } else {
            format!(": the engine has begun {}", quoted(&held))
        }
    }

    fn check(&mut self, expect: &Expect) -> Result<(), String> {
        if let Some(template) = &expect.matches {
            self.reality
                .differs(&self.template(template))
                .map_err(|why| format!("reality does not match `{template}`: {why}"))?;
        }
        if let Some(total) = expect.total {
            let is = self.reality.total();
            if is != total {
                return Err(format!("in all there {}, and there is to be {total}", are(is)));
            }
        }
        for (name, count) in &expect.count {
            let is = self.reality.of(name).len();
            if is != *count {
                return Err(format!("there {} of `{name}`, and there is to be {count}", are(is)));
            }
        }
        for (key, name) in &expect.remember {
            let phys = self.only(name)?;
            self.remembered.insert(key.clone(), phys);
        }
        for (is_same, pairs) in [(true, &expect.same), (false, &expect.differs)] {
            for (name, key) in pairs {
                let was = self.remembered.get(key).ok_or_else(|| format!("nothing is remembered as `{key}`"))?.clone();
                let is = self.only(name)?;
                if (is == was) != is_same {
                    let word = if is_same { "another one than" } else { "still" };
                    return Err(format!("`{name}` is `{is}`, {word} `{was}`"));
                }
            }
        }
        Ok(())
    }

    /// The only thing of a resource.
    fn only(&self, name: &Name) -> Result<Name, String> {
        match self.reality.of(name)[..] {
            [phys] => Ok(phys.clone()),
            ref all => Err(format!("there {} of `{name}`, and there is to be one", are(all.len()))),
        }
    }
}

/// Whether the next step comes while something is left to do.
fn is_cut_short(steps: &[Step]) -> bool {
    let next = steps.iter().find(|step| {
        !matches!(step.taken, Taken::Ticks) && (step.at.is_some() || !matches!(step.taken, Taken::Expect(_)))
    });
    next.is_some_and(|step| matches!(step.at, Some(At::Moment { .. })))
}

fn change(job: &Job) -> Change {
    Change { verb: verb(job).to_owned(), name: job.name.clone() }
}

fn quoted(changes: &[Change]) -> String {
    changes.iter().map(|change| format!("`{change}`")).collect::<Vec<_>>().join(", ")
}

fn counted(counts: &BTreeMap<Name, usize>) -> String {
    let words: Vec<String> = counts.iter().map(|(name, count)| format!("{count} of `{name}`")).collect();
    if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
}
