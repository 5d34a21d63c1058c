//! The severity of a line that a recipe prints, as given by its tool.

use tracing::Level;
use wattle::model::Tool;

/// The level names in Chef's log, as in `[2026-01-31T10:00:00+00:00] WARN: the disk is nearly full`.
const CHEF: [(&str, Level); 3] = [("] WARN: ", Level::WARN), ("] ERROR: ", Level::ERROR), ("] FATAL: ", Level::ERROR)];

/// The level of a line that `tool` prints.
pub(super) fn of(tool: Tool, line: &str) -> Level {
    // It may follow what Chef prints about the current resource.
    let said = |(word, _): &&(&str, Level)| tool == Tool::Chef && line.contains(word);
    CHEF.iter().find(said).map_or(Level::INFO, |(_, level)| *level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_chefs_log_has_its_level() {
        for (line, level) in [
            ("[2026-01-31T10:00:00+00:00] WARN: w", Level::WARN),
            ("[2026-01-31T10:00:00+00:00] ERROR: e", Level::ERROR),
            ("  * ruby_block[x] action run[2026-01-31T10:00:00+00:00] FATAL: f", Level::ERROR),
            ("[2026-01-31T10:00:00+00:00] INFO: i", Level::INFO),
            ("WARN: said by the recipe", Level::INFO),
            ("  * file[/etc/x] action create (up to date)", Level::INFO),
        ] {
            assert_eq!(of(Tool::Chef, line), level, "{line}");
            assert_eq!(of(Tool::Shell, line), Level::INFO, "{line}");
        }
    }
}
