//! W1009: a file that is named and is not there.

use crate::environment::place;

use super::Sink;
use super::registry::check;

check! {
    /// Clients send Heat the files that a template names, by `get_file` and as types of resources, wherever that stands,
    /// and refuse the template if one is missing. A path is relative to the file that names it.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   app:
    ///     type: OS::Heat::SoftwareConfig
    ///     properties:
    ///       config: {get_file: install.sh}
    /// ```
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   app:
    ///     type: OS::Heat::SoftwareConfig
    ///     properties:
    ///       config: "#!/bin/sh\n"
    /// ```
    MISSING_FILE: "W1009", Error, "a file that is named and is not there", Whole(run)
}

fn run(sink: &mut Sink<'_>) {
    let library = &sink.loaded.library;
    for mention in &library.mentions {
        let Some(Err(missing)) = library.contents.get(&mention.path) else { continue };
        let what = if mention.is_type { "the template" } else { "the file" };
        let diagnostic = MISSING_FILE
            .diagnostic(format!("{what} `{}` cannot be read: {missing}", mention.path.escape_debug()))
            .label(&place(&mention.file, mention.span), "named here")
            .help("put it there, or fix the path, which is relative to the file that names it");
        sink.push(diagnostic);
    }
}
