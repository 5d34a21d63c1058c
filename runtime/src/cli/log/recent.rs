//! What an operator sees of the log: its last lines, which may be requested from an agent, and those on the server's
//! console.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer};

use crate::agent::Recent;
use crate::clock;

use super::console::ServerConsole;

/// A layer that keeps log lines, whatever the format of the log. Lines that belong to no component are also written to
/// the console. Others may quote recipes, and more people can read a console than the log.
pub(super) struct Keep(pub(super) Arc<Recent>, pub(super) Option<ServerConsole>);

/// Formats an event as a line of text.
#[derive(Default)]
struct Line {
    message: String,
    component: Option<String>,
    fields: String,
}

impl Visit for Line {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "component" => self.component = Some(value.to_owned()),
            _ => self.record_debug(field, &value),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let _ = match field.name() {
            "component" => write!(self.component.get_or_insert_default(), "{value:?}"),
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}

impl<S: Subscriber> Layer<S> for Keep {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut line = Line::default();
        event.record(&mut line);
        let Line { message, component, fields } = line;
        let text = format!("{:.3} {:>5} {message}{fields}", clock::now(), event.metadata().level());
        let text = super::shown::plain(&text);
        self.0.say(component.as_deref(), &text);
        if let (None, Some(console)) = (component, &self.1) {
            console.say(&text);
        }
    }
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    #[test]
    fn what_is_logged_is_kept_as_one_line_of_its_component_and_the_rest_is_on_the_console() {
        let recent = Arc::new(Recent::default());
        let console = tempfile::NamedTempFile::new().unwrap();
        let device = ServerConsole::at(console.path());
        let lines = tracing_subscriber::registry().with(Keep(Arc::clone(&recent), Some(device)));
        tracing::subscriber::with_default(lines, || {
            tracing::warn!(component = "db/part", revision = 3, "two\nlines and \u{1b}[2J");
            tracing::info!(server = "db", "begins");
        });
        let said = |component| recent.last(component, 1000).lines;
        let line = &said(Some("db/part"))[0];
        assert!(line.ends_with("Z  WARN two\\nlines and \\u{1b}[2J revision=3"), "{line}");
        let all = said(None);
        assert_eq!(all[0], format!("{line} component=db/part"));
        assert!(all[1].ends_with("Z  INFO begins server=\"db\""), "{all:?}");
        let console = std::fs::read_to_string(console.path()).unwrap();
        assert_eq!(console, format!("wattle-agent: {}\n", all[1]));
    }
}
