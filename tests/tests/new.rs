//! `wattle new`, completions and manual pages: their output is accepted by Cargo, bash and man.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use wattle_tests::command::wattle;
use wattle_tests::openstack::{RealHeat, is_there, source};

/// The output of a program on both streams, and whether it succeeded.
fn run(command: &mut Command) -> (String, bool) {
    let output = command.stdin(Stdio::null()).env_remove("RUSTFLAGS").output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (said, output.status.success())
}

fn new(folder: &Path, args: &[&str]) -> (String, bool) {
    run(Command::new(wattle()).arg("new").args(args).current_dir(folder))
}

fn cargo(folder: &Path, args: &[&str]) -> String {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("book");
    let mut command = Command::new(env!("CARGO"));
    command.args(args).current_dir(folder).env("CARGO_TARGET_DIR", target).env("CARGO_NET_OFFLINE", "true");
    let (said, succeeded) = run(command.env("CARGO_INCREMENTAL", "0").env("CARGO_PROFILE_DEV_DEBUG", "0"));
    assert!(succeeded && !said.contains("warning"), "{said}");
    said
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for path in fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            let text = fs::read_to_string(&path).expect("it is text");
            found.push((path, text));
        }
    }
    found.sort();
    found
}

#[test]
fn a_new_crate_compiles_passes_its_tests_and_runs() {
    let folder = tempfile::tempdir().unwrap();
    let (said, succeeded) = new(folder.path(), &["new-shop"]);
    assert!(succeeded && said.contains("next: `cd new-shop && cargo run` emits it"), "{said}");
    let own = folder.path().join("new-shop");
    let (fmt, formatted) = run(Command::new(env!("CARGO")).args(["fmt", "--check"]).current_dir(&own));
    assert!(formatted, "{fmt}");
    assert!(cargo(&own, &["test"]).contains("1 passed"));
    assert!(cargo(&own, &["run"]).contains("out/new_shop"));
    // The versions are those with which wattle is tested.
    let versions = |path: &Path| -> Vec<String> {
        let text = fs::read_to_string(path).unwrap();
        text.lines().filter(|line| line.starts_with("checksum")).map(str::to_owned).collect()
    };
    let tested = versions(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock"));
    let taken = versions(&own.join("Cargo.lock"));
    assert!(!taken.is_empty() && taken.iter().all(|version| tested.contains(version)));
}

#[test]
fn a_new_crate_lives_on_a_real_openstack() {
    if !is_there("what `wattle new` makes") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    assert!(new(folder.path(), &["new-shop"]).1);
    let own = folder.path().join("new-shop");
    cargo(&own, &["run"]);
    let given = [("wattle_space", "zookeeper://127.0.0.1:2181")];
    RealHeat::new().is_made_and_stays("new_shop", &source(&own.join("out/new_shop"), "new_shop", &given));
}

#[test]
fn a_crate_with_a_chef_recipe_is_told_how_to_switch_its_reader_on() {
    let folder = tempfile::tempdir().unwrap();
    // Cargo can add features only of versions that it finds. None is published, so the crate uses this repository.
    let wattle = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    assert!(new(folder.path(), &["chef-shop", "--wattle", wattle]).1);
    let own = folder.path().join("chef-shop");
    let recipes = own.join("cookbooks/web/recipes");
    fs::create_dir_all(&recipes).unwrap();
    fs::write(recipes.join("server.rb"), "node.default['web']['url'] = 'http://web/'\n").unwrap();
    let component =
        "#[component(chef = \"cookbooks/web::server\")]\nstruct Web {\n    #[output]\n    url: String,\n}\n";
    fs::write(own.join("src/lib.rs"), format!("use wattle::prelude::*;\n\n{component}")).unwrap();
    fs::remove_dir_all(own.join("tests")).ok();
    let check = |folder: &Path| {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("book");
        let mut command = Command::new(env!("CARGO"));
        command.args(["check", "--lib", "--offline"]).current_dir(folder).env("CARGO_TARGET_DIR", target);
        run(command.env("CARGO_INCREMENTAL", "0").env("CARGO_PROFILE_DEV_DEBUG", "0"))
    };
    let (said, succeeded) = check(&own);
    assert!(!succeeded && said.contains("error: Chef recipes need the feature `chef` of `wattle`"), "{said}");
    assert!(said.contains("help: run `cargo add wattle --features chef`"), "{said}");
    let errors = said.lines().filter(|line| line.starts_with("error")).count();
    assert_eq!(errors, 2, "one of the macro, one of cargo: {said}");
    let (said, succeeded) =
        run(Command::new(env!("CARGO")).args(["add", "wattle", "--features", "chef", "--offline"]).current_dir(&own));
    assert!(succeeded, "{said}");
    let (said, succeeded) = check(&own);
    assert!(succeeded, "{said}");
}

/// The emitted files are the same wherever they are built: they contain no path of this machine, even for parts of the
/// catalog.
#[test]
fn two_checkouts_emit_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let emitted = ["one", "other/place"].map(|place| {
        let place = folder.path().join(place);
        fs::create_dir_all(&place).unwrap();
        let wattle = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        assert!(new(&place, &["shop", "--wattle", wattle]).1);
        let own = place.join("shop");
        let manifest = fs::read_to_string(own.join("Cargo.toml")).unwrap();
        let manifest = manifest.replace("/catalog\" }", "/catalog\", features = [\"parts\"] }");
        fs::write(own.join("Cargo.toml"), manifest).unwrap();
        let part = "wattle_catalog::parts::network::PrivateNetwork { cidr: \"10.0.0.0/24\", external: \"public\" }";
        let source = fs::read_to_string(own.join("src/lib.rs")).unwrap();
        let (head, rest) = source.split_once("Topology, p: Settings) -> Exports {\n").expect("the blueprint");
        let added =
            format!("{head}Topology, p: Settings) -> Exports {{\n    let _ = t.add(\"inside\", {part});\n{rest}");
        fs::write(own.join("src/lib.rs"), added).unwrap();
        cargo(&own, &["run", "--", "emit", "--model"]);
        files(&own.join("out"))
            .into_iter()
            .map(|(path, text)| (path.strip_prefix(&own).unwrap().to_owned(), text))
            .collect::<Vec<_>>()
    });
    let [one, other] = &emitted;
    assert!(one.len() >= 5, "{one:?}");
    assert_eq!(one, other);
    let places = [folder.path().to_str().unwrap(), env!("CARGO_MANIFEST_DIR").trim_end_matches("/tests")];
    for (path, text) in one {
        assert!(places.iter().all(|place| !text.contains(place)), "{}", path.display());
    }
    let seed = &one.iter().find(|(path, _)| path.ends_with("seed.yaml")).expect("the seed").1;
    assert!(seed.contains(" catalog/src/parts/network.rs:"), "{seed}");
}

