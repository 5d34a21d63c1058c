//! The workflows of the page for teams, carried out step by step like on GitHub and GitLab. A script replaces `gh`, and
//! an HTTP server that records requests replaces GitLab.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;

use serde_yaml::Value;
use wattle_tests::skip::everything;

use crate::block::Language;
use crate::commands::{change, write};
use crate::pages::{Page, all};
use crate::session::Session;

const GITHUB: &str = ".github/workflows/topology.yml";
const GITLAB: &str = ".gitlab-ci.yml";

/// The version of Rust that both workflows use: the oldest one that wattle needs.
const RUST: &str = env!("CARGO_PKG_RUST_VERSION");

/// The step that no test carries out, because it would change this machine's Rust.
const INSTALLS_RUST: &str = "rustup toolchain install \"$RUSTUP_TOOLCHAIN\" --profile minimal";

/// The plan of the change in these tests.
const PLAN: &str = "Merging this changes:\n\n```text\n+ spare2 (OS::Nova::Server): is created\n  settings\n    ~ spares: 1 \
                    -> 2\n\n1 to create, 0 to update, 0 to replace, 0 to delete; no component runs; 3 resources and 1 \
                    component stay as they are\n```\n";

fn page() -> Page {
    all().into_iter().find(|page| page.path == "docs/how-to/team.md").expect("the page for teams")
}

/// A file of the page.
fn file(page: &Page, name: &str) -> Value {
    let block = page.blocks.iter().find(|block| block.file.as_deref() == Some(name)).expect("the page has it");
    serde_yaml::from_str(&block.text).expect("it is YAML")
}

fn done(session: &mut Session, command: &str) -> String {
    match session.run(command).expect("it ends") {
        (said, 0) => said,
        (said, code) => panic!("`{command}` ends with {code}:\n{said}"),
    }
}

/// A checkout of the page's blueprint, on a branch that adds a server to `main`. The crate has a name that no page
/// uses.
fn checked_out(page: &Page) -> Session {
    let mut session = Session::new(Path::new("nothing"));
    for command in ["wattle new silo", "cd silo", "cargo add --quiet serde --features derive"] {
        done(&mut session, command);
    }
    let first = page.blocks.iter().find(|block| block.language == Language::Diff).expect("a change");
    change(&mut session, "src/lib.rs", &first.text.replace("depot", "silo")).expect("it can be changed");
    for name in [GITHUB, GITLAB, "ci/topology"] {
        let block = page.blocks.iter().find(|block| block.file.as_deref() == Some(name)).expect("the page has it");
        write(&mut session, name, &block.text.replace("depot", "silo")).expect("writes");
    }
    for command in [
        "export GIT_AUTHOR_NAME=ann GIT_AUTHOR_EMAIL=ann@example.org GIT_COMMITTER_NAME=ann \
         GIT_COMMITTER_EMAIL=ann@example.org GIT_CONFIG_NOSYSTEM=1",
        // Cargo finds a published version of wattle from any folder, but this one only below a folder with this
        // configuration. So temporary files must be there, too.
        "cp -r .cargo .. && mkdir ../tmp && export TMPDIR=$(realpath ../tmp)",
        "echo 'spares: 1' >production.yaml",
        "git init --quiet --initial-branch main && git add --all && git commit --quiet --message 'A depot'",
        "git clone --quiet --bare . ../origin.git && git remote add origin \"file://$(realpath ../origin.git)\"",
        "git checkout --quiet -b more && echo 'spares: 2' >production.yaml",
        "git commit --quiet --all --message 'One more'",
    ] {
        done(&mut session, command);
    }
    session
}

/// The two run one after the other, because both build the same crate.
#[test]
fn the_workflows_comment_with_the_plan() {
    if everything("the workflows for GitHub and GitLab") {
        github();
        gitlab();
    }
}

fn github() {
    let page = page();
    let mut session = checked_out(&page);
    let fakes = session.here().join("../fakes");
    fs::create_dir(&fakes).expect("a folder");
    let gh = "#!/bin/sh\nset -eu\n[ \"$1 $2 $3 $4 $6 $7\" = 'pr comment 17 --body-file --edit-last --create-if-none' ]\n\
              [ \"$GH_TOKEN\" = token ]\ncp \"$5\" ../said\n";
    fs::write(fakes.join("gh"), gh).expect("writes");
    done(&mut session, "chmod +x ../fakes/gh && export PATH=$PWD/../fakes:$PATH");

    let workflow = file(&page, GITHUB);
    assert_eq!(workflow["on"], Value::from("pull_request"));
    let [plan, comment] = ["plan", "comment"].map(|job| &workflow["jobs"][job]);
    assert_eq!(plan["env"]["RUSTUP_TOOLCHAIN"], Value::from(RUST));
    let installs = |step: &&Value| step["run"].as_str() == Some(INSTALLS_RUST);
    assert_eq!(plan["steps"].as_sequence().expect("steps").iter().filter(installs).count(), 1);
    // The job that runs the branch's programs has no write permission.
    for (whose, rights) in [(&workflow, "{}"), (plan, "contents: read"), (comment, "pull-requests: write")] {
        assert_eq!(whose["permissions"], serde_yaml::from_str::<Value>(rights).expect("YAML"));
    }
    assert_eq!(comment["needs"], Value::from("plan"));
    assert_eq!(steps(&mut session, plan), 1);
    alone_with_the_comment(&mut session, &uploaded(plan));
    assert_eq!(steps(&mut session, comment), 1);
    done(&mut session, "cd ../silo");
    let said = fs::read_to_string(session.here().join("../said")).expect("it has commented");
    assert_eq!(said, PLAN);

    // Without a change, the comment says so; a blueprint that does not compile, or a failing test, ends the job.
    done(&mut session, "echo 'spares: 1' >production.yaml; sh ci/topology main");
    let comment = || fs::read_to_string(fakes.join("../silo/comment.md")).expect("it is written");
    assert_eq!(comment(), "Merging this changes nothing.\n");
    done(&mut session, "sed -i 's/hello, world/hello, moon/' tests/blueprint.rs");
    let (said, code) = session.run("sh ci/topology main").expect("it ends");
    assert!(code != 0 && said.contains("the_world_is_greeted"), "{said}");
}

