//! Computes the predicates' inputs from the desired state and the rows alone, exactly as the rules are stated. It is
//! slow, and serves to check the index.

use std::collections::BTreeMap;

use wattle_model::{Name, Value};

use crate::predicates::{self, Action};
use crate::state::State;
use crate::view::{Needs, View};
use crate::{Id, Known, Row, Wanted};

/// The derived facts of a name.
#[derive(Default)]
struct Follows {
    wanted: Option<Wanted>,
    needs: Needs,
    pick: Option<Id>,
    is_done: bool,
}

/// All facts derived from a desired state and rows.
pub(crate) struct Reading<'a> {
    state: &'a State,
    /// The names of the target and of rows, in the order of the table.
    names: Vec<&'a Name>,
    requires: BTreeMap<Name, Vec<Name>>,
    follows: Vec<Follows>,
}

impl<'a> Reading<'a> {
    pub(crate) fn of(state: &'a State) -> Self {
        let names: Vec<&Name> = state.index.names.keys().collect();
        let requires = state.desired.iter().flat_map(|desired| desired.desire.target.resources()).collect();
        let follows = names.iter().map(|_| Follows::default()).collect();
        let mut reading = Self { state, names, requires, follows };
        for place in 0..reading.names.len() {
            reading.read(place);
        }
        reading
    }

    fn place_named(&self, name: &Name) -> usize {
        self.names.iter().position(|other| *other == name).expect("INVARIANT: each name is in the table")
    }

    /// Derives the facts of a name, after those of its dependencies.
    fn read(&mut self, place: usize) {
        let Some(requires) = self.requires.get(self.names[place]).cloned() else {
            self.follows[place].is_done = true;
            return;
        };
        if self.follows[place].wanted.is_some() {
            return;
        }
        let requires: Vec<usize> = requires.iter().map(|name| self.place_named(name)).collect();
        requires.iter().for_each(|dependency| self.read(*dependency));
        if !requires.iter().all(|dependency| self.follows[*dependency].is_done) {
            return;
        }
        let thing = |name: &str| {
            let dependency = requires.iter().find(|dependency| &**self.names[**dependency] == name)?;
            self.state.rows[&self.follows[*dependency].pick?].row.thing.as_ref()
        };
        let target =
            &self.state.desired.as_ref().expect("INVARIANT: what is required comes from a desired state").desire.target;
        let Ok(mut wanted) = target.resolve(self.names[place], &Known(&thing)) else { return };
        wanted.properties = Value::Null;
        let picks = requires.iter().filter_map(|dependency| self.follows[*dependency].pick);
        let needs = Needs::of(picks.map(|pick| self.row(pick)), Some(&wanted));
        let corrects = self.corrects();
        let pick = predicates::pick(self.rows(place), &wanted, &needs, corrects);
        let is_done = pick.is_some_and(|pick| predicates::done(self.row(pick), &wanted, &needs, corrects));
        self.follows[place] = Follows { wanted: Some(wanted), needs, pick, is_done };
    }

    /// The first action that needs no job.
    pub(crate) fn free(&self) -> Option<Action> {
        (0..self.names.len()).find_map(|place| predicates::free(self, place))
    }

    /// The first job that may be started.
    pub(crate) fn job(&self) -> Option<Action> {
        (0..self.names.len()).find_map(|place| predicates::job(self, place))
    }
}

impl View for Reading<'_> {
    fn generation(&self) -> u64 {
        self.state.generation()
    }

    fn is_complete(&self) -> bool {
        self.state.is_complete()
    }

    fn is_early(&self) -> bool {
        self.state.is_early()
    }

    fn is_expired(&self) -> bool {
        self.state.is_expired()
    }

    fn corrects(&self) -> bool {
        self.state.corrects()
    }

    fn is_tired(&self, place: usize) -> bool {
        self.state.is_tired(place)
    }

    fn row(&self, id: Id) -> &Row {
        &self.state.rows[&id].row
    }

    fn rows(&self, place: usize) -> impl Iterator<Item = &Row> {
        self.state.rows().filter(move |row| row.name == *self.names[place])
    }

    fn place(&self, row: &Row) -> usize {
        self.place_named(&row.name)
    }

    fn asks_for_nothing(&self) -> bool {
        self.state.desired.is_some() && self.requires.is_empty()
    }

    fn is_in_target(&self, place: usize) -> bool {
        self.requires.contains_key(self.names[place])
    }

    fn is_known(&self, place: usize) -> bool {
        !self.is_in_target(place) || self.follows[place].wanted.is_some()
    }

    fn wanted(&self, place: usize) -> Option<&Wanted> {
        self.follows[place].wanted.as_ref()
    }

    fn needs(&self, place: usize) -> &Needs {
        &self.follows[place].needs
    }

    fn pick(&self, place: usize) -> Option<Id> {
        self.follows[place].pick
    }

    fn is_done(&self, place: usize) -> bool {
        self.follows[place].is_done
    }

    fn is_everything_done(&self) -> bool {
        self.state.desired.is_some() && self.follows.iter().all(|follows| follows.is_done)
    }

    fn is_required(&self, id: Id) -> bool {
        self.state.rows().any(|row| row.all_required().any(|required| required == id))
    }

    fn is_good(&self, id: Id) -> bool {
        self.state.is_good(id)
    }

    fn holders(&self, exclusive: &Name) -> Vec<Id> {
        let holds = |row: &&Row| row.all_held().any(|held| held == exclusive);
        self.state.rows().filter(holds).map(|row| row.id).collect()
    }
}