#[test]
fn nothing_is_overwritten_and_no_name_is_taken_that_cannot_be_one() {
    let folder = tempfile::tempdir().unwrap();
    assert!(new(folder.path(), &["shop"]).1);
    fs::write(folder.path().join("shop/src/lib.rs"), "mine").unwrap();
    fs::write(folder.path().join("file"), "mine").unwrap();
    let before = files(folder.path());
    for (name, why) in [
        ("shop", "the folder `shop` already has files"),
        ("file", "the file `file` already exists"),
        ("My Shop", "perhaps `my-shop`?"),
        ("self", "a reserved word of Rust"),
        ("wattle", "a crate of wattle has this name"),
        ("..", "a crate needs a name"),
    ] {
        let (said, succeeded) = new(folder.path(), &[name]);
        assert!(!succeeded && said.contains(why) && said.contains("nothing was written"), "{name}: {said}");
    }
    assert_eq!(files(folder.path()), before);
    // An empty folder is accepted.
    fs::create_dir(folder.path().join("empty")).unwrap();
    assert!(new(folder.path(), &["empty"]).1);
}

#[test]
fn a_new_crate_finds_wattle_where_it_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = |name: &str, place: &str| {
        let (said, succeeded) = new(folder.path(), &[name, "--wattle", place]);
        assert!(succeeded, "{said}");
        fs::read_to_string(folder.path().join(name).join("Cargo.toml")).unwrap()
    };
    let git = manifest("a", "https://git.example.org/wattle");
    assert!(git.contains("wattle-catalog = { git = \"https://git.example.org/wattle\" }"), "{git}");
    // By default, the crate depends on a version, and no file tracked by git contains a path of this machine.
    let (said, succeeded) = new(folder.path(), &["usual"]);
    assert!(succeeded && said.contains("note: on this machine the crate is built with the wattle in `"), "{said}");
    let usual = folder.path().join("usual");
    for (path, text) in files(&usual).into_iter().filter(|(path, _)| !path.starts_with(usual.join(".cargo"))) {
        assert!(!text.contains(env!("CARGO_MANIFEST_DIR").trim_end_matches("tests")), "{}", path.display());
    }
    let usual = fs::read_to_string(usual.join("Cargo.toml")).unwrap();
    assert!(usual.contains("wattle = { version = \"0.1.0\" }"), "{usual}");
    let (said, succeeded) = run(Command::new("git").args(["init", "-q", "."]).current_dir(folder.path()));
    assert!(succeeded, "{said}");
    let (said, _) = run(Command::new("git").args(["status", "--short", "-uall", "usual"]).current_dir(folder.path()));
    assert!(said.contains("usual/Cargo.toml") && !said.contains(".cargo"), "{said}");
    let (said, succeeded) = new(folder.path(), &["ours", "--registry", "acme"]);
    assert!(succeeded && !folder.path().join("ours/.cargo").exists(), "{said}");
    let ours = fs::read_to_string(folder.path().join("ours/Cargo.toml")).unwrap();
    assert!(ours.contains("wattle-catalog = { version = \"0.1.0\", registry = \"acme\" }"), "{ours}");
    let (said, succeeded) = new(folder.path(), &["no", "--registry", "https://x"]);
    assert!(!succeeded && said.contains("is not the name of a registry"), "{said}");
    assert!(manifest("b", "0.1.0").contains("wattle = { version = \"0.1.0\" }"));
    assert!(manifest("c", concat!(env!("CARGO_MANIFEST_DIR"), "/..")).contains("/dsl\" }"));
    let (said, succeeded) = new(folder.path(), &["d", "--wattle", "."]);
    assert!(!succeeded && said.contains("is not wattle's repository"), "{said}");
    assert!(!folder.path().join("d").exists());
}

