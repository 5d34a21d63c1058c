//! W1003: a section that does not exist, or that has the wrong form.

use wattle_model::names::meant;

use crate::template::Version;
use crate::yaml::Tree;

use super::Sink;
use super::registry::check;

check! {
    /// A template can have the sections `heat_template_version`, `description`, `parameter_groups`, `parameters`,
    /// `resources` and `outputs`, and from version 2016-10-14 on `conditions`. Heat refuses any other section, and
    /// sections that are not maps.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resource:
    ///   net:
    ///     type: OS::Neutron::Net
    /// ```
    ///
    /// Use the names of Heat's sections:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   net:
    ///     type: OS::Neutron::Net
    /// ```
    UNKNOWN_SECTION: "W1003", Error, "an unknown or malformed section", Each(run)
}

const SECTIONS: [&str; 6] =
    ["heat_template_version", "description", "parameter_groups", "parameters", "resources", "outputs"];

fn run(sink: &mut Sink<'_>) {
    let template = sink.template();
    let Tree::Map(pairs) = &*template.root.tree else {
        if sink.loaded.unreadable.is_none() && template.root.is_truthy() {
            let diagnostic = UNKNOWN_SECTION
                .diagnostic(format!("the template is {} instead of a map of sections", template.root.tree.kind()))
                .label(&sink.at(template.root.span), "this is not a map")
                .help(format!("begin with `heat_template_version: {}`", Version::default()));
            sink.push(diagnostic);
        }
        return;
    };
    if template.version.is_none() {
        // The available sections depend on the version.
        return;
    }
    let version = template.version();
    let conditions = version.has_conditions().then_some("conditions");
    for pair in crate::yaml::counting(pairs) {
        let name = pair.key.as_key();
        let at = sink.at(pair.key.span);
        if name == "conditions" && conditions.is_none() {
            let diagnostic = UNKNOWN_SECTION
                .diagnostic(format!(
                    "conditions are available from {} on; this template has version {version}",
                    Version::V2016_10_14
                ))
                .label(&at, "not a section of this version")
                .help(format!("write `heat_template_version: {}`", Version::default()));
            sink.push(diagnostic);
            continue;
        }
        if !SECTIONS.contains(&&*name) && conditions != Some(&*name) && name != "__undefined__" {
            let diagnostic = UNKNOWN_SECTION
                .diagnostic(format!("a template has no section `{}`", name.escape_debug()))
                .label(&at, "Heat refuses a template with unknown sections")
                .help(
                    meant(&name, SECTIONS.into_iter().chain(conditions))
                        .unwrap_or_else(|| "put your own data into the `metadata` of a resource".to_owned()),
                );
            sink.push(diagnostic);
            continue;
        }
        // Python treats any falsy value as an empty section, except for conditions.
        let is_refused = match &*name {
            "parameters" | "resources" | "outputs" => pair.value.is_other_than_map(),
            "conditions" => !matches!(*pair.value.tree, Tree::Map(_)),
            _ => false,
        };
        if is_refused {
            let diagnostic = UNKNOWN_SECTION
                .diagnostic(format!("`{name}` is {} instead of a map", pair.value.tree.kind()))
                .label(&at, "each entry of this section needs a name")
                .help(match name.strip_suffix('s') {
                    _ if !pair.value.is_truthy() => format!("write `{name}: {{}}`, or remove the section"),
                    Some(one) => format!("give each {one} a name: `NAME: ...` in place of `- ...`"),
                    None => "write a map".to_owned(),
                });
            sink.push(diagnostic);
        }
    }
}
