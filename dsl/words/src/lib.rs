//! What a word means wherever one is read: which name was meant, and which length of time.
//!
//! What lives here: functions of text that the macros, the reader of recipes, the model and the commands share, so that
//! each of them reads alike. What must not: values, models, or anything that needs more than a few small crates, for this
//! is built before the macros are.

pub mod names;
pub mod time;
