//! Templates as targets: their resources, their order, and the effects of changes.

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
