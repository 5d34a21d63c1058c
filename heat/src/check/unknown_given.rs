//! W1105: a value for a parameter that the template does not have.

use super::Sink;
use super::registry::check;

check! {
    /// A value is given for a parameter that the template does not declare, by name or in the `parameters` of an
    /// environment. Heat refuses this.
    ///
    /// ```yaml
    /// # environment.yaml
    /// parameters:
    ///   imgae: debian-12
    /// ```
    ///
    /// Correct the name. Values that are meant for several templates belong in `parameter_defaults`, from which each
    /// template uses those that it declares:
    ///
    /// ```yaml
    /// # environment.yaml
    /// parameter_defaults:
    ///   imgae: debian-12
    /// ```
    UNKNOWN_GIVEN: "W1105", Error, "a value for an unknown parameter", Whole(run)
}

fn run(sink: &mut Sink<'_>) {
    if sink.loaded.is_nested() {
        return;
    }
    let known = &sink.template().parameters;
    for (name, at) in &sink.loaded.parameters.unknown {
        let diagnostic = UNKNOWN_GIVEN.diagnostic(format!("the template has no parameter `{}`", name.escape_debug()));
        let diagnostic = match at {
            Some(at) => diagnostic.label(at, "its value is set here"),
            None => diagnostic.note("its value was given on the command line"),
        };
        let help = sink.meant(name, known.keys().map(String::as_str));
        sink.push(diagnostic.help(help.unwrap_or_else(|| "remove it, or move it to `parameter_defaults`".into())));
    }
}
