//! Whether `plan` matches what Heat and agents do, and whether renamed elements keep their identity.

mod agents;
mod alike;
mod carried;
mod cut;
mod heat;
mod moved;
mod required;
mod software;
mod update;

use wattle::lower::{Lowered, Options, lower};
use wattle::model::Model;
use wattle::plan::State;

/// What `emit` would write.
pub(crate) fn state(model: &Model) -> State {
    state_of(&lower(model, &Options::default()))
}

pub(crate) fn state_of(lowered: &Lowered) -> State {
    let json = |template| {
        let mut text = Vec::new();
        wattle::emit::json(template, &mut text).expect("emits");
        String::from_utf8(text).expect("text")
    };
    let nested = lowered.nested.iter().map(|(name, template)| (name.clone(), json(template)));
    let files = nested.chain([("template.yaml".to_owned(), json(&lowered.template))]).collect();
    State::new(&files, Default::default(), Some(lowered.seed.clone())).expect("a state")
}
