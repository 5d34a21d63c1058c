//! The behaviour of every store: one set of cases, run against each of them.
//!
//! A store's tests provide a [`Fixture`] and either generate a test for each case by [`conformance!`](crate::conformance!),
//! or [`run`] all of them together if starting a server is expensive. A case works below its own node, so that cases can
//! share a server; those that restart it or cut its connections disturb the others, but must not make them fail.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod apply;
mod changed;
mod data;
mod hold;
mod process;
mod restart;
mod rights;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use futures_util::{FutureExt as _, StreamExt as _, future, stream};
use wattle_runtime::store::{Access, Address, Login, Op, Principal, Rights, Store, StoreError};

pub use hold::another_process;
pub use process::{Other, orphaned, task};

/// A store under test.
#[async_trait]
pub trait Fixture: Send + Sync {
    /// A new connection as the operator.
    async fn operator(&self) -> Arc<dyn Store>;

    /// A new connection with all of `logins`.
    async fn login(&self, logins: &[Login]) -> Arc<dyn Store>;

    /// The address and login by which another process connects as the operator; `None` if it cannot.
    fn address(&self) -> Option<(Address, Login)> {
        None
    }

    /// The principal that others must name to give the operator a right to their nodes; `None` if that is not necessary.
    fn operator_to_name(&self) -> Option<Principal> {
        None
    }

    /// Kills the server and starts it again; returns after the start. False if there is no server to kill.
    async fn restart(&self) -> bool {
        false
    }

    /// Breaks all connections to the server, which continues. False if there are none to break.
    async fn cut(&self) -> bool {
        false
    }
}

/// The timeout of a case: while a busy machine restarts an ensemble again and again, all cases stand still.
const LIMIT: Duration = Duration::from_mins(5);

/// Runs all cases, several at a time. They disturb each other, which must not matter.
///
/// # Panics
/// If any case fails, after all of them.
pub async fn run(fixture: &dyn Fixture) {
    let cases = stream::iter(CASES).map(|case| async move {
        let started = Instant::now();
        let ran = AssertUnwindSafe(run_case(fixture, case)).catch_unwind().await;
        println!("{case}: {:.1?}", started.elapsed());
        ran.is_err().then_some(*case)
    });
    let failed: Vec<&str> = cases.buffer_unordered(6).filter_map(future::ready).collect().await;
    assert!(failed.is_empty(), "failed: {failed:?}");
}

macro_rules! cases {
    ($d:tt $($area:ident: $($case:ident)*;)*) => {
        /// The names of all cases.
        pub const CASES: &[&str] = &[$($(stringify!($case),)*)*];

        /// Runs the case with this name.
        ///
        /// # Panics
        /// If it fails.
        pub async fn run_case(fixture: &dyn Fixture, case: &str) {
            let ran = tokio::time::timeout(LIMIT, async {
                match case {
                    $($(stringify!($case) => $area::$case(fixture).await,)*)*
                    _ => panic!("there is no case `{case}`"),
                }
            });
            assert!(ran.await.is_ok(), "{case} hangs");
        }

        /// Generates a module with a test for each case, against the fixture that the expression creates.
        #[macro_export]
        macro_rules! conformance {
            ($d module:ident, $d fixture:expr) => {
                mod $d module {
                    use super::*;

                    $($(
                        #[tokio::test]
                        async fn $case() {
                            let fixture = $d fixture;
                            $crate::conformance::run_case(&fixture, stringify!($case)).await;
                        }
                    )*)*
                }
            };
        }
    };
}

