//! The catalog's parts: Heat takes what they add, and their software runs.

mod haproxy;
mod network;
mod nginx;
mod postgresql;
mod redis;
mod replicas;
mod stage;

use wattle_tests::oracle::Oracle;

#[test]
fn heat_takes_every_part() {
    let mut oracle = Oracle::start();
    for heat in [haproxy::heat, network::heat, nginx::heat, postgresql::heat, redis::heat, replicas::heat] {
        heat(&mut oracle);
    }
}
