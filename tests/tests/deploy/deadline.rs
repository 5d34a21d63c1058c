//! The effect of a deadline, and its messages.

use std::time::Duration;

use wattle_cloud::{Doing, Rule, Setting};
use wattle_openstack::Method;

use super::plain::Plain;

const DISK: &str = "heat_template_version: 2018-08-31
resources:
  disk: {type: OS::Cinder::Volume, properties: {size: 1}}
  lan: {type: OS::Neutron::Net}
";

#[test]
fn what_is_refused_for_now_is_not_asked_for_after_the_deadline() {
    let plain = Plain::new(DISK);
    let busy = Rule { times: u32::MAX, ..Rule::next(Method::Post, "/volumes", Doing::Refused(409, None)) };
    plain.site.cloud.world().befall(busy);
    let ran = plain.deploy(&["--deadline", "15s"]);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert!(ran.err.contains("`disk` failed: the cloud could not do it before the deadline"), "{ran}");
    assert_eq!(plain.site.there()["networks"].len(), 1);
    // A plan reports missing resources.
    let ran = plain.plan();
    assert!(ran.code == Some(4) && ran.out.contains("+ disk (OS::Cinder::Volume): is created"), "{ran}");
}

#[test]
fn what_the_cloud_is_at_after_the_deadline_is_said_and_left_to_the_next_call() {
    let plain = Plain::at(Setting { takes: Duration::from_secs(40), ..Setting::default() }, DISK);
    let ran = plain.deploy(&["--deadline", "5s"]);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert!(ran.err.contains("the deadline passed, and `disk` is being created"), "{ran}");
    let ran = plain.plan();
    assert!(ran.code == Some(4) && ran.out.contains("disk (OS::Cinder::Volume)"), "{ran}");
    // The next call does not create a second volume.
    plain.deployed();
    let volumes = plain.volumes();
    assert_eq!(volumes.len(), 1, "{volumes:?}");
}