/// Carries out the steps of a GitHub job, and returns how many of them ran a command.
fn steps(session: &mut Session, job: &Value) -> usize {
    let mut runs = 0;
    for step in job["steps"].as_sequence().expect("steps") {
        let Some(script) = step["run"].as_str() else {
            let action = step["uses"].as_str().and_then(|uses| uses.split_once("@v"));
            let (action, _) = action.unwrap_or_else(|| panic!("{step:?} runs nothing"));
            let known = ["actions/checkout", "actions/upload-artifact", "actions/download-artifact"];
            assert!(known.contains(&action), "{step:?}");
            continue;
        };
        if script == INSTALLS_RUST {
            continue;
        }
        let mut variables = vec![("GITHUB_BASE_REF".to_owned(), "main".to_owned())];
        for (name, value) in step["env"].as_mapping().into_iter().flatten() {
            let value = match value.as_str().expect("text") {
                "${{ github.token }}" => "token",
                "${{ github.repository }}" => "ann/silo",
                "${{ github.event.pull_request.number }}" => "17",
                other => panic!("`{other}` is not known"),
            };
            variables.push((name.as_str().expect("a name").to_owned(), value.to_owned()));
        }
        let variables: Vec<String> = variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
        fs::write(session.here().join("../step"), script).expect("writes");
        done(session, &format!("env {} bash -e ../step", variables.join(" ")));
        runs += 1;
    }
    runs
}

/// The file that a GitHub job passes to the next one.
fn uploaded(job: &Value) -> String {
    let steps = job["steps"].as_sequence().expect("steps");
    let uploads = |step: &&Value| step["uses"].as_str().is_some_and(|uses| uses.contains("upload-artifact"));
    let step = steps.iter().find(uploads).expect("it passes something on");
    step["with"]["path"].as_str().expect("a path").to_owned()
}

/// Changes to a folder that contains only this file of the checkout.
fn alone_with_the_comment(session: &mut Session, file: &str) {
    for command in ["mkdir ../job", &format!("cp {file} ../job"), "cd ../job"] {
        done(session, command);
    }
}

fn gitlab() {
    let page = page();
    let mut session = checked_out(&page);
    let listener = TcpListener::bind("127.0.0.1:0").expect("listens");
    let address = listener.local_addr().expect("an address");
    let asked = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("somebody asks");
        let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
        let (mut head, mut line) = (String::new(), String::new());
        while reader.read_line(&mut line).expect("reads") > 2 {
            head += &std::mem::take(&mut line);
        }
        let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).expect("a length");
        let mut body = vec![0; length.trim().parse().expect("a number")];
        reader.read_exact(&mut body).expect("reads");
        stream.write_all(b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}").expect("answers");
        (head, String::from_utf8(body).expect("text").replace('+', "%20"))
    });
    done(
        &mut session,
        &format!("export CI_API_V4_URL=http://{address}/api/v4 CI_PROJECT_ID=3 CI_MERGE_REQUEST_IID=17"),
    );
    done(&mut session, "export CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main");
    let workflow = file(&page, GITLAB);
    let [topology, comment] = ["topology", "comment"].map(|job| &workflow[job]);
    assert_eq!(topology["image"], Value::from(format!("rust:{RUST}")));
    script(&mut session, topology);
    // Only the job that comments has the token, and it uses nothing from the branch.
    assert!(topology["environment"].is_null(), "{topology:?}");
    assert_eq!(comment["environment"]["name"], Value::from("comments"));
    assert_eq!(comment["needs"], Value::from(vec!["topology"]));
    assert_eq!(comment["rules"], topology["rules"]);
    assert_eq!(comment["variables"]["GIT_STRATEGY"], Value::from("none"));
    alone_with_the_comment(&mut session, topology["artifacts"]["paths"][0].as_str().expect("a path"));
    done(&mut session, "export COMMENT_TOKEN=token");
    script(&mut session, comment);
    let (head, body) = asked.join().expect("no panic");
    assert!(head.starts_with("POST /api/v4/projects/3/merge_requests/17/notes HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("PRIVATE-TOKEN: token\r\n"), "{head}");
    // The length of the encoded body is right, and so are its beginning and end.
    assert!(body.starts_with("body=Merging%20this%20changes%3A%0A%0A%60%60%60text%0A"), "{body}");
    assert!(body.contains("spare2") && body.ends_with("%60%60%60%0A"), "{body}");
}

/// Carries out a GitLab job.
fn script(session: &mut Session, job: &Value) {
    for script in job["script"].as_sequence().expect("a script") {
        fs::write(session.here().join("../step"), script.as_str().expect("text")).expect("writes");
        done(session, "bash -e ../step");
    }
}
