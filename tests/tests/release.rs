//! Released artifacts: publishable crates, and the output of `release/make`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use wattle_tests::command::{repository, wattle, wattle_agent};
use wattle_tests::skip::{everything, skipped};

/// Crates that are not published.
const OURS: [&str; 5] = ["connections", "hello", "three_tier", "wattle-compile-tests", "wattle-tests"];

/// The output of a command, which must succeed.
fn run(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).env_remove("RUSTFLAGS").output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    said
}

fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.args(args).current_dir(repository());
    command
}

/// `cargo COMMAND` for all published crates.
fn for_all(command: &[&str]) -> Command {
    let mut cargo = cargo(command);
    cargo.args(["--workspace", "--allow-dirty"]).args(OURS.map(|name| format!("--exclude={name}")));
    cargo
}

/// Whether crates.io is reachable. Published versions are compared with those there.
fn is_in_reach() -> bool {
    let target = tempfile::tempdir().unwrap();
    let mut probe = cargo(&["publish", "--dry-run", "--no-verify", "--allow-dirty", "--package", "wattle-words"]);
    probe.env("CARGO_TARGET_DIR", target.path()).env("CARGO_NET_RETRY", "0").stdin(Stdio::null());
    probe.output().expect("it starts").status.success()
}

#[test]
fn every_crate_that_users_need_can_be_published() {
    let described = run(&mut cargo(&["metadata", "--offline", "--no-deps", "--format-version", "1"]));
    let described: Value = serde_json::from_str(described.lines().next().unwrap()).unwrap();
    let mut published = Vec::new();
    for package in described["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        let is_ours = OURS.contains(&name);
        // An empty list means no registry at all, and null means all registries.
        assert_eq!(package["publish"].is_null(), !is_ours, "{name}: whether it is for users");
        if is_ours {
            continue;
        }
        published.push(name.to_owned());
        let folder = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap();
        let has = |field: &str| package[field].as_str().is_some_and(|text| !text.is_empty());
        assert!(["description", "license", "rust_version"].into_iter().all(has), "{name}: {package}");
        assert!(!package["keywords"].as_array().unwrap().is_empty(), "{name}");
        assert!(package["metadata"]["docs"]["rs"].is_object(), "{name} says nothing of how its documentation is built");
        let readme = fs::read_to_string(folder.join("README.md")).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(readme.starts_with(&format!("# {name}\n")), "{name}: {readme}");
        for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
            assert_eq!(
                fs::read(folder.join(licence)).unwrap(),
                fs::read(repository().join(licence)).unwrap(),
                "{name}"
            );
        }
    }
    assert!(published.len() >= 17, "{published:?}");
    let target = tempfile::tempdir().unwrap();
    let said = run(for_all(&["package", "--offline", "--no-verify"]).env("CARGO_TARGET_DIR", target.path()));
    for name in &published {
        let file = target.path().join(format!("package/{name}-0.1.0.crate"));
        // The maximum size that registries accept.
        assert!(fs::metadata(&file).unwrap_or_else(|error| panic!("{name}: {error}: {said}")).len() < 10_000_000);
    }
}

/// Everything that `cargo publish` does, except for the upload.
#[test]
fn crates_build_as_they_are_published() {
    if !everything("building each crate as it is published") {
        return;
    }
    let command: &[&str] = if is_in_reach() {
        &["publish", "--dry-run"]
    } else {
        skipped("`cargo publish --dry-run`", "crates.io is out of reach, so `cargo package` takes its place");
        &["package", "--offline"]
    };
    let target = tempfile::tempdir().unwrap();
    let said = run(for_all(command).env("CARGO_TARGET_DIR", target.path()).env("CARGO_PROFILE_DEV_DEBUG", "0"));
    // wattle has no public URL to put into a manifest.
    let known = ["manifest has no documentation, homepage or repository", "aborting upload due to dry run"];
    let warnings = said.lines().filter_map(|line| line.strip_prefix("warning: "));
    let others: Vec<&str> = warnings.filter(|warning| !known.contains(warning)).collect();
    assert_eq!(others, [""; 0]);
}

/// Makes a release of the programs that the tests use.
fn made(out: &Path, binaries: &Path) {
    run(Command::new(repository().join("release/make")).arg("--binaries").arg(binaries).arg(out));
}

