//! The commands that read templates.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use wattle::author::Blueprint as _;
use wattle_tests::command::wattle;

use super::golden;

/// A directory with templates for the commands.
fn stage() -> tempfile::TempDir {
    let stage = tempfile::tempdir().expect("a directory");
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command/templates");
    for file in fs::read_dir(from).expect("the templates") {
        let file = file.expect("a file");
        fs::copy(file.path(), stage.path().join(file.file_name())).expect("copies");
    }
    stage
}

#[test]
fn everything_wrong_in_a_template_is_reported_at_once() {
    let stage = stage();
    let here = stage.path();
    golden("check", here, &["check", "app.yaml"]);
    golden("check-faulty", here, &["check", "faulty.yaml"]);
    golden("check-faulty-concise", here, &["check", "faulty.yaml", "--format", "concise"]);
    golden("check-missing", here, &["check", "faluty.yaml"]);
    fs::write(here.join("binary.yaml"), b"heat_template_version: 2021-04-16\n\xff\xfe").expect("writes");
    golden("check-binary", here, &["check", "binary.yaml"]);
    fs::write(here.join("cut.yaml"), "heat_template_version: 2021-04-16\nresources: {a: {type: ").expect("writes");
    golden("check-cut", here, &["check", "cut.yaml"]);
    golden("lower-faulty", here, &["lower", "faulty.yaml", "--message-format", "concise"]);
    assert!(!here.join("out").exists(), "something was written");
}

#[test]
fn an_extended_template_is_lowered_and_explained() {
    let stage = stage();
    let here = stage.path();
    golden("lower-explain", here, &["lower", "app.yaml", "--explain"]);
    assert!(!here.join("out").exists(), "something was written");
    golden("lower", here, &["lower", "app.yaml", "-o", "deploy"]);
    let template = fs::read_to_string(here.join("deploy/app/template.yaml")).expect("the template");
    assert!(!template.contains("components") && !template.contains("postgres"), "{template}");
    let seed = fs::read_to_string(here.join("deploy/app/seed.yaml")).expect("the seed");
    assert!(seed.contains("entry: db/postgres/url"), "{seed}");
}

#[test]
fn integers_of_any_length_stay_what_they_are() {
    let stage = stage();
    let long = "123456789012345678901234567890";
    let text = format!(
        "heat_template_version: 2021-04-16\nresources:\n  r:\n    type: OS::Heat::Value\n    properties:\n      value: \
         {{str_replace: {{template: a b, params: {{a: {long}, b: -{long}}}}}}}\n"
    );
    fs::write(stage.path().join("long.yaml"), text).expect("writes");
    let run = |args: &[&str]| {
        let ran = Command::new(wattle()).args(args).current_dir(stage.path()).output().expect("wattle runs");
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    };
    run(&["graph", "long.yaml"]);
    for format in ["yaml", "json"] {
        run(&["lower", "long.yaml", "--format", format]);
        let template =
            fs::read_to_string(stage.path().join(format!("out/long/template.{format}"))).expect("the template");
        assert!(template.contains(&format!(" {long}")) && template.contains(&format!("-{long}")), "{template}");
    }
}

#[test]
fn graphs() {
    let stage = stage();
    for format in ["json", "dot", "mermaid"] {
        golden(&format!("graph-{format}"), stage.path(), &["graph", "app.yaml", "--format", format]);
    }
    for template in ["app.yaml", "plain.yaml"] {
        for (file, begin) in [("drawn.svg", "<svg "), ("DRAWN.SVG", "<svg "), ("drawn.html", "<!DOCTYPE html>")] {
            let ran = Command::new(wattle()).args(["graph", template, "-o", file]).current_dir(stage.path()).output();
            assert!(ran.expect("wattle runs").status.success(), "{template} {file}");
            let drawn = fs::read_to_string(stage.path().join(file)).expect("drawn");
            assert!(
                drawn.starts_with(begin) && drawn.contains("OS::Nova::Server") == (file == "drawn.html"),
                "{drawn}"
            );
        }
    }
    golden("graph-of-no-kind", stage.path(), &["graph", "app.yaml", "-o", "app.png"]);
}

