//! Things that existed before the stack.

use std::collections::BTreeMap;
use std::sync::Arc;

use wattle_converge::{Adopted, Event, Notice, Outcome, Refusal, Sight, Thing};

use super::desk::{Desk, Wish};

fn thing(phys: &str) -> Thing {
    Thing { phys: phys.into(), attributes: BTreeMap::new() }
}

fn adopt(desk: &mut Desk, wish: &Wish, things: &[(&str, &str)]) {
    let adopted = |(name, phys): &(&str, &str)| Adopted {
        name: (*name).into(),
        thing: thing(phys),
        differs: Some("it differs".into()),
    };
    let things = things.iter().map(adopted).collect();
    desk.tell(Event::Adopt { target: Arc::new(wish.clone()), things });
}

fn shop() -> Wish {
    Wish::default().with("net", "", "", &[]).with("server", "", "", &["net"]).with("disk", "", "", &[])
}

#[test]
fn what_was_there_is_changed_and_not_made() {
    let mut desk = Desk::new();
    adopt(&mut desk, &shop(), &[("server", "s"), ("net", "n")]);
    assert_eq!((desk.jobs(), desk.rows.len()), (vec![], 2), "nothing is done yet");
    desk.want(shop());
    assert_eq!(desk.jobs(), ["create disk", "update net"]);
    desk.all_done();
    assert_eq!((desk.roots(), desk.rows.len()), (vec![], 3));
    assert!(desk.things().contains("s") && desk.things().contains("n"));
    assert!(desk.rows.values().all(|row| !row.adopted), "from now on they are as all others");
    desk.want(Wish::default());
    assert!(desk.jobs().contains(&"drain server".to_owned()), "{:?}", desk.jobs());
}

#[test]
fn what_nobody_has_asked_for_yet_is_left_as_it_is() {
    let mut desk = Desk::new();
    desk.want(Wish::default().with("disk", "", "", &[]));
    desk.all_done();
    adopt(&mut desk, &shop(), &[("server", "s"), ("net", "n")]);
    desk.want(Wish::default().with("disk", "", "more", &[]));
    desk.all_done();
    assert_eq!(desk.roots(), [""; 0]);
    assert_eq!(desk.things().len(), 3, "neither deleted nor forgotten");
    desk.another_leader();
    assert_eq!(desk.jobs(), [""; 0]);
    // The difference is still known after an observation.
    desk.see("net", |thing| Sight::Ready(thing.clone()));
    assert!(desk.rows.values().filter(|row| row.adopted).all(|row| row.drift.is_some()));
    desk.want(Wish::default());
    assert_eq!(desk.jobs(), ["delete disk"]);
    desk.all_done();
    assert!(
        desk.rows.is_empty() && desk.state.is_done(),
        "what was there before is forgotten, and stays: {:?}",
        desk.rows
    );
}

#[test]
fn what_cannot_become_what_is_wanted_goes_once_another_stands_for_it() {
    let mut desk = Desk::new();
    adopt(&mut desk, &shop(), &[("disk", "d")]);
    desk.want(Wish::default().with("disk", "another", "", &[]));
    assert_eq!(desk.jobs(), ["create disk"]);
    desk.answer(Outcome::Refused("no".into()));
    assert!(desk.things().contains("d") && desk.jobs().is_empty(), "{:?}", desk.jobs());
    desk.want(Wish::default().with("disk", "another", "", &[]));
    desk.done();
    assert_eq!(desk.jobs(), ["delete disk"]);
}

#[test]
fn what_cannot_be_adopted_changes_nothing() {
    let mut desk = Desk::new();
    desk.want(Wish::default().with("disk", "", "", &[]));
    desk.all_done();
    let never = shop().with("server", "", "never", &[]);
    let mut refused = |wish: &Wish, things: &[(&str, &str)]| {
        let before = desk.rows.clone();
        adopt(&mut desk, wish, things);
        assert_eq!(desk.rows, before);
        match desk.said.pop() {
            Some(Notice::Refused(refusal)) => refusal,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(refused(&shop(), &[("net", "n"), ("sever", "s")]), Refusal::NoResource("sever".into()));
    assert_eq!(
        refused(&shop(), &[("net", "n"), ("disk", "d")]),
        Refusal::Stands { name: "disk".into(), phys: "disk1".into() }
    );
    let taken = |phys: &str, name: &str| Refusal::Taken { phys: phys.into(), name: name.into() };
    assert_eq!(refused(&shop(), &[("net", "disk1")]), taken("disk1", "disk"));
    assert_eq!(refused(&shop(), &[("net", "n"), ("server", "n")]), taken("n", "net"));
    let cause = "its text has no such key".into();
    assert_eq!(refused(&never, &[("server", "s")]), Refusal::Unresolved { name: "server".into(), cause });
}