#[test]
fn a_release_is_whole_and_the_same_each_time() {
    for tool in ["dpkg-deb", "readelf"] {
        if Command::new(tool).arg("--version").output().is_err() {
            return skipped("a release", &format!("{tool} is missing: `apt-get install dpkg binutils`"));
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let binaries = folder.path().join("binaries");
    fs::create_dir(&binaries).unwrap();
    // Another test may rebuild these programs in the meantime.
    fs::copy(wattle(), binaries.join("wattle")).unwrap();
    fs::copy(wattle_agent(), binaries.join("wattle-agent")).unwrap();
    let (out, again) = (folder.path().join("out"), folder.path().join("again"));
    made(&out, &binaries);
    made(&again, &binaries);
    let sums = |folder: &Path| fs::read_to_string(folder.join("SHA256SUMS")).unwrap();
    assert_eq!(sums(&out), sums(&again));
    run(Command::new("sha256sum").args(["--check", "--strict", "SHA256SUMS"]).current_dir(&out));
    // The checksums are complete, and a release does not overwrite files in its target folder.
    assert_eq!(sums(&out).lines().count() + 1, fs::read_dir(&out).unwrap().count());
    let refused = Command::new(repository().join("release/make")).arg(&out).output().unwrap();
    assert!(!refused.status.success());

    let file = |ending: &str| {
        let all = fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().path());
        let mut all = all.filter(|path| path.to_str().unwrap().ends_with(ending));
        all.next().unwrap_or_else(|| panic!("nothing ends in {ending}"))
    };
    let listed = run(Command::new("tar").arg("--list").arg("--file").arg(file("-linux.tar.gz")));
    for part in [
        "/bin/wattle\n",
        "/bin/wattle-agent\n",
        "/share/man/man1/wattle-seed-apply.1\n",
        "/share/bash-completion/completions/wattle\n",
        "/share/zsh/site-functions/_wattle\n",
        "/share/fish/vendor_completions.d/wattle.fish\n",
        "/LICENSE-MIT\n",
    ] {
        assert!(listed.contains(part), "{part} {listed}");
    }
    let unpacked = folder.path().join("unpacked");
    fs::create_dir(&unpacked).unwrap();
    run(Command::new("tar")
        .arg("--extract")
        .arg("--file")
        .arg(file("-linux.tar.gz"))
        .arg("--directory")
        .arg(&unpacked));
    links(&fs::read_dir(&unpacked).unwrap().next().unwrap().unwrap().path());
    agent(&file("amd64.deb"), &out, folder.path());
    command(&file("amd64.deb"), &out);
    bill(&file(".cdx.json"));
}

/// The target of every link in the README is in the package.
fn links(folder: &Path) {
    let readme = fs::read_to_string(folder.join("README.md")).unwrap();
    let links = readme.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link);
    let links: Vec<&str> = links.filter(|link| !link.contains("://") && !link.starts_with('#')).collect();
    assert!(links.len() > 20, "{links:?}");
    for link in links {
        let path = link.split('#').next().unwrap();
        assert!(folder.join(path).exists(), "{link} leads nowhere");
    }
}

/// Looks into the command's package.
fn command(any: &Path, out: &Path) {
    let name = any.file_name().unwrap().to_str().unwrap().replace("wattle-agent_", "wattle_");
    let package = out.join(name);
    let control = run(Command::new("dpkg-deb").arg("--info").arg(&package));
    assert!(control.contains("Package: wattle\n") && control.contains("Depends: libc6 (>= 2."), "{control}");
    let listed = run(Command::new("dpkg-deb").arg("--contents").arg(&package));
    for part in [
        "/usr/bin/wattle\n",
        "/usr/share/man/man1/wattle-seed-apply.1.gz\n",
        "/usr/share/bash-completion/completions/wattle\n",
        "/usr/share/zsh/vendor-completions/_wattle\n",
        "/usr/share/fish/vendor_completions.d/wattle.fish\n",
        "/usr/share/doc/wattle/copyright\n",
    ] {
        assert!(listed.contains(part), "{part} {listed}");
    }
}

/// Unpacks the agent's package.
fn agent(any: &Path, out: &Path, folder: &Path) {
    let name = any.file_name().unwrap().to_str().unwrap().replace("wattle_", "wattle-agent_");
    let package = out.join(name);
    let control = run(Command::new("dpkg-deb").arg("--info").arg(&package));
    assert!(control.contains("Package: wattle-agent\n") && control.contains("Depends: libc6 (>= 2."), "{control}");
    let root = folder.join("root");
    run(Command::new("dpkg-deb").arg("--raw-extract").arg(&package).arg(&root));
    let unit = root.join("usr/lib/systemd/system/wattle-agent.service");
    let text = fs::read_to_string(&unit).unwrap();
    for line in [
        "ExecStart=/usr/bin/wattle-agent agent --identity /etc/wattle/identity.json",
        "ConditionPathExists=/etc/wattle/identity.json",
        "Delegate=yes",
        "WantedBy=multi-user.target",
    ] {
        assert!(text.lines().any(|own| own == line), "{line}: {text}");
    }
    assert!(!text.contains("/usr/local") && !text.contains("ExecStartPre"), "{text}");
    if let Ok(said) = Command::new("systemd-analyze").arg("verify").arg(&unit).output() {
        let said = String::from_utf8_lossy(&said.stderr).into_owned();
        let wrong = said.lines().filter(|line| line.contains("wattle-agent") && !line.contains("is not executable"));
        assert_eq!(wrong.collect::<Vec<_>>(), [""; 0]);
    }
    let said = run(Command::new(root.join("usr/bin/wattle-agent")).arg("--version"));
    assert!(said.starts_with("wattle "), "{said}");
    for script in ["postinst", "prerm"] {
        run(Command::new("sh").arg("-n").arg(root.join("DEBIAN").join(script)));
    }
}

