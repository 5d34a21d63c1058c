//! Chef's recipes, run by real Ruby with a stand-in for Chef (`tests/chef/stand_in.rb`), and with the real one where
//! installed.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod agent;
mod case;
mod comparing;
mod cookbooks;
mod ending;
mod failures;
mod injection;
mod node;
mod reading;
mod writing;
