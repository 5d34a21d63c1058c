//! How the engine's own time grows with the number of resources. It measures and asserts nothing, and is run by
//! `cargo test -p wattle-converge --test growth -- --ignored --nocapture`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use wattle_converge::{Desire, Event, Known, Limits, Outcome, State, Step, Stored, Target, Thing, Time, Wanted, Write};
use wattle_model::{Name, Value};

/// Resources, each with the indexes of those that it refers to.
#[derive(Debug)]
struct Many {
    free: u64,
    requires: Vec<Vec<usize>>,
}

fn name(place: usize) -> Name {
    format!("r{place}").into()
}

impl Target for Many {
    fn resources(&self) -> Vec<(Name, Vec<Name>)> {
        let requires = |on: &Vec<usize>| on.iter().map(|place| name(*place)).collect();
        self.requires.iter().enumerate().map(|(place, on)| (name(place), requires(on))).collect()
    }

    fn resolve(&self, wanted: &str, known: &Known<'_>) -> Result<Wanted, String> {
        let place: usize = wanted[1..].parse().map_err(|_| "not one of ours")?;
        let refs: Vec<&str> =
            self.requires[place].iter().filter_map(|on| Some(&*known.thing(&name(*on))?.phys)).collect();
        Ok(Wanted {
            kind: "thing".into(),
            fixed: "".into(),
            free: format!("{} {refs:?}", self.free).into(),
            varying: BTreeMap::new(),
            shows: BTreeSet::new(),
            exclusive: BTreeSet::from([format!("address of {wanted}").into()]),
            turns: BTreeSet::new(),
            drains: false,
            corrects: false,
            patience: None,
            properties: Value::Null,
        })
    }
}

/// The CPU time of this thread, independent of other work on the machine.
fn processor() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = text.split(' ').next().and_then(|text| text.parse().ok());
    nanos.map_or(Duration::ZERO, Duration::from_nanos)
}

/// Steps the engine until nothing is left to do, with a cloud that takes no time.
fn settle(
    state: &mut State,
    rows: &mut BTreeMap<wattle_converge::Id, wattle_converge::Row>,
    event: Event,
) -> (Duration, usize) {
    let (begin, mut writes, mut made) = (processor(), 0, 0);
    let mut jobs = VecDeque::new();
    let mut next = Some(event);
    while let Some(event) = next {
        let Step { writes: written, jobs: asked, .. } = state.step(event, Time::from_millis(0));
        writes += written.len();
        for write in written {
            match write {
                Write::Row(row) => drop(rows.insert(row.id, *row)),
                Write::Remove(id) => drop(rows.remove(&id)),
                Write::DesiredState(_) | Write::Good(_) => {}
            }
        }
        jobs.extend(asked);
        next = jobs.pop_front().map(|job: wattle_converge::Job| {
            made += 1;
            let phys = job.phys.unwrap_or_else(|| format!("{}-{made}", job.name).into());
            let outcome = Outcome::Done(Some(Thing { phys, attributes: BTreeMap::new() }));
            Event::Done { job: job.id, row: job.row, outcome }
        });
    }
    assert!(state.is_quiet());
    (processor().saturating_sub(begin), writes)
}

fn shapes(count: usize) -> [(&'static str, Vec<Vec<usize>>); 4] {
    let tree = (0..count).map(|place| if place == 0 { vec![] } else { vec![(place - 1) / 4] }).collect();
    let tiers =
        (0..count).map(|place| if place < 10 { vec![] } else { (place / 10 * 10 - 10..place / 10 * 10).collect() });
    [
        ("chain", (0..count).map(|place| place.checked_sub(1).into_iter().collect()).collect()),
        ("star", (0..count).map(|place| if place == 0 { vec![] } else { vec![0] }).collect()),
        ("tree", tree),
        ("tiers", tiers.collect()),
    ]
}

#[test]
#[ignore = "it measures"]
fn time_of_the_engine_by_resources() {
    let mut former: BTreeMap<(&str, &str), Duration> = BTreeMap::new();
    for count in [100, 1_000, 10_000] {
        for (shape, requires) in shapes(count) {
            let (mut state, _) = State::load(Stored::default(), 1, Limits::default(), Time::from_millis(0)).unwrap();
            let mut rows = BTreeMap::new();
            let mut report = |what: &'static str, (spent, writes): (Duration, usize)| {
                let before = former.insert((shape, what), spent);
                let exponent = before.map(|before| (spent.as_secs_f64() / before.as_secs_f64()).log10());
                let grown = exponent.map(|exponent| format!(", exponent {exponent:.2}")).unwrap_or_default();
                println!("{shape}, {count} resources, {what}: {spent:.1?}, {writes} writes{grown}");
            };
            let wish = |free| Event::Desire(Desire::new(Arc::new(Many { free, requires: requires.clone() })));
            report("create", settle(&mut state, &mut rows, wish(1)));
            report("the same", settle(&mut state, &mut rows, wish(1)));
            report("update all", settle(&mut state, &mut rows, wish(2)));
            let stored = Stored {
                desired: state.desired().cloned(),
                good: state.good().cloned().collect(),
                rows: rows.values().cloned().collect(),
            };
            let begin = processor();
            let (mut state, _) = State::load(stored, 2, Limits::default(), Time::from_millis(0)).unwrap();
            report("load", (processor().saturating_sub(begin), 0));
            report("delete", settle(&mut state, &mut rows, Event::Desire(Desire::nothing())));
            assert!(rows.is_empty());
        }
    }
}
