//! A runner whose recipes are instructions in their files.

use std::collections::BTreeMap;
use std::fs;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tokio::time::sleep;
use wattle::model::{self, IndexMap, Name};
use wattle_runtime::recipe::{Broken, RecipeRun, Runner};
use wattle_runtime::space::{FailureKind, Script};

use crate::chance::Chance;
use crate::journal::records;

use super::oracle::value;
use super::topology::{Behaviour, Recipe};

/// The observations of the runners of a case, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Log(Arc<Mutex<Vec<Event>>>);

#[derive(Clone, Debug)]
pub(super) struct Event {
    /// `SERVER/COMPONENT`.
    pub(super) component: String,
    pub(super) what: What,
    /// The inputs of the run.
    pub(super) inputs: BTreeMap<String, Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Started,
    Succeeded,
    TearsDown,
    TornDown,
}

impl Log {
    pub(super) fn events(&self) -> MutexGuard<'_, Vec<Event>> {
        self.0.lock().expect("INVARIANT: nothing panics while it holds the log")
    }

    fn add(&self, job: &RecipeRun, what: What, inputs: BTreeMap<String, Value>) {
        self.events().push(Event { component: job.name.to_string(), what, inputs });
    }
}

/// Runs recipes that are JSON.
#[derive(Debug)]
pub(super) struct Fake {
    pub(super) log: Log,
    pub(super) random: Mutex<Chance>,
}

impl Fake {
    async fn work(&self, seconds: f64) {
        let delay = self.random.lock().expect("INVARIANT: nothing panics while it holds it").delay(seconds);
        sleep(delay).await;
    }
}

fn broken(kind: FailureKind, message: &str) -> Broken {
    Broken { kind, message: message.to_owned(), log: Vec::new(), cause: None }
}

fn plain(value: &model::Value) -> Value {
    serde_json::to_value(value).expect("INVARIANT: it is JSON")
}

#[async_trait]
impl Runner for Fake {
    async fn run(&self, job: &RecipeRun) -> Result<IndexMap<Name, model::Value>, Broken> {
        let file = fs::read_to_string(job.directory.join("files/recipes/recipe.json")).expect("the recipe is there");
        let recipe: Recipe = serde_json::from_str(&file).expect("the recipe is what it was");
        let given: BTreeMap<String, Value> =
            job.inputs.iter().map(|(name, value)| (name.to_string(), plain(value))).collect();
        if job.script == Script::Teardown {
            self.log.add(job, What::TearsDown, given.clone());
            self.work(20.0).await;
            if recipe.teardown_fails {
                return Err(broken(FailureKind::Recipe, "it would not go"));
            }
            self.log.add(job, What::TornDown, given);
            return Ok(IndexMap::default());
        }
        assert_runs_for_a_reason(job);
        self.log.add(job, What::Started, given.clone());
        let mut inputs = BTreeMap::new();
        for name in &recipe.reads {
            let value = if recipe.chef {
                let value = job.live.input(name).await;
                let value = value.map_err(|failure| Broken {
                    cause: Some(Box::new(failure)),
                    ..broken(FailureKind::Input, "no input")
                })?;
                plain(&value.expect("it is wired"))
            } else {
                given[name].clone()
            };
            inputs.insert(name.clone(), value);
            self.work(3.0).await;
        }
        if recipe.chef {
            let nothing = job.live.input("not_wired").await;
            assert!(nothing == Ok(None), "{nothing:?}");
        }
        self.work(30.0).await;
        let component = job.name.split('/').nth(1).expect("SERVER/COMPONENT");
        let mut outputs: IndexMap<Name, model::Value> = IndexMap::default();
        for output in job.component.outputs.keys() {
            let value = value(component, recipe.version, output, &inputs);
            outputs.insert(output.clone(), serde_json::from_value(value).expect("INVARIANT: it is JSON"));
        }
        if matches!(recipe.behaviour, Behaviour::Early | Behaviour::EarlyAndFails)
            && let Some((name, value)) = outputs.first()
        {
            job.live.publish(name, value.clone()).await.expect("it fits");
            self.work(30.0).await;
            // Like a tool that does not report it again.
            outputs.shift_remove_index(0);
        }
        match recipe.behaviour {
            Behaviour::Fine | Behaviour::Early => {}
            Behaviour::EarlyAndFails | Behaviour::Fails => return Err(broken(FailureKind::Recipe, "as it was told")),
            Behaviour::Hangs => sleep(Duration::MAX).await,
            Behaviour::WrongType => outputs.values_mut().for_each(|value| *value = true.into()),
            Behaviour::Forgets => outputs.clear(),
            Behaviour::TooLarge => outputs.values_mut().for_each(|value| *value = "x".repeat(1_000_000).into()),
        }
        self.log.add(job, What::Succeeded, inputs);
        Ok(outputs)
    }
}

/// Asserts that a finished component does not run again unless something of it changed, according to the journal on the
/// disk.
fn assert_runs_for_a_reason(job: &RecipeRun) {
    let state = job.directory.ancestors().nth(2).expect("INVARIANT: STATE/run/COMPONENT");
    let journal = records(&fs::read(state.join("journal")).expect("there is a journal"));
    let component = job.name.split('/').nth(1).expect("SERVER/COMPONENT");
    let of = journal.iter().filter(|(_, record)| record["component"] == component);
    let mut last: Option<&Value> = None;
    let mut finished: Option<(&Value, &Value)> = None;
    for (kind, record) in of {
        match &**kind {
            "started" => {
                if let Some((started, fingerprint)) = finished {
                    let same_revision = started["revision"] == record["revision"];
                    assert!(
                        !same_revision && record["fingerprint"] != *fingerprint,
                        "{} is run again although it finished:\n{journal:#?}",
                        job.name
                    );
                }
                (last, finished) = (Some(record), None);
            }
            "finished" => finished = last.map(|last| (last, &record["fingerprint"])),
            "undoing" | "gone" => finished = None,
            _ => {}
        }
    }
    assert!(last.is_some(), "{} runs, and the journal does not know it:\n{journal:#?}", job.name);
}
