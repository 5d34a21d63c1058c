//! The catalog's parts: Heat takes what they add, and their software runs.

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

use wattle_tests::oracle::Oracle;

#[test]
fn heat_takes_every_part() {
    let mut oracle = Oracle::start();
    let parts: &[fn(&mut Oracle)] = &[
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
    parts.iter().for_each(|heat| heat(&mut oracle));
}
