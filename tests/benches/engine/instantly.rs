//! A cloud that does everything at once, and its targets.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use wattle::model::{Name, Value};
use wattle_converge::{Id, Job, Known, Outcome, Sight, Target, Thing, Wanted as One, What};
use wattle_runtime::deploy::{Blindness, Cloud, Maker, Rows, Seen};

/// The only type.
const KIND: &str = "Thing";

/// A cloud that does everything at once.
#[derive(Debug, Default)]
pub(crate) struct Instantly(Mutex<BTreeMap<Id, Value>>);

fn thing(mark: Id) -> Thing {
    Thing { phys: format!("thing-{mark}").into(), attributes: BTreeMap::new() }
}

#[async_trait]
impl Cloud for Instantly {
    fn kinds(&self) -> BTreeSet<Name> {
        BTreeSet::from([KIND.into()])
    }

    async fn carry_out(&self, job: &Job) -> Outcome {
        let mut things = self.0.lock().expect("nobody panics");
        match &job.what {
            What::Create { properties } | What::Update { properties } => {
                things.insert(job.row, properties.clone());
                Outcome::Done(Some(thing(job.row)))
            }
            other => panic!("{other:?} is not asked for here"),
        }
    }

    async fn list(&self, _: &BTreeSet<Name>, rows: &Rows) -> Result<Vec<Seen>, Blindness> {
        let things = self.0.lock().expect("nobody panics");
        let seen = things.iter().map(|(mark, properties)| {
            assert!(
                rows.expected.get(mark).is_none_or(|expected| expected.properties == *properties),
                "nobody changes anything"
            );
            Seen { row: *mark, kind: KIND.into(), sight: Sight::Ready(thing(*mark)) }
        });
        Ok(seen.collect())
    }
}

/// Makes targets from the number of resources, and which one differs from the others.
#[derive(Debug)]
pub(crate) struct Numbered;

impl Maker for Numbered {
    fn make(&self, source: &str) -> Result<Arc<dyn Target>, String> {
        let (size, changed) = source.split_once(' ').ok_or("two words are needed")?;
        let size = size.parse().map_err(|_| "a number is needed")?;
        Ok(Arc::new(Many { size, changed: changed.parse().ok() }))
    }
}

#[derive(Debug)]
struct Many {
    size: u32,
    changed: Option<u32>,
}

fn name(number: u32) -> Name {
    format!("thing{number}").into()
}

impl Target for Many {
    fn resources(&self) -> Vec<(Name, Vec<Name>)> {
        let needs = |number: u32| if number.is_multiple_of(10) { Vec::new() } else { vec![name(number / 10 * 10)] };
        (0..self.size).map(|number| (name(number), needs(number))).collect()
    }

    fn resolve(&self, name: &str, _: &Known<'_>) -> Result<One, String> {
        let is_changed = self.changed.is_some_and(|changed| name == &*self::name(changed));
        let text: Name = if is_changed { "another".into() } else { "one".into() };
        Ok(One {
            kind: KIND.into(),
            fixed: "".into(),
            free: text.clone(),
            varying: BTreeMap::new(),
            shows: BTreeSet::new(),
            exclusive: BTreeSet::new(),
            turns: BTreeSet::new(),
            drains: false,
            corrects: false,
            patience: None,
            properties: Value::Str(text),
        })
    }
}
