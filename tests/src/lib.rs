//! What several tests and benchmarks of wattle build on.

pub mod browser;
pub mod chance;
pub mod cloud;
pub mod command;
pub mod conformance;
pub mod crowd;
pub mod deadline;
pub mod embedded;
pub mod fuzz;
pub mod heat;
pub mod journal;
pub mod lab;
pub mod machine;
pub mod native;
pub mod openstack;
pub mod oracle;
pub mod proxy;
pub mod random;
pub mod requests;
pub mod running;

pub mod sandbox;
pub mod say;
pub mod schedule;
pub mod seeds;
pub mod site;
pub mod skip;
pub mod stores;
pub mod terminal;
pub mod venv;
pub mod workload;
pub mod zookeeper;
