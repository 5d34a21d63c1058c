//! How each event changes the rows. The next actions are decided elsewhere.

mod adopt;
mod desire;
mod done;
mod seen;
