//! The driver, the commands and Heat on a real OpenStack.

mod alike;
#[expect(dead_code, reason = "IPv6 addresses are assigned automatically there")]
#[path = "../../../openstack/tests/driver/bare.rs"]
mod bare;
#[expect(dead_code, reason = "only tests that interrupt the request need the place of creation")]
#[path = "../../../openstack/tests/driver/cases.rs"]
mod cases;
mod changes;
#[expect(dead_code, reason = "only tests that count applications need the servers of an application")]
#[path = "../../../place/tests/growth/clouds.rs"]
mod clouds;
#[path = "../deploy/life.rs"]
mod deployed;
mod each;
mod guests;
mod heat;
mod hosts;
#[path = "../../../openstack/tests/driver/jobs.rs"]
mod jobs;
mod kind;
#[path = "../../../openstack/tests/driver/leaves.rs"]
mod leaves;
#[path = "../../../openstack/tests/driver/life.rs"]
mod life;
#[expect(dead_code, reason = "its faults are for other tests")]
#[path = "../../../openstack/tests/driver/stage.rs"]
mod near;
mod nova;
#[expect(dead_code, reason = "Nova does not choose by best fit")]
#[path = "../../../place/tests/growth/one_by_one.rs"]
mod one_by_one;
#[path = "../deploy/shown.rs"]
mod shown;
mod stage;
mod trouble;

use stage::Stage;
use wattle_tests::openstack::{Named, is_there};
use wattle_tests::site::{NOTHING, Site};

const KEY: [&str; 2] = ["--key", "operator.key"];

/// A client of the cloud, if there is one. Removes what a previous run left there.
fn stage(what: &str, mark: &str) -> Option<Stage> {
    is_there(what).then(|| {
        let stage = Stage::new(mark);
        stage.clear();
        stage
    })
}

#[test]
fn each_type_comes_and_goes_on_a_real_openstack() {
    let Some(stage) = stage("each type", "comes") else { return };
    life::comes_and_goes(&stage);
    stage.clear();
}

#[test]
fn each_property_is_seen_and_put_right_on_a_real_openstack() {
    let Some(stage) = stage("each property", "differs") else { return };
    life::differs_and_is_put_right(&stage);
    stage.clear();
}

#[test]
fn what_is_changed_behind_its_back_is_seen_on_a_real_openstack() {
    let Some(stage) = stage("changes behind its back", "behind") else { return };
    life::is_seen_behind_its_back(&stage);
    stage.clear();
}

#[test]
fn what_only_an_administrator_may_change_is_seen_and_put_right_on_a_real_openstack() {
    if !is_there("what only an administrator may change") {
        return;
    }
    let stage = Stage::of_administrator("admins");
    stage.clear();
    life::differs_and_is_put_right(&stage);
    life::is_seen_behind_its_back(&stage);
    stage.clear();
    stage.delete_policy();
}

#[test]
fn what_others_ask_a_service_for_is_seen_and_put_right_on_a_real_openstack() {
    let Some(stage) = stage("requests of others", "others") else { return };
    bare::neutron_s_things(&stage);
    bare::servers_and_volumes(&stage);
    bare::a_name_said_no_longer(&stage);
    stage.clear();
}

#[test]
fn what_a_template_says_no_longer_goes_back_on_a_real_openstack() {
    let Some(stage) = stage("what leaves a template", "leaves") else { return };
    leaves::leaves_and_goes_back(&stage);
    stage.clear();
}

#[test]
fn a_server_shows_the_new_address_of_its_port_on_a_real_openstack() {
    if is_there("a port with another address") {
        shown::follows_its_port(&Site::at(Named, &Named::password()));
    }
}

#[test]
fn each_change_is_made_without_heat_on_a_real_openstack() {
    if !is_there("each kind of change, made without Heat") {
        return;
    }
    each::each_change(
        &Site::at(Named, &Named::password()),
        changes::table::base(),
        &changes::table::chosen(changes::table::changes()),
    );
}

#[test]
fn a_shop_lives_on_a_real_openstack() {
    if is_there("`wattle deploy`") {
        let site = Site::at(Named, &Named::password());
        deployed::life(&site);
        // Other tests list all resources of the project, so leave none.
        let ran = site.ask(&["destroy", "--yes", KEY[0], KEY[1]]);
        assert_eq!(ran.code, Some(0), "{ran}");
        assert_eq!(site.counts(), NOTHING);
    }
}
