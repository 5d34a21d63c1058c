//! The catalog's parts: Heat accepts their resources, and their software runs.

mod access;
mod certificates;
mod cron;
mod haproxy;
mod network;
mod nfs;
mod nginx;
mod openldap;
mod postgresql;
mod redis;
mod replicas;
mod service;
mod stage;
mod taken;
mod users;
mod volume;
mod zookeeper;

use stage::Judges;
use wattle_tests::openstack::is_there;

#[test]
fn heat_takes_every_part() {
    every_part(&mut Judges::new());
}

#[test]
fn every_part_lives_on_a_real_openstack() {
    if is_there("every part") {
        every_part(&mut Judges::with_real_heat());
    }
}

fn every_part(judges: &mut Judges) {
    let parts: &[fn(&mut Judges)] = &[
        access::heat,
        certificates::heat,
        cron::heat,
        haproxy::heat,
        network::heat,
        nfs::heat,
        nginx::heat,
        openldap::heat,
        postgresql::heat,
        redis::heat,
        replicas::heat,
        service::heat,
        volume::heat,
        zookeeper::heat,
    ];
    parts.iter().for_each(|heat| heat(judges));
}