cases! { $
    data: missing_node set_and_get set_of_a_missing_node conditional_set largest_data children odd_names illegal_paths;
    changed: changed_at_once changed_waits changed_by_creation changed_by_deletion changed_by_making_anew last_change
        changed_through_another_connection waits_given_up many_nodes_watched one_node_read_by_many;
    apply: apply_in_order apply_all_or_nothing apply_refused apply_on_a_condition apply_nothing apply_many apply_large;
    rights: read_denied write_denied create_denied delete_denied logins_add_up protect protect_refused protect_on_conditions
        rights_are_checked_at_the_change;
    hold: held_until_dropped held_by_one_alone hold_lost_to_another held_again_after_it_was_removed
        hold_lost_with_its_parent released_when_it_says_so hold_refused hold_outlasts_its_store held_by_a_killed_process taken_over_from_a_live_process
        held_over_a_restart held_over_a_cut;
    restart: all_is_kept waits_outlast_a_restart waits_outlast_a_cut requests_outlast_a_restart own_write_is_no_conflict
        own_creation_is_no_conflict;
}

/// The workspace of a case: its own node, which the operator created.
struct Place {
    store: Arc<dyn Store>,
    root: String,
}

impl Place {
    async fn new(fixture: &dyn Fixture) -> Self {
        Self::open(fixture, &[]).await
    }

    /// Gives all of `principals` every right to its root.
    async fn open(fixture: &dyn Fixture, principals: &[&Principal]) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let root = format!("/conformance-{}-{count}", std::process::id());
        let store = fixture.operator().await;
        let all = Rights { read: true, write: true, create: true, delete: true };
        let access = principals.iter().fold(Access::new(), |access, principal| access.grant(principal, all));
        store.apply(vec![Op::Create { path: root.clone(), data: Vec::new(), access }]).await.unwrap();
        Self { store, root }
    }

    fn at(&self, name: &str) -> String {
        format!("{}/{name}", self.root)
    }

    /// Creates a node, and returns its path.
    async fn make(&self, name: &str, data: &[u8]) -> String {
        self.make_for(name, data, Access::new()).await
    }

    async fn make_for(&self, name: &str, data: &[u8], access: Access) -> String {
        let path = self.at(name);
        self.store.apply(vec![create_for(&path, data, access)]).await.unwrap();
        path
    }
}

fn create(path: &str, data: &[u8]) -> Op {
    create_for(path, data, Access::new())
}

fn create_for(path: &str, data: &[u8], access: Access) -> Op {
    Op::Create { path: path.to_owned(), data: data.to_vec(), access }
}

fn set(path: &str, data: &[u8]) -> Op {
    Op::Set { path: path.to_owned(), data: data.to_vec(), expected: None }
}

fn delete(path: &str) -> Op {
    Op::Delete { path: path.to_owned() }
}

fn someone(name: &str) -> Login {
    Login { name: name.to_owned(), password: format!("the password of {name}") }
}

async fn data(store: &Arc<dyn Store>, path: &str) -> Option<Vec<u8>> {
    store.get(path).await.unwrap().map(|node| node.data)
}

/// Waits until the node at `path` contains `expected`; `None` stands for no node.
async fn until(store: &Arc<dyn Store>, path: &str, expected: Option<&[u8]>) {
    let mut node = store.get(path).await.unwrap();
    while node.as_ref().map(|node| &*node.data) != expected {
        node = store.changed(path, node.map(|node| node.version)).await.unwrap();
    }
}

/// Gives pending operations some time. Later assertions must hold regardless of its length.
async fn a_while() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

/// Asserts that a call is refused with this error and path.
macro_rules! refused {
    ($call:expr, $error:ident, $path:expr) => {
        match $call.await {
            Err(wattle_runtime::store::StoreError::$error { path, .. }) => assert_eq!(path, $path),
            other => panic!("{} instead of {}", format!("{other:?}"), stringify!($error)),
        }
    };
}
use refused;

/// The access that others grant to the operator, who needs it only according to [`Fixture::operator_to_name`].
fn for_operator(fixture: &dyn Fixture) -> Access {
    let all = Rights { read: true, write: true, create: true, delete: true };
    fixture.operator_to_name().iter().fold(Access::new(), |access, operator| access.grant(operator, all))
}

fn assert_denied<T: std::fmt::Debug>(outcome: Result<T, StoreError>, expected: &str, at: &str) {
    match outcome {
        Err(StoreError::Denied { action, path }) => assert_eq!((action, &*path), (expected, at)),
        other => panic!("{other:?} instead of Denied"),
    }
}
