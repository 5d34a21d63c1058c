//! The lines below a deployment's output on a terminal, which show what is in progress and are redrawn.

use wattle::shown::on_terminal;

use crate::cli::console::{Console, size};
use crate::cli::error::CommandError;
use crate::cli::screen::Screen;

use super::display::Display;

/// The bottom line, if there is a terminal.
#[derive(Debug)]
pub(super) struct Foot(Option<Screen>);

impl Foot {
    pub(super) fn new(console: &Console) -> Self {
        Self(console.err.is_terminal.then(Screen::default))
    }

    /// Prints a line that stays.
    pub(super) fn say(&mut self, text: &str, console: &mut Console) -> Result<(), CommandError> {
        match &mut self.0 {
            Some(screen) => {
                let text = on_terminal(text.trim_end(), console.err.color);
                console.err.put(&screen.say(&text)).map(drop)
            }
            None => console.err.write(&format!("{}\n", text.trim_end())),
        }
    }

    /// Shows what is in progress now.
    pub(super) fn draw(&mut self, display: &Display, console: &mut Console) -> Result<(), CommandError> {
        let Some(screen) = &mut self.0 else { return Ok(()) };
        let line = display.under_way(size().1).map(|line| on_terminal(&line, console.err.color));
        console.err.put(&screen.draw(line.into_iter().collect())).map(drop)
    }

    /// Removes it.
    pub(super) fn clear(&mut self, console: &mut Console) -> Result<(), CommandError> {
        match &mut self.0 {
            Some(screen) => console.err.put(&screen.clear()).map(drop),
            None => Ok(()),
        }
    }
}
