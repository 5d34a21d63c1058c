//! Each type in a cloud of this process.

use wattle_openstack::driver::kinds;

use super::life::{all, comes_and_goes, differs_and_is_put_right};
use super::stage::Stage;

#[test]
fn each_type_has_a_case() {
    let stage = Stage::new();
    let mut with: Vec<&str> = all(&stage).iter().map(|case| case.kind).collect();
    let mut known: Vec<&str> = kinds().map(|kind| kind.name).collect();
    with.sort_unstable();
    known.sort_unstable();
    assert_eq!(with, known);
}

#[test]
fn a_thing_comes_is_read_and_goes() {
    comes_and_goes(&Stage::new());
}

#[test]
fn what_differs_is_seen_and_put_right() {
    differs_and_is_put_right(&Stage::new());
}
