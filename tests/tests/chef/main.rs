//! Chef's recipes, run by real Ruby with a stand-in for Chef (`tests/chef/stand_in.rb`), and with the real one where it is.

mod agent;
mod case;
mod cookbooks;
mod failures;
mod reading;
mod writing;
