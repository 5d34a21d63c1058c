//! Changes behind the back of a deployment, in the simulated cloud.

use super::bare;
use super::stage::Stage;

#[test]
fn neutron_s_things_are_as_they_were_made() {
    bare::neutron_s_things(&Stage::new());
}

#[test]
fn servers_and_volumes_are_as_they_were_made() {
    bare::servers_and_volumes(&Stage::new());
}

#[test]
fn what_the_cloud_does_is_no_drift() {
    bare::what_the_cloud_does(&Stage::new());
}

#[test]
fn a_name_that_is_said_no_longer_is_the_resource_s() {
    bare::a_name_said_no_longer(&Stage::new());
}
