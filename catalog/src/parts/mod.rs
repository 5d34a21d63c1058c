//! Ready-made parts: modules of resources, and components with their recipes. The feature `parts`.
//!
//! What lives here: what many blueprints need in the same form. A module adds resources
//! (`t.add("net", PrivateNetwork { .. })`), a component is software for any server
//! (`t.on(server).run("cache", redis::Redis::new()...)`). What must not: anything that knows of one blueprint, or a
//! component that needs another one on its server.
//!
//! Recipes are shell, for Debian 12. Each keeps all of its component's files in one folder and runs its service with
//! settings of its own, so that they work on a server and with `wattle up`, where one machine stands for many servers;
//! each component documents what its recipe lacks there.

pub mod access;
pub mod certificates;
pub mod cron;
pub mod haproxy;
pub mod network;
pub mod nfs;
pub mod nginx;
pub mod openldap;
pub mod postgresql;
pub mod redis;
pub mod replicas;
pub mod service;
pub mod volume;
pub mod zookeeper;