#[test]
fn within_a_workspace_a_new_crate_is_one_of_its_own_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("Cargo.toml"), "[workspace]\nmembers = []\n").unwrap();
    let (said, succeeded) = new(folder.path(), &["inner"]);
    assert!(succeeded && said.contains("note: it is a workspace of its own"), "{said}");
    cargo(&folder.path().join("inner"), &["metadata", "--format-version", "1", "--no-deps"]);
}

#[test]
fn in_a_workspace_that_has_it_by_a_pattern_a_new_crate_is_a_member() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("Cargo.toml"), "[workspace] # all\nresolver = \"3\"\nmembers = [\"crates/*\"]\n")
        .unwrap();
    let (said, succeeded) = new(folder.path(), &["crates/inner"]);
    assert!(succeeded && said.contains("note: it is a member of the workspace"), "{said}");
    let reported = cargo(folder.path(), &["metadata", "--format-version", "1", "--no-deps"]);
    assert!(reported.contains("\"name\":\"inner\""), "{reported}");
    assert!(!folder.path().join("crates/inner/Cargo.lock").exists());
}

#[test]
fn bash_completes_commands_and_options() {
    let folder = tempfile::tempdir().unwrap();
    let (script, succeeded) = run(Command::new(wattle()).args(["completions", "bash"]));
    assert!(succeeded, "{script}");
    fs::write(folder.path().join("wattle.bash"), script).unwrap();
    let complete = |words: &str| {
        let script = format!(
            "source wattle.bash; COMP_WORDS=({words}); COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 )); complete -p wattle >/dev/null && \
             _wattle wattle \"${{COMP_WORDS[COMP_CWORD]}}\" x; echo \"${{COMPREPLY[@]}}\""
        );
        run(Command::new("bash").args(["--norc", "-c", &script]).current_dir(folder.path())).0
    };
    assert_eq!(complete("wattle st"), "status\n");
    assert_eq!(complete("wattle seed ap"), "apply\n");
    assert_eq!(complete("wattle up --unt"), "--until-done\n");
    assert_eq!(complete("wattle explain W070"), "W0701 W0702 W0703 W0704 W0705 W0706 W0707 W0708 W0709\n");
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        let (script, succeeded) = run(Command::new(wattle()).args(["completions", shell]));
        assert!(succeeded && script.contains("until-done"), "{shell}: {script}");
    }
}

#[test]
fn the_manual_has_a_page_for_each_command_that_man_renders() {
    let folder = tempfile::tempdir().unwrap();
    let (said, succeeded) = run(Command::new(wattle()).args(["man", "--out"]).arg(folder.path()));
    assert!(succeeded, "{said}");
    let (help, _) = run(Command::new(wattle()).arg("--help"));
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let mut pages = vec!["wattle.1".to_owned(), "wattle-seed-apply.1".to_owned()];
    // A line that begins in the same column continues the previous one.
    let names = commands.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    pages.extend(names.filter_map(|line| line.split_whitespace().next()).map(|name| format!("wattle-{name}.1")));
    assert!(pages.len() > 12, "{pages:?}");
    for page in pages {
        let path = folder.path().join(&page);
        assert!(path.exists(), "there is no {page}");
        let (said, succeeded) = run(Command::new("groff").args(["-man", "-ww", "-Tutf8", "-z"]).arg(&path));
        assert!(succeeded && said.is_empty(), "{page}: {said}");
    }
}
