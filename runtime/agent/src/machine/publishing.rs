//! Publishes the results of components to the data space.

use wattle_model::{Name, Value};

use crate::SERVER;
use crate::content::Content;
use crate::failure::FailureKind;
use crate::outputs::same;
use crate::status::State;
use crate::vault::Vault;

use super::component::{End, Outcome, Phase};
use super::context::{Context, Pending};
use super::event::{Action, Level, Seen, WriteError};
use super::work::Work;

impl Work {
    /// Handles the end of a component, which is on disk.
    pub(super) fn ended<V: Vault>(&mut self, cx: &mut Context<V>, place: usize) {
        let component = &mut self.components[place];
        let phase = std::mem::replace(&mut component.phase, Phase::Ended(Outcome::Abandoned));
        if let Phase::Ending(end) = phase {
            self.publish(cx, place, *end);
        }
    }

    /// Publishes its outputs, or its failure in place of every output that is not published.
    pub(super) fn publish<V: Vault>(&mut self, cx: &mut Context<V>, place: usize, end: End) {
        if self.is_superseded {
            // The results are in the journal, and the newer revision publishes them.
            return self.end(cx, place, Outcome::Abandoned);
        }
        let component = &self.components[place];
        let contents: Vec<(Name, Content)> = match &end {
            End::Done(outputs) => {
                outputs.iter().map(|(output, stored)| (output.clone(), stored.content.clone())).collect()
            }
            End::Failed(failure) => {
                // Outputs that a run in an earlier revision published are not valid in this one.
                let known = cx.memory.known(&component.name).filter(|known| known.revision == self.id);
                let early = |output: &Name| Some(known?.early.get(output)?.content.clone());
                let content = |output: &Name| early(output).unwrap_or_else(|| Content::Failure(failure.clone()));
                component.planned.outputs.keys().map(|output| (output.clone(), content(output))).collect()
            }
        };
        let outcome = match end {
            End::Done(_) => Outcome::Done,
            End::Failed(failure) => Outcome::Failed(failure),
        };
        let mut left = 0;
        for (output, content) in contents {
            let (component, revision) = (&self.components[place], self.id.revision.clone());
            let entry = component.entry(&output);
            match component.there.get(&output) {
                Some(there) if same(&entry, there, &content, &cx.setup.vault) => {}
                Some(_) => stays(cx, &component.full.clone(), revision.number, &entry),
                None => {
                    left += 1;
                    let pending = Pending::Write { component: place, output, content: content.clone() };
                    cx.ask(pending, |ticket| Action::Write(ticket, entry, revision, content));
                }
            }
        }
        self.components[place].phase = Phase::Publishing(left, Box::new(outcome));
        self.is_published(cx, place);
    }

    /// Handles the result of writing one of its entries.
    pub(super) fn written<V: Vault>(
        &mut self,
        cx: &mut Context<V>,
        place: usize,
        (output, content): (&Name, &Content),
        result: Result<Option<Content>, WriteError>,
    ) {
        let component = &self.components[place];
        let (full, entry) = (component.full.clone(), component.entry(output));
        log_write(cx, &full, self.id.revision.number, (&entry, content), result);
        if let Phase::Publishing(left, _) = &mut self.components[place].phase {
            *left = left.saturating_sub(1);
        }
        self.is_published(cx, place);
    }

    fn is_published<V: Vault>(&mut self, cx: &mut Context<V>, place: usize) {
        let component = &mut self.components[place];
        if let Phase::Publishing(0, outcome) = &component.phase {
            let outcome = (**outcome).clone();
            let state = match &outcome {
                Outcome::Done => State::Done,
                Outcome::Failed(failure) => State::Failed(failure.clone()),
                Outcome::Abandoned => return self.end(cx, place, outcome),
            };
            cx.show(&component.name, state, None);
            self.end(cx, place, outcome);
        }
    }

    /// Handles the known contents of an attribute's entry.
    pub(super) fn attribute_peeked<V: Vault>(&mut self, cx: &mut Context<V>, key: Name, seen: &Seen) {
        match self.plan.publishes.get(&key).filter(|_| *seen == Seen::Nothing) {
            None => self.attributes = self.attributes.saturating_sub(1),
            Some(attribute) => {
                let attribute = attribute.clone();
                cx.ask(Pending::FindAttribute(key), |ticket| Action::Attribute(ticket, attribute));
            }
        }
    }

    /// Publishes an attribute, or the failure to determine it.
    pub(super) fn attribute_found<V: Vault>(&mut self, cx: &mut Context<V>, key: Name, value: Result<Value, String>) {
        let content = match value {
            Ok(value) => Content::Value(value),
            Err(why) => {
                let message = format!("the attribute `{key}` of the server cannot be read: {why}");
                cx.log(Level::Error, None, message.clone());
                let owner = cx.full(SERVER);
                Content::Failure(cx.failure(&owner, FailureKind::Input, message, Vec::new()))
            }
        };
        let (entry, revision) = (attribute_entry(cx, &key), self.id.revision.clone());
        cx.ask(Pending::WriteAttribute(key, content.clone()), |ticket| Action::Write(ticket, entry, revision, content));
    }

    pub(super) fn attribute_written<V: Vault>(
        &mut self,
        cx: &mut Context<V>,
        (key, content): (&Name, &Content),
        result: Result<Option<Content>, WriteError>,
    ) {
        self.attributes = self.attributes.saturating_sub(1);
        let (owner, entry) = (cx.full(SERVER), attribute_entry(cx, key));
        log_write(cx, &owner, self.id.revision.number, (&entry, content), result);
    }
}

pub(super) fn attribute_entry<V: Vault>(cx: &Context<V>, key: &Name) -> Name {
    format!("{}/{SERVER}/{key}", cx.setup.server).into()
}

/// Logs the result of writing an entry.
pub(super) fn log_write<V: Vault>(
    cx: &mut Context<V>,
    full: &Name,
    revision: u64,
    (entry, content): (&Name, &Content),
    result: Result<Option<Content>, WriteError>,
) {
    match result {
        Ok(None) | Err(WriteError::Superseded) => {}
        Ok(Some(there)) if same(entry, &there, content, &cx.setup.vault) => {}
        Ok(Some(_)) => stays(cx, full, revision, entry),
        Err(WriteError::Refused(why)) => {
            cx.trouble(entry.to_string(), Some(format!("cannot publish `{entry}`: {why}")));
        }
    }
}

fn stays<V: Vault>(cx: &mut Context<V>, full: &Name, revision: u64, entry: &Name) {
    let text = format!(
        "`{entry}` already holds another value of revision {revision}, which stays until the next revision \
         (`wattle seed apply --again`)"
    );
    cx.log(Level::Warn, Some(full), text);
}
