//! What each event makes of the rows. What may then be begun is not decided here.

mod adopt;
mod desire;
mod done;
mod seen;
