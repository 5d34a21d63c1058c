//! The files of a crate: all that its template reads, and nothing else.

use std::collections::BTreeMap;

use wattle_heat::environment::Environment;
use wattle_heat::parameters::Inputs;
use wattle_hot::import::{Dependency, Imported, Options, import};

const STACK: &str = "heat_template_version: 2021-04-16\n";

/// The crate of a template with these resources, in the folder `app`; a type `Site` is mapped to `site.yaml`.
fn imported(resources: &str) -> Imported {
    let value = |path: &str| {
        format!("{STACK}resources: {{v: {{type: OS::Heat::Value, properties: {{value: {{get_file: {path}}}}}}}}}\n")
    };
    let files = [
        ("app/parts/inner.yaml", value("boot.sh")),
        ("app/parts/boot.sh", "boot".to_owned()),
        (
            "app/parts/outer.yaml",
            format!("{STACK}resources: {{n: {{type: ../nested.yaml}}, i: {{type: inner.yaml}}}}\n"),
        ),
        ("app/nested.yaml", value("../secret")),
        ("app/lost.yaml", value("/etc/shadow")),
        ("app/site.yaml", value("site.sh")),
        ("app/site.sh", "site".to_owned()),
        ("secret", "one".to_owned()),
        ("other/secret", "two".to_owned()),
        ("other/inner.yaml", value("secret")),
        ("/etc/shadow", "root".to_owned()),
    ];
    let files: BTreeMap<_, _> = files.map(|(path, text)| (path.to_owned(), text.into_bytes())).into();
    let environment = Environment::read([("app/e.yaml", "resource_registry: {Site: site.yaml}\n")]);
    let inputs = Inputs { environment: environment.into(), ..Inputs::default() };
    let text = format!("{STACK}resources:\n{resources}");
    let loaded = wattle_hot::load(&text, "app/template.yaml", &files, &inputs);
    import(&loaded, &Options::new("app", Dependency::Version("1".into()))).expect("a crate")
}

fn stack(name: &str, path: &str) -> String {
    format!("  {name}: {{type: OS::Heat::Stack, properties: {{template: {{get_file: {path}}}}}}}\n")
}

/// The files that the crate keeps, the names under which it emits them, and its notes.
fn of(resources: &str) -> (Vec<String>, Vec<String>, Vec<String>) {
    let imported = imported(resources);
    let (mut kept, mut emitted) = (Vec::new(), Vec::new());
    for (path, text) in &imported.files {
        kept.extend(path.strip_prefix("files/").map(str::to_owned));
        for call in text.split("t.file(").skip(1) {
            let name = call.split('"').nth(1).expect("a name");
            let include = call.split("include_str!(\"../").nth(1).and_then(|rest| rest.split('"').next());
            let include = include.expect("an include");
            assert!(imported.files.iter().any(|(path, _)| path == include), "{include} is missing");
            emitted.push(name.to_owned());
        }
    }
    kept.sort();
    emitted.sort();
    (kept, emitted, imported.notes.iter().map(ToString::to_string).collect())
}

#[test]
fn what_a_template_names_comes_along_where_the_template_is_only_read() {
    let (kept, emitted, notes) = of(&stack("s", "parts/inner.yaml"));
    assert_eq!(kept, ["parts/boot.sh", "parts/inner.yaml"]);
    assert_eq!(emitted, ["parts/boot.sh", "parts/inner.yaml"]);
    assert_eq!(notes, [""; 0]);
    // Through several templates, and without a module for a file that is read as text.
    let (kept, emitted, notes) = of(&stack("s", "parts/outer.yaml"));
    assert_eq!(kept, ["nested.yaml", "parts/boot.sh", "parts/inner.yaml", "parts/outer.yaml"]);
    assert_eq!(emitted, ["nested.yaml", "parts/boot.sh", "parts/inner.yaml", "parts/outer.yaml"]);
    assert_eq!(
        notes,
        ["note: an imported file names one that cannot be placed next to the template: it is left out\n  --> \
             app/nested.yaml:2:71: `../secret` of `nested.yaml`\n"]
    );
    let files = imported(&stack("s", "parts/outer.yaml")).files;
    assert!(
        files.iter().all(|(path, _)| !path.starts_with("src/") || ["src/lib.rs", "src/main.rs"].contains(&&**path))
    );
}

#[test]
fn a_file_outside_of_the_folder_gets_a_name_below_it_and_a_note() {
    let value = |name: &str, path: &str| {
        format!("  {name}: {{type: OS::Heat::Value, properties: {{value: {{get_file: {path}}}}}}}\n")
    };
    let resources = value("a", "../secret") + &value("b", "../other/secret") + &value("c", "/etc/shadow");
    let (kept, emitted, notes) = of(&resources);
    assert_eq!(kept, ["outside/secret", "outside2/secret", "outside3/shadow"]);
    assert_eq!(emitted, ["files/outside/secret", "files/outside2/secret", "files/outside3/shadow"]);
    let expected = "note: the file is outside the template's folder: its content is now in the crate\n  --> \
                    app/template.yaml:3:50: `../secret`, now `files/outside/secret`\n  --> app/template.yaml:4:50: \
                    `../other/secret`, now `files/outside2/secret`\n  --> app/template.yaml:5:50: `/etc/shadow`, now \
                    `files/outside3/shadow`\n";
    assert_eq!(notes, [expected]);
    // Files that such a template refers to are beside it again.
    let (_, emitted, _) = of(&stack("s", "../other/inner.yaml"));
    assert_eq!(emitted, ["files/outside/inner.yaml", "files/outside/secret"]);
}

#[test]
fn what_nothing_emitted_names_stays_where_it_is() {
    // The environment goes to Heat as before, with the files that it refers to.
    let (kept, emitted, _) = of("  s: {type: Site}\n");
    assert_eq!((kept, emitted), (Vec::new(), Vec::new()));
    let (kept, _, notes) = of(&stack("s", "lost.yaml"));
    assert_eq!(kept, ["lost.yaml"]);
    assert_eq!(
        notes,
        ["note: an imported file names one that cannot be placed next to the template: it is left out\n  --> \
             app/lost.yaml:2:71: `/etc/shadow` of `lost.yaml`\n"]
    );
}
