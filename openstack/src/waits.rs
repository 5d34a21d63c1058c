//! Requests that have no definite response yet.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

/// A request that has no definite response yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The type of the service.
    pub service: String,
    /// How long the request has been waiting.
    pub since: Duration,
    /// The HTTP status of its last response, if the service was busy.
    pub status: Option<u16>,
}

/// All requests of a session without a definite response, oldest first.
#[derive(Default)]
pub(crate) struct Waits(Mutex<Requests>);

#[derive(Default)]
struct Requests {
    begun: BTreeMap<u64, Request>,
    next: u64,
}

struct Request {
    service: String,
    at: SystemTime,
    status: Option<u16>,
}

impl Waits {
    /// Records a request until the returned guard is dropped.
    pub(crate) fn begin(&self, service: &str, at: SystemTime) -> Waiting<'_> {
        let mut requests = self.requests();
        let number = requests.next;
        requests.next += 1;
        requests.begun.insert(number, Request { service: service.to_owned(), at, status: None });
        Waiting { waits: self, number }
    }

    /// The oldest of the requests.
    pub(crate) fn longest(&self, now: SystemTime) -> Option<Wait> {
        let requests = self.requests();
        let (_, Request { service, at, status }) = requests.begun.first_key_value()?;
        let since = now.duration_since(*at).unwrap_or_default();
        Some(Wait { service: service.clone(), since, status: *status })
    }

    fn requests(&self) -> MutexGuard<'_, Requests> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A recorded request, removed when dropped.
pub(crate) struct Waiting<'w> {
    waits: &'w Waits,
    number: u64,
}

impl Waiting<'_> {
    /// Records the last response, which was not definite.
    pub(crate) fn answered(&self, status: Option<u16>) {
        if let Some(request) = self.waits.requests().begun.get_mut(&self.number) {
            request.status = status;
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.waits.requests().begun.remove(&self.number);
    }
}
