//! A cloud of things that have a text, and targets written as lines: `NAME[!] = TEXT [after NAME...]`, where a thing
//! with `!` is replaced when its text changes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use wattle::model::{Name, Value};
use wattle_converge::{Id, Job, Known, Outcome, Sight, Target, Thing, Wanted, What};
use wattle_runtime::deploy::{Blindness, Cloud, Maker, Rows, Seen};

/// The only type.
pub(crate) const KIND: &str = "Thing";

/// A thing with a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Text {
    pub(crate) name: Name,
    pub(crate) text: Name,
}

/// Things by their marks.
#[derive(Debug, Default)]
pub(crate) struct Things {
    pub(crate) there: BTreeMap<Id, Text>,
    /// Requests, as texts.
    pub(crate) asked: Vec<String>,
    /// How many times the things were listed.
    pub(crate) looks: u32,
    /// Things that cannot be created.
    pub(crate) refused: BTreeSet<Name>,
    /// How long requests take.
    pub(crate) takes: Duration,
    /// Things whose creations get no response.
    pub(crate) silent: BTreeSet<Name>,
    /// Why listing fails, if it does.
    pub(crate) blind: Option<Blindness>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct MadeUp(pub(crate) Arc<Mutex<Things>>);

impl MadeUp {
    pub(crate) fn things(&self) -> MutexGuard<'_, Things> {
        self.0.lock().unwrap()
    }

    /// Names with their texts.
    pub(crate) fn there(&self) -> Vec<String> {
        let mut there: Vec<String> =
            self.things().there.values().map(|thing| format!("{}={}", thing.name, thing.text)).collect();
        there.sort();
        there
    }
}

fn phys(mark: Id) -> Name {
    format!("thing-{mark}").into()
}

fn thing(mark: Id) -> Thing {
    Thing { phys: phys(mark), attributes: BTreeMap::new() }
}

fn text(properties: &Value) -> Name {
    match properties {
        Value::Str(text) => text.clone(),
        other => panic!("no text: {other:?}"),
    }
}

#[async_trait]
impl Cloud for MadeUp {
    fn kinds(&self) -> BTreeSet<Name> {
        BTreeSet::from([KIND.into()])
    }

    async fn carry_out(&self, job: &Job) -> Outcome {
        let takes = self.things().takes;
        tokio::time::sleep(takes).await;
        let mut things = self.things();
        let mark = job.row;
        let what = match &job.what {
            What::Create { .. } => "create",
            What::Look => "look",
            What::Read => "read",
            What::Update { .. } => "update",
            What::Release { .. } => "release",
            What::Drain => "drain",
            What::Delete => "delete",
        };
        things.asked.push(format!("{what} {}", job.name));
        match &job.what {
            What::Create { .. } if things.refused.contains(&job.name) => Outcome::Refused("no room".into()),
            What::Create { properties } => {
                assert!(!things.there.contains_key(&mark), "nothing is made twice");
                things.there.insert(mark, Text { name: job.name.clone(), text: text(properties) });
                if things.silent.contains(&job.name) { Outcome::Unknown } else { Outcome::Done(Some(thing(mark))) }
            }
            What::Update { properties } => match things.there.get_mut(&mark) {
                None => Outcome::Absent,
                Some(known) => {
                    known.text = text(properties);
                    Outcome::Done(Some(thing(mark)))
                }
            },
            What::Look | What::Read if things.there.contains_key(&mark) => Outcome::Done(Some(thing(mark))),
            What::Look | What::Read => Outcome::Absent,
            What::Delete => things.there.remove(&mark).map_or(Outcome::Absent, |_| Outcome::Done(None)),
            What::Release { .. } | What::Drain => Outcome::Done(None),
        }
    }

    async fn list(&self, _: &BTreeSet<Name>, rows: &Rows) -> Result<Vec<Seen>, Blindness> {
        let mut things = self.things();
        things.looks += 1;
        if let Some(blind) = &things.blind {
            return Err(blind.clone());
        }
        let seen = things.there.iter().map(|(mark, known)| {
            let expected = rows.expected.get(mark).map(|expected| text(&expected.properties));
            let sight = match expected {
                Some(expected) if expected != known.text => {
                    Sight::Changed(thing(*mark), format!("its text is {}", known.text).into())
                }
                _ => Sight::Ready(thing(*mark)),
            };
            let row = rows.by_phys.get(&(KIND.into(), phys(*mark))).copied().unwrap_or(*mark);
            Seen { row, kind: KIND.into(), sight }
        });
        Ok(seen.collect())
    }
}

/// Makes targets from lines.
#[derive(Debug)]
pub(crate) struct Lines;

impl Maker for Lines {
    fn make(&self, source: &str) -> Result<Arc<dyn Target>, String> {
        let mut all = BTreeMap::new();
        for line in source.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (name, rest) = line.split_once(" = ").ok_or(format!("`{line}` has no text"))?;
            let (text, after) = rest.split_once(" after ").unwrap_or((rest, ""));
            let (name, is_fixed) = name.strip_suffix('!').map_or((name, false), |name| (name, true));
            let after = after.split_whitespace().map(Name::from).collect();
            all.insert(Name::from(name), One { text: text.into(), is_fixed, after });
        }
        Ok(Arc::new(All(all)))
    }
}

#[derive(Debug)]
struct One {
    text: Name,
    is_fixed: bool,
    after: Vec<Name>,
}

#[derive(Debug)]
struct All(BTreeMap<Name, One>);

impl Target for All {
    fn resources(&self) -> Vec<(Name, Vec<Name>)> {
        self.0.iter().map(|(name, one)| (name.clone(), one.after.clone())).collect()
    }

    fn resolve(&self, name: &str, _: &Known<'_>) -> Result<Wanted, String> {
        let one = &self.0[name];
        let (fixed, free) = if one.is_fixed { (one.text.clone(), "".into()) } else { ("".into(), one.text.clone()) };
        Ok(Wanted {
            kind: KIND.into(),
            fixed,
            free,
            varying: BTreeMap::new(),
            shows: BTreeSet::new(),
            exclusive: BTreeSet::new(),
            turns: BTreeSet::new(),
            drains: false,
            corrects: false,
            patience: None,
            properties: Value::Str(one.text.clone()),
        })
    }
}
