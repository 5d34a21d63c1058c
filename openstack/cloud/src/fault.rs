//! Faults that the cloud simulates.

mod text;

use std::time::Duration;

use wattle_openstack::{Method, Request};

/// What happens to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doing {
    /// It never arrives.
    Lost,
    /// It is carried out, but the response never arrives.
    Unanswered,
    /// It is carried out after this delay, and the response never arrives.
    Late(Duration),
    /// It is refused with this status, as if the service were busy. The seconds are the value of `Retry-After`.
    Refused(u16, Option<u64>),
    /// It is carried out, and what it creates goes to the state `ERROR`.
    Broken,
    /// It is accepted, and fails later without any effect. Only requests about existing servers can end like this.
    Failed,
    /// It is refused for exceeding the quota, as its service would.
    OverQuota,
    /// It is carried out. After this delay, what it created is gone, as if someone had removed it.
    Vanishes(Duration),
}

/// The requests to which something happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The method; `None` for any.
    pub method: Option<Method>,
    /// The text that matching URLs contain.
    pub path: String,
    /// How many matching requests are let through first.
    pub after: u32,
    /// How many requests it applies to after that.
    pub times: u32,
    /// What happens.
    pub doing: Doing,
}

impl Rule {
    /// A rule for the next request of this method to a URL that contains `path`.
    pub fn next(method: Method, path: impl Into<String>, doing: Doing) -> Self {
        Self { method: Some(method), path: path.into(), after: 0, times: 1, doing }
    }
}

/// Returns the fate of `request` by the first rule that applies to it, and uses up one of that rule's times.
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
