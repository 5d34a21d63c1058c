//! Teardown: what has left this server's model is undone, the last that ran first, before anything else is done.

use std::sync::Arc;

use wattle::model::{IndexMap, Name, Value};
use wattle_agent_core::memory::Known;
use wattle_agent_core::record::Record;
use wattle_agent_core::vault::Vault as _;

use crate::clock;
use crate::recipe::{Broken, Job, Live};
use crate::space::{Failure, Kind, Plan, Script};

use super::component::run_within;
use super::files;
use super::shared::Shared;
use super::undo::Undo;

/// What ran on this server and is not in `plan`, the last that ran first.
pub(super) fn due(shared: &Shared, plan: &Plan) -> IndexMap<Name, Known> {
    let journal = shared.journal();
    let left = journal.memory().started().filter(|(component, _)| !plan.components.contains_key(*component));
    left.map(|(component, known)| (component.clone(), known.clone())).collect()
}

/// Tears down what is `due`; false if some of it could not be. That is told, stays known, and is tried again in the next
/// revision and by the next agent.
pub(super) async fn tear_down(shared: &Arc<Shared>, revision: u64, due: IndexMap<Name, Known>) -> bool {
    let mut is_all = true;
    for (component, known) in due {
        let full = shared.full(&component);
        if known.planned.recipe.teardown.is_some() {
            tracing::info!(component = &*full, revision, "has left the model: tears it down");
            if let Err(Broken { kind, message, log, .. }) = one(shared, &component, &known).await {
                for line in &log {
                    tracing::error!(component = &*full, "{line}");
                }
                tracing::error!(
                    "`{full}` has left the model, and its teardown failed: {message}; it is tried again in the next \
                     revision, or when the agent starts again"
                );
                let at = clock::now();
                let failure = Failure { component: full, kind, message, log, at, through: Vec::new() };
                shared.board.torn_down(&component, Some(failure));
                is_all = false;
                continue;
            }
            // Without a teardown, what it left may still use its files.
            let _ = std::fs::remove_dir_all(files::directory(shared, &component));
        }
        shared.record(&[Record::Gone { component: component.clone() }]).await;
        shared.board.torn_down(&component, None);
        tracing::info!(component = &*full, revision, "has left this server");
    }
    is_all
}

async fn one(shared: &Arc<Shared>, component: &Name, known: &Known) -> Result<(), Broken> {
    let broken = |kind, message| Broken { kind, message, log: Vec::new(), cause: None };
    let planned = &known.planned;
    let directory = files::lay_out(shared, component, &planned.recipe.files)
        .await
        .map_err(|(kind, message)| broken(kind, message))?;
    let mut inputs: IndexMap<Name, Value> = IndexMap::default();
    for (name, content) in &known.inputs {
        let value = shared
            .vault
            .reveal(content)
            .map_err(|error| broken(Kind::Input, format!("the input `{name}` that it had: {error}")))?;
        inputs.extend(value.map(|value| (name.clone(), value)));
    }
    // Half undone is not finished: were it to come back, it would have to run.
    shared.record(&[Record::Undoing { component: component.clone() }]).await;
    let live = Undo::new(shared, planned, &inputs);
    let token = live.token().to_owned();
    let job = Job {
        name: shared.full(component),
        component: planned.clone(),
        script: Script::Teardown,
        inputs,
        directory,
        deadline: shared.deadline(planned),
        live: live as Arc<dyn Live>,
    };
    let _entered = shared.runs.enter(&token, &job.live);
    run_within(&*shared.runner, &job).await.map(|_| ())
}
