//! How each event changes the rows. What may be begun afterwards is decided elsewhere.

mod adopt;
mod desire;
mod done;
mod seen;
