//! Zaqar's types.

use crate::resource::{Class, Ruled, Subject};

use super::rule::broken;

pub(super) const CLASSES: &[Class] = &[
    Class { ty: "OS::Zaqar::MistralTrigger", validates: &[subscriber], ..Class::PLAIN },
    Class { ty: "OS::Zaqar::Queue", referred_by_name: true, ..Class::PLAIN },
    Class { ty: "OS::Zaqar::Subscription", validates: &[subscriber], ..Class::PLAIN },
];

fn subscriber(subject: Subject<'_>) -> Ruled {
    if !subject.resource.properties().schema.contains_key("subscriber") {
        return Ok(None);
    }
    let subscriber = subject.text("subscriber")?;
    let scheme = subscriber.split(':').next().unwrap_or_default();
    if matches!(scheme, "http" | "https" | "mailto" | "trust+http" | "trust+https") {
        return Ok(None);
    }
    broken(
        "`subscriber` is not an HTTP or mail address",
        "start it with http, https, mailto, trust+http or trust+https",
    )
}
