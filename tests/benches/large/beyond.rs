//! What goes beyond one ensemble: observers, and more than one ensemble.

use wattle_tests::requests::Requests;

pub(super) async fn observers(_requests: &Requests) {}

pub(super) async fn ensembles(_requests: &Requests) {}
