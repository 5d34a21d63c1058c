//! What goes wrong.

mod text;

use std::time::Duration;

use wattle_openstack::{Method, Request};

/// What happens to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doing {
    /// It never arrives.
    Lost,
    /// It is carried out, and the answer never arrives.
    Unanswered,
    /// It is carried out that much later, and its answer never arrives.
    Late(Duration),
    /// It is refused with this status, as by a service that is busy; the seconds are what `Retry-After` says.
    Refused(u16, Option<u64>),
    /// It is carried out, and what it makes goes to the state `ERROR`.
    Broken,
    /// It is refused as its service refuses what is more than the quota.
    OverQuota,
    /// It is carried out, and that much later what it made is gone, as if somebody had removed it.
    Vanishes(Duration),
}

/// Which requests something happens to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The method, or any.
    pub method: Option<Method>,
    /// What their paths contain.
    pub path: String,
    /// How many that are like this are let through before.
    pub after: u32,
    /// How many it happens to then.
    pub times: u32,
    /// What happens.
    pub doing: Doing,
}

impl Rule {
    /// The next request of this method to a path that contains `path`.
    pub fn next(method: Method, path: impl Into<String>, doing: Doing) -> Self {
        Self { method: Some(method), path: path.into(), after: 0, times: 1, doing }
    }
}

/// What happens to `request`: what the first rule says that is about it, which then is about one request less.
pub(crate) fn befalls(rules: &mut Vec<Rule>, request: &Request) -> Option<Doing> {
    let is_about = |rule: &&mut Rule| {
        rule.method.is_none_or(|method| method == request.method) && request.url.contains(&rule.path)
    };
    let mut found = None;
    for rule in rules.iter_mut().filter(is_about) {
        if rule.after > 0 {
            rule.after -= 1;
        } else if rule.times > 0 {
            rule.times -= 1;
            found = Some(rule.doing.clone());
            break;
        }
    }
    rules.retain(|rule| rule.times > 0);
    found
}
