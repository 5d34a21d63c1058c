//! The live view of `up --ui` and `status --ui`: what it serves to whom, and the page in a real browser.

mod client;
mod deployed;
mod logs;
mod page;
mod server;
mod stack;
mod states;
mod zookeeper;
