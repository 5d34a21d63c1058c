//! Templates as targets: what is deployed of them, in which order, and what a change does.

mod changes;
mod corpus;
mod desk;
mod digests;
mod kinds;
mod many;
mod orders;
mod planned;
mod refused;
mod resumed;
mod signals;
mod texts;
mod types;
