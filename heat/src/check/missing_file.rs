//! W1009: a file that is named but does not exist.

use crate::environment::place;

use super::Sink;
use super::registry::check;

check! {
    /// Clients send Heat all files that a template names anywhere, with `get_file` or as types of resources. They
    /// refuse the template if one of these files is missing. A path is relative to the file that contains it.
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
    /// Create the file, correct its path, or do without it:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   app:
    ///     type: OS::Heat::SoftwareConfig
    ///     properties:
    ///       config: "#!/bin/sh\n"
    /// ```
    MISSING_FILE: "W1009", Error, "a file that is named but does not exist", Whole(run)
}

fn run(sink: &mut Sink<'_>) {
    let library = &sink.loaded.library;
    for mention in &library.mentions {
        let Some(Err(missing)) = library.contents.get(&mention.path) else { continue };
        let what = if mention.is_type { "the template" } else { "the file" };
        let written = mention.written.escape_debug();
        // A path that leads nowhere else is the folder of the file that contains it.
        let leads_nowhere = mention.path.split('/').all(|part| matches!(part, "" | ".."));
        let is_folder = leads_nowhere || missing.0 == "is a directory";
        let (message, help) = if mention.written.is_empty() {
            (format!("{what} has no path"), "write its path, which is relative to the file that names it")
        } else if is_folder {
            (
                format!("`{written}` is a folder, so {what} cannot be read from it"),
                "name a file: the contents of a folder are sent to Heat file by file",
            )
        } else {
            (
                format!("{what} `{}` cannot be read: {missing}", mention.path.escape_debug()),
                "create it, or fix the path, which is relative to the file that names it",
            )
        };
        sink.push(MISSING_FILE.diagnostic(message).label(&place(&mention.file, mention.span), "named here").help(help));
    }
}

#[cfg(test)]
mod tests {
    use crate::Loaded;
    use crate::check::check;

    #[test]
    fn the_folder_of_the_template_is_no_file() {
        let text = "heat_template_version: 2021-04-16\nresources:\n  r: {type: OS::Heat::SoftwareConfig, properties: \
                    {config: {get_file: .}}}\n";
        let found = check(&Loaded::of(text, "template.yaml"));
        let found: Vec<_> = found.into_iter().filter(|one| one.code == "W1009").map(|one| one.message).collect();
        assert_eq!(found, ["`.` is a folder, so the file cannot be read from it"]);
    }

    #[test]
    fn a_folder_is_no_file() {
        for (written, message) in [
            ("..", "`..` is a folder, so the file cannot be read from it"),
            ("sub/../..", "`sub/../..` is a folder, so the file cannot be read from it"),
            ("../..", "`../..` is a folder, so the file cannot be read from it"),
            ("\"\"", "the file has no path"),
            ("x.sh", "the file `site/x.sh` cannot be read: there is no such file"),
        ] {
            let text = format!(
                "heat_template_version: 2021-04-16\nresources:\n  r: {{type: OS::Heat::SoftwareConfig, properties: \
                 {{config: {{get_file: {written}}}}}}}\n"
            );
            let found = check(&Loaded::of(&text, "site/template.yaml"));
            let found: Vec<_> = found.into_iter().filter(|one| one.code == "W1009").map(|one| one.message).collect();
            assert_eq!(found, [message], "{written}");
        }
    }
}
