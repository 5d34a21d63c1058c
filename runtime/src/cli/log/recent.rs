//! The last lines of the log, which an operator may request from an agent.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer};

use crate::agent::Recent;
use crate::clock;

/// A layer that keeps log lines, whatever the format of the log.
pub(super) struct Keep(pub(super) Arc<Recent>);

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
        self.0.say(component.as_deref(), &super::shown::plain(&text));
    }
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    #[test]
    fn what_is_logged_is_kept_as_one_line_of_its_component() {
        let recent = Arc::new(Recent::default());
        let lines = tracing_subscriber::registry().with(Keep(Arc::clone(&recent)));
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
    }
}
