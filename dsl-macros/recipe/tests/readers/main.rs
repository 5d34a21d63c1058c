//! What is read in one recipe of each tool.

mod ansible;
mod chef;
mod puppet;
mod salt;
mod shell;