/// The bill of materials lists everything in the programs' lock file, and contains no path of this machine.
fn bill(file: &Path) {
    let text = fs::read_to_string(file).unwrap();
    assert!(!text.contains(repository().to_str().unwrap()) && !text.contains("file://"));
    let bill: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&bill["bomFormat"], &bill["specVersion"]), (&Value::from("CycloneDX"), &Value::from("1.5")));
    let components = bill["components"].as_array().unwrap();
    let is_there = |name: &str| components.iter().any(|one| one["name"] == name);
    for name in ["wattle", "tokio", "rustls", "aws-lc-sys", "cc", "elkjs"] {
        assert!(is_there(name), "{name}");
    }
    for name in ["insta", "proptest", "wattle-tests"] {
        assert!(!is_there(name), "{name} is of the tests only");
    }
    for one in components {
        let is_own = one["name"].as_str().unwrap().starts_with("wattle") || one["name"] == "elkjs";
        assert!(is_own || one["hashes"][0]["content"].as_str().is_some_and(|sum| sum.len() == 64), "{one}");
        assert!(one["licenses"][0]["expression"].is_string(), "{one}");
    }
    let known: Vec<&Value> =
        components.iter().chain([&bill["metadata"]["component"]]).map(|one| &one["bom-ref"]).collect();
    for one in bill["dependencies"].as_array().unwrap() {
        let all = one["dependsOn"].as_array().unwrap().iter().chain([&one["ref"]]);
        assert!(all.into_iter().all(|dependency| known.contains(&dependency)), "{one}");
    }
}

/// The release build, with an agent that needs no library of the system. The program that each server downloads is
/// under 8 MB, and the one that an operator installs is under 19 MB.
#[test]
fn a_release_is_built_and_is_small() {
    if !everything("building a release") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    run(Command::new(repository().join("release/make")).arg(&out));
    let agent = fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().path());
    let agent = agent.into_iter().find(|path| path.to_str().unwrap().ends_with("-linux")).expect("the agent");
    let needed = run(Command::new("readelf").args(["--dynamic", "--wide"]).arg(&agent));
    assert!(!needed.contains("(NEEDED)"), "{needed}");
    // It runs without any other file: it needs no libc, and nothing that a libc would load.
    let nothing = folder.path().join("nothing");
    fs::create_dir(&nothing).unwrap();
    fs::copy(&agent, nothing.join("agent")).unwrap();
    let said =
        run(Command::new("unshare").arg("--map-root-user").arg("--root").arg(&nothing).args(["/agent", "--version"]));
    assert!(said.starts_with("wattle "), "{said}");
    let tar = fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().path());
    let tar = tar.into_iter().find(|path| path.to_str().unwrap().ends_with(".tar.gz")).expect("the command");
    run(Command::new("tar").arg("--extract").arg("--strip-components=1").arg("--file").arg(tar).current_dir(&folder));
    let bin = folder.path().join("bin");
    for (program, most) in
        [(&agent, 8_000_000), (&bin.join("wattle-agent"), 8_000_000), (&bin.join("wattle"), 19_000_000)]
    {
        let size = fs::metadata(program).unwrap().len();
        assert!((1_000_000..most).contains(&size), "{} has {size} bytes", program.display());
    }
    let place = repository().to_str().unwrap().as_bytes().to_vec();
    for program in [&agent, &bin.join("wattle")] {
        let bytes = fs::read(program).unwrap();
        assert!(!bytes.windows(place.len()).any(|window| window == place), "{} has a path", program.display());
    }
    // It does not fall back to a local repository in place of published crates.
    let said = run(Command::new(bin.join("wattle")).args(["new", "shop"]).current_dir(&folder));
    assert!(said.contains("with the URL of a git repository of wattle"), "{said}");
    assert!(!folder.path().join("shop/.cargo").exists());
}