#[test]
fn what_was_emitted_is_drawn_with_its_software() {
    let stage = stage();
    let diagram = wattle::diagram::of(&hello::hello.model(Default::default())).without_texts();
    fs::create_dir(stage.path().join("hello")).expect("a directory");
    fs::write(stage.path().join("hello/graph.json"), diagram.to_json()).expect("writes");
    let run = |args: &[&str]| {
        let ran = Command::new(wattle()).args(args).current_dir(stage.path()).output().expect("wattle runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        (ran.status.code(), text(ran.stdout), text(ran.stderr))
    };
    for emitted in ["hello", "hello/", "hello/graph.json"] {
        assert_eq!(run(&["graph", emitted]), (Some(0), wattle::diagram::dot(&diagram), String::new()), "{emitted}");
    }
    fs::write(stage.path().join("graph.json"), "{}").expect("writes");
    for (nothing, why) in
        [("graph.json", "it is not a diagram"), (".", "it is not a diagram"), ("..", "give that folder")]
    {
        let (code, drawn, said) = run(&["graph", nothing]);
        assert!(code == Some(2) && drawn.is_empty() && said.contains(why), "{nothing}: {drawn} {said}");
    }
}

#[test]
fn a_directory_that_emit_wrote_is_checked() {
    let stage = stage();
    let here = stage.path();
    fs::create_dir(here.join("emitted")).expect("a directory");
    fs::copy(here.join("faulty.yaml"), here.join("emitted/template.yaml")).expect("copies");
    fs::write(here.join("emitted/environment.yaml"), "parametrs: {}\n").expect("writes");
    golden("check-directory", here, &["check", "emitted", "--format", "concise"]);
    fs::create_dir(here.join("crate")).expect("a directory");
    fs::write(here.join("crate/Cargo.toml"), "").expect("writes");
    golden("check-crate", here, &["check", "crate"]);
    golden("check-nothing", here, &["check", "."]);
}

/// For a single file that was emitted to a folder, the message names that folder.
#[test]
fn what_lacks_a_value_is_reported_of_the_environment_beside_it() {
    let stage = stage();
    let here = stage.path();
    let text =
        "heat_template_version: 2021-04-16\nparameters:\n  size: {type: number}\n  wattle_space: {type: string}\n";
    fs::create_dir_all(here.join("out/hello")).expect("a directory");
    for name in ["out/hello/template.yaml", "out/hello/other.yaml"] {
        fs::write(here.join(name), text).expect("writes");
    }
    golden("check-no-environment", here, &["check", "out/hello/template.yaml"]);
    fs::write(here.join("out/hello/environment.yaml"), "parameters:\n  size: 3\n  #wattle_space:\n").expect("writes");
    golden("check-beside-environment", here, &["check", "out/hello/template.yaml"]);
    golden("check-other-beside-environment", here, &["check", "out/hello/other.yaml"]);
    golden("check-with-environment", here, &["check", "out/hello/template.yaml", "-e", "out/hello/environment.yaml"]);
    golden("check-its-folder", here, &["check", "out/hello"]);
    golden("check-within", &here.join("out/hello"), &["check", "template.yaml"]);
}

/// A `RawResource` may have a type that exists only in a specific cloud.
#[test]
fn a_type_of_ones_own_is_no_error_where_a_blueprint_names_it() {
    let stage = stage();
    let emitted = stage.path().join("emitted");
    fs::create_dir(&emitted).expect("a directory");
    let check = |ty: &str, path: &str| {
        let template =
            format!("heat_template_version: 2021-04-16\nresources:\n  a: {{type: '{ty}', properties: {{b: 1}}}}\n");
        fs::write(emitted.join("template.yaml"), template).expect("writes");
        let ran = Command::new(wattle()).args(["check", path]).current_dir(stage.path()).output().expect("wattle runs");
        (ran.status.code(), String::from_utf8(ran.stdout).expect("text"))
    };
    let (code, said) = check("Our::Thing", "emitted");
    assert!(code == Some(0) && said.contains("warning[W1201]"), "{said}");
    assert_eq!(check("Our::Thing", "emitted/template.yaml").0, Some(1));
    assert_eq!(check("OS::Nova::Sever", "emitted").0, Some(1));
}

#[test]
fn what_is_no_template_is_not_drawn() {
    let stage = stage();
    fs::write(stage.path().join("notes.yaml"), "bread: 1\n").expect("writes");
    let ran =
        Command::new(wattle()).args(["graph", "notes.yaml", "-o", "notes.svg"]).current_dir(stage.path()).output();
    let ran = ran.expect("wattle runs");
    let said = String::from_utf8(ran.stderr).expect("text");
    assert!(ran.status.code() == Some(1) && said.contains("`heat_template_version` is missing"), "{said}");
    assert!(!stage.path().join("notes.svg").exists(), "it was drawn");
}

#[test]
fn a_template_becomes_a_crate_and_nothing_is_overwritten() {
    let stage = stage();
    let here = stage.path();
    golden("import", here, &["import", "plain.yaml", "-o", "plain"]);
    let code = fs::read_to_string(here.join("plain/src/lib.rs")).expect("the crate");
    assert!(code.contains("nova::Server::new()") && code.contains("pub fn plain("), "{code}");
    golden("import-again", here, &["import", "plain.yaml", "-o", "plain"]);
    golden("import-extended", here, &["import", "app.yaml", "-o", "app"]);
    golden("import-faulty", here, &["import", "faulty.yaml", "-o", "faulty"]);
    assert!(!here.join("app").exists() && !here.join("faulty").exists(), "something was written");
}

#[test]
fn the_standard_input_is_a_template_too() {
    let stage = stage();
    let run = |args: &[&str], file: &str| {
        let input = fs::File::open(stage.path().join(file)).expect("the template");
        let mut command = Command::new(wattle());
        command.args(args).current_dir(stage.path()).stdin(Stdio::from(input));
        let ran = command.output().expect("wattle runs");
        (ran.status.code(), String::from_utf8(ran.stdout).expect("text"))
    };
    let (code, said) = run(&["graph", "-", "--format", "json"], "app.yaml");
    let by_name = run(&["graph", "app.yaml", "--format", "json"], "app.yaml");
    // `picture` contains the file's name, in places and as the name of the stack, so only the rest must be equal.
    let [said, by_name] = [&said, &by_name.1].map(|json| {
        let mut json: serde_json::Value = serde_json::from_str(json).expect("JSON");
        let diagram = json["picture"].take();
        (json, diagram["components"].as_array().map(Vec::len))
    });
    assert_eq!((code, &said), (Some(0), &by_name));
    assert_eq!(run(&["check", "-"], "app.yaml"), (Some(0), "no errors, no warnings in 4 resources\n".into()));
    let (code, said) = run(&["check", "-", "--format", "concise"], "faulty.yaml");
    assert!(code == Some(1) && said.starts_with("<stdin>:"), "{said}");
}
