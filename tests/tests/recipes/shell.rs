//! The environment of a shell recipe, and the treatment of its outputs.

use std::fmt::Write as _;

use wattle::model::{Type, Value};
use wattle_recipe::environment::GIVEN;
use wattle_runtime::recipe::{Runner as _, Tools};
use wattle_runtime::space::{FailureKind, Script};

use crate::stage::{PORT, Stage, json, names, secret};

#[tokio::test]
async fn inputs_come_in_and_outputs_go_out() {
    let stage = Stage::shell(
        r#"
        set -eu
        cat "$(dirname "$0")/greeting"
        cat recipes/greeting
        test "$(cat "$(dirname "$heat_outputs_path")/inputs.json")" = '{"address":"192.0.2.1","tcp_port":6379}'
        test "$(stat -c %a "${heat_outputs_path%/*}/inputs.json")" = 600
        test "${memory-unset}" = unset
        other="setpriv --reuid 65534 --clear-groups"
        if [ "$(id -u)" = 0 ] && $other test -x "$WATTLE_STATE_DIR"; then
            $other cat "$WATTLE_RUN_DIR/files/recipes/greeting" >/dev/null
            if $other ls "${heat_outputs_path%/*}"; then exit 1; fi
        fi
        echo "redis://$address:$tcp_port/" >"${heat_outputs_path}.url"
        printf '%s' "$tcp_port" >"$heat_outputs_path.port"
        "#,
    )
    .file("recipes/greeting", "hello\n")
    .input("address", Type::IP, "192.0.2.1")
    .input("tcp_port", PORT, json("6379"))
    .output("url", Type::URI)
    .output("port", PORT);
    let outputs = stage.run_clean().await.unwrap();
    assert_eq!(outputs["url"], "redis://192.0.2.1:6379/".into());
    assert_eq!(outputs["port"], json("6379"));
    assert_eq!(
        stage.log.text().matches("wattle::recipe: hello component=\"db/it\"").count(),
        2,
        "{}",
        stage.log.text()
    );
}

#[tokio::test]
async fn the_environment_is_that_of_the_run() {
    let stage = Stage::shell("env >\"$WATTLE_STATE_DIR/env\"; pwd >\"$WATTLE_STATE_DIR/pwd\"; cat").input(
        "lang",
        Type::STR,
        "C",
    );
    stage.run_clean().await.unwrap();
    let run = stage.job.directory.display();
    assert_eq!(std::fs::read_to_string(stage.path("pwd")).unwrap(), format!("{run}/files\n"));
    let environment = std::fs::read_to_string(stage.path("env")).unwrap();
    for variable in [
        format!("heat_outputs_path={run}/run/output"),
        format!("WATTLE_RUN_DIR={run}"),
        "WATTLE_SOCKET=/run/wattle.sock".to_owned(),
        "WATTLE_TOKEN=a-token".to_owned(),
        "lang=C".to_owned(),
    ] {
        assert!(environment.lines().any(|line| line == variable), "{variable} in {environment}");
    }
    assert!(environment.lines().any(|line| line.starts_with("PATH=/")), "{environment}");
    // Cargo's own variables stand for the agent's environment.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some() && !environment.contains("CARGO_"), "{environment}");
}

/// The checks of recipes assume that these variables exist for every recipe, including on a server in a cloud.
#[tokio::test]
async fn what_is_taken_for_given_is_there_on_a_machine_of_its_own() {
    let stage =
        Stage::shell("env | cut -d = -f 1 | paste -sd ' ' >\"$heat_outputs_path.names\"").output("names", Type::STR);
    let reported = Tools::new().run(&stage.job).await.unwrap();
    let reported: Vec<&str> = reported["names"].as_str().unwrap().split(' ').collect();
    for name in GIVEN {
        assert!(reported.contains(&name), "{name}: {reported:?}");
    }
    assert!(!reported.contains(&"WATTLE_STATE_DIR"), "{reported:?}");
}

#[tokio::test]
async fn the_first_line_names_the_interpreter() {
    let python =
        "#!/usr/bin/env python3\nimport os\nopen(os.environ['heat_outputs_path'] + '.a', 'w').write('1' * 3)\n";
    let stage = Stage::shell(python).output("a", PORT);
    assert_eq!(stage.run_clean().await.unwrap()["a"], json("111"));
    // The text after the program is a single argument.
    let stage = Stage::shell("#!/usr/bin/env -S sh -e\nfalse\n");
    let message = stage.run_clean().await.unwrap_err().message;
    assert!(message.ends_with("(the recipe ended with exit code 1)"), "{message}");
    let stage = Stage::shell("#!/usr/bin/env -S bash -e\nfalse\n");
    let message = stage.run_clean().await.unwrap_err().message;
    assert_eq!(message, "`false` in line 2 ended it (the recipe ended with exit code 1)");
    let stage = Stage::shell("#!/opt/none/perl -w\n");
    let broken = stage.run_clean().await.unwrap_err();
    assert_eq!(broken.kind, FailureKind::Start);
    assert_eq!(broken.message, "`/opt/none/perl`, which the first line of `recipes/it.sh` names, is not installed");
}

#[tokio::test]
async fn a_failure_comes_with_the_last_lines() {
    let stage = Stage::shell("for i in $(seq 100); do echo $i; echo err $i >&2; done; exit 7");
    let broken = stage.run_clean().await.unwrap_err();
    assert_eq!((broken.kind, broken.message.as_str()), (FailureKind::Recipe, "the recipe ended with exit code 7"));
    assert_eq!(broken.log[broken.log.len() - 3..], ["err 99", "100", "err 100"]);
    assert_eq!(broken.log.len(), 40);
    let broken = Stage::shell("kill -9 $$").run_clean().await.unwrap_err();
    assert_eq!(broken.message, "the recipe was killed by signal 9");
}

#[tokio::test]
async fn a_recipe_says_itself_why_it_fails() {
    let says = |words: &str| {
        let recipe = format!("printf '{words}' >\"$WATTLE_RUN_DIR/run/why\"; echo 'the last line'; exit 3");
        Stage::shell(&recipe).input("password", secret(Type::STR), "s3cret!")
    };
    for (words, message) in [
        ("10.0.0.5:80 is\\ntaken\\n", "10.0.0.5:80 is taken (the recipe ended with exit code 3)"),
        ("it is s3cret!", "it is *** (the recipe ended with exit code 3)"),
        (" \\n", "the recipe ended with exit code 3"),
    ] {
        let stage = says(words);
        let failure = stage.run().await.unwrap_err();
        assert_eq!(failure.message, message);
        assert_eq!(failure.log, ["the last line"]);
    }
    // The message is ignored if the recipe succeeds.
    Stage::shell("echo no >\"$WATTLE_RUN_DIR/run/why\"").run_clean().await.unwrap();
    // A named pipe never ends, and the agent does not wait for it.
    let stage = Stage::shell("mkfifo \"$WATTLE_RUN_DIR/run/why\"; echo 'the last line'; exit 3");
    assert_eq!(stage.run().await.unwrap_err().message, "the recipe ended with exit code 3");
}

#[tokio::test]
async fn outputs_that_are_not_as_declared() {
    let stage = Stage::shell(
        r#"
        echo http >"$heat_outputs_path.port"
        head -c 1000001 /dev/zero | tr '\0' x >"$heat_outputs_path.page"
        printf '\377' >"$heat_outputs_path.text"
        echo 'hunter2 ' >"$heat_outputs_path.pin"
        mkdir "$heat_outputs_path.folder"
        mkfifo "$heat_outputs_path.pipe"
        "#,
    );
    let outputs = [("port", PORT), ("page", Type::STR), ("text", Type::STR), ("pin", secret(PORT))];
    let mut stage = stage;
    for (name, ty) in outputs.into_iter().chain([("folder", Type::STR), ("pipe", Type::STR)]) {
        stage = stage.output(name, ty);
    }
    let broken = stage.run_clean().await.unwrap_err();
    assert_eq!(broken.kind, FailureKind::Type);
    let messages: Vec<&str> = broken.message.split("; ").collect();
    assert_eq!(
        messages[..4],
        [
            "its output `port` is not what it declares: expected an integer between 0 and 65535, found something else",
            "its output `page` is not what it declares: 1000001 bytes, but the data space takes at most 1000000",
            "its output `text` is not what it declares: it is not UTF-8 text: byte 0 is not valid",
            "its output `pin` is not what it declares: expected an integer between 0 and 65535 (secret), found something \
             else",
        ]
    );
    assert!(
        messages[4].ends_with("output.folder` is not a file") && messages[5].ends_with("output.pipe` is not a file")
    );
    let broken =
        Stage::shell("head -c 1000001 /dev/zero >\"$heat_outputs_path.page\"").output("page", Type::STR).run().await;
    assert_eq!(broken.unwrap_err().kind, FailureKind::Size);
}

#[tokio::test]
async fn outputs_that_are_missing() {
    let stage = Stage::shell("echo 1 >$heat_outputs_path.prot; echo 2 >\"$heat_outputs_path.prot\"; echo said");
    let stage = stage.output("port", PORT).output("url", Type::URI);
    let broken = stage.run_clean().await.unwrap_err();
    assert_eq!(broken.kind, FailureKind::Unwritten);
    assert_eq!(
        broken.message,
        "it ended without writing its outputs `port`, `url`, but wrote `prot`, which it does not declare"
    );
    assert!(broken.log.contains(&"said".to_owned()));
    let stage = Stage::shell("echo 1 >\"$heat_outputs_path.more\"");
    assert!(stage.run_clean().await.unwrap().is_empty());
    assert!(stage.log.text().contains("WARN wattle::recipe: it wrote an output `more` that it does not declare"));
}

#[tokio::test]
async fn what_was_published_counts_as_written() {
    let stage = Stage::shell("echo 7 >\"$heat_outputs_path.b\"").output("a", PORT).output("b", PORT);
    stage.live.published.lock().unwrap().insert("a".to_owned(), json("1"));
    let outputs = stage.run_clean().await.unwrap();
    assert_eq!((&outputs["a"], &outputs["b"]), (&json("1"), &json("7")));
}

#[tokio::test]
async fn outputs_of_a_former_run_do_not_count() {
    let stage = Stage::shell("true").output("a", PORT);
    std::fs::create_dir(stage.job.directory.join("run")).unwrap();
    std::fs::write(stage.job.directory.join("run/output.a"), "1").unwrap();
    assert_eq!(stage.run_clean().await.unwrap_err().kind, FailureKind::Unwritten);
}

#[tokio::test]
async fn secrets_are_masked_in_log_and_failure() {
    let stage = Stage::shell(
        r#"
        printf 'hun'; sleep 0.1; echo 'ter"2'
        set -x
        echo "$key"
        printf '%s' "$password" | base64
        echo "$(cat "${heat_outputs_path%/*}/inputs.json")"
        echo token-4711
        exit 1
        "#,
    )
    .input("password", secret(Type::STR), "hunter\"2")
    .input("key", secret(Type::STR), "-----BEGIN KEY-----\nAbCdEfGh\n-----END KEY-----\n");
    stage.live.secrets.lock().unwrap().push("token-4711".into());
    let broken = stage.run_clean().await.unwrap_err();
    for text in [stage.log.text(), broken.log.join("\n")] {
        for secret in ["hunter\"2", "hunter\\\"2", "AbCdEfGh", "BEGIN", "aHVudGVy", "IjI", "4711"] {
            assert!(!text.contains(secret), "{secret} in {text}");
        }
    }
    assert!(broken.log.contains(&r#"{"password":"***","key":"***"}"#.to_owned()), "{:?}", broken.log);
}

#[tokio::test]
async fn large_inputs_are_left_out_of_the_environment() {
    let stage = Stage::shell(
        "test \"${big-unset}\" = unset && test $(wc -c <\"${heat_outputs_path%/*}/inputs.json\") -gt 200000",
    );
    let stage = stage.input("big", Type::STR, "x".repeat(200_000));
    stage.run_clean().await.unwrap();
    assert!(stage.log.text().contains("the input `big` is not in the environment"));
    let mut stage = Stage::shell("true");
    for i in 0..40 {
        stage = stage.input(&format!("big{i}"), Type::STR, "x".repeat(100_000));
    }
    let broken = stage.run_clean().await.unwrap_err();
    assert_eq!(broken.kind, FailureKind::Start);
    assert_eq!(broken.message, "`/bin/sh` cannot be started: the inputs are more than an environment takes");
}

#[tokio::test]
async fn teardown_runs_with_the_same_inputs_and_writes_nothing() {
    let mut stage = Stage::shell("exit 1").file("recipes/undo.sh", "echo \"$a\" >\"$WATTLE_STATE_DIR/undone\"");
    stage = stage.input("a", Type::STR, "it").output("url", Type::URI);
    stage.job.script = Script::Teardown;
    let broken = stage.run_clean().await.unwrap_err();
    assert_eq!(broken.message, "it declares no teardown recipe");
    stage.job.component.recipe.teardown = Some("recipes/undo.sh".into());
    assert!(stage.run_clean().await.unwrap().is_empty());
    assert_eq!(std::fs::read_to_string(stage.path("undone")).unwrap(), "it\n");
    assert!(names(&stage.job.directory).contains(&"files".to_owned()));
}

#[tokio::test]
async fn a_value_of_every_type_goes_through() {
    let mut text = String::new();
    let mut stage = Stage::shell("");
    for (name, ty, value) in crate::types::all() {
        let _ = writeln!(text, "printf '%s' \"${name}\" >\"$heat_outputs_path.{name}\"");
        stage = stage.input(name, ty.clone(), value).output(name, ty);
    }
    let stage = stage.file("recipes/it.sh", &text);
    let outputs = stage.run_clean().await.unwrap();
    for (name, _, value) in crate::types::all() {
        assert_eq!(outputs[name], value, "{name}");
    }
    assert!(matches!(outputs["text"], Value::Str(_)));
}

#[tokio::test]
async fn a_secret_that_the_recipe_makes_is_masked_from_when_it_is_written() {
    let stage = Stage::shell(
        r#"
        printf 'made-by-me\n' >"$heat_outputs_path.password"
        printf '{"user": "postgres", "word": "made-too"}' >"$heat_outputs_path.login"
        printf 'made-\033[1mby-me and made-\000by-me\n'
        echo "made-too of postgres"
        printf 'user:made-by-me' | base64
        echo made-by-me >&2
        exit 3
        "#,
    )
    .output("password", secret(Type::STR))
    .output(
        "login",
        Type::Struct([("user".into(), Type::STR), ("word".into(), secret(Type::STR))].into_iter().collect()),
    );
    let broken = stage.run_clean().await.unwrap_err();
    let shown = format!("{}\n{broken:?}", stage.log.text());
    for word in ["made-", "by-me", "-too", "bWFkZS"] {
        assert!(!shown.contains(word), "{word} in {shown}");
    }
    assert!(
        broken.log.contains(&"*** and ***".to_owned()) && broken.log.contains(&"*** of postgres".to_owned()),
        "{shown}"
    );
}

#[tokio::test]
async fn a_secret_in_a_plain_output_is_refused() {
    let leaks = |word: &str| {
        Stage::shell(&format!(r#"printf '%s' {word} >"$heat_outputs_path.url""#))
            .input("password", secret(Type::STR), "hunter2")
            .input("database", Type::STR, "shop")
            .output("url", Type::STR)
    };
    for word in
        [r#""http://admin:$password@h/""#, "http://admin:hunter%32@h/", r#""$(printf %s "$password" | base64)""#]
    {
        let broken = leaks(word).run().await.unwrap_err();
        assert_eq!(broken.kind, FailureKind::Type);
        assert!(
            broken.message.starts_with("its output `url`, a string, holds the secret input `password`"),
            "{broken:?}"
        );
        assert!(!broken.message.contains("hunter"), "{broken:?}");
    }
    // A value that is short, or public elsewhere, is not certainly a secret.
    leaks("http://admin@h/").run_clean().await.unwrap();
    leaks("http://h/$database").input("again", secret(Type::STR), "shop").run_clean().await.unwrap();
    leaks("http://h/$greeting")
        .input("greeting", Type::STR, "hunter2-at-work")
        .run_clean()
        .await
        .expect("it stands in a plain input");
    // The recipe has generated this secret.
    let made = Stage::shell(
        r#"echo correct-horse >"$heat_outputs_path.token"; echo "http://h/?correct-horse" >"$heat_outputs_path.url""#,
    )
    .output("token", secret(Type::STR))
    .output("url", Type::STR);
    let broken = made.run().await.unwrap_err();
    assert!(broken.message.contains("holds the secret output `token`"), "{broken:?}");
    // A secret that the recipe generated after it had published the other output.
    let early = Stage::shell("echo correct-horse >\"$heat_outputs_path.token\"")
        .output("token", secret(Type::STR))
        .output("url", Type::STR);
    early.live.published.lock().unwrap().insert("url".to_owned(), "http://h/?correct-horse".into());
    let broken = early.run().await.unwrap_err();
    assert!(broken.message.contains("`token`, and was published unencrypted before that could be known"), "{broken:?}");
}

#[tokio::test]
async fn names_within_a_secret_are_no_secrets() {
    let login = || {
        let fields = [("address", Type::STR), ("username", Type::STR), ("password", Type::STR)];
        Type::Struct(fields.into_iter().map(|(name, ty)| (name.into(), ty)).collect())
    };
    let conn = json(r#"{"address": "10.0.0.5", "username": "clerk", "password": "s3cr3tpassw0rd"}"#);
    let users = json(r#"{"postgres": "s3cr3tpassw0rd"}"#);
    let writes = |text: &str, ty: Type| {
        Stage::shell(&format!("printf '%s' '{text}' >\"$heat_outputs_path.url\""))
            .input("conn", secret(login()), conn.clone())
            .input("users", secret(Type::Map(Box::new(Type::STR))), users.clone())
            .output("url", ty)
    };
    for url in ["http://shop.example/login?fields=username,password", "postgres://db.example/shop"] {
        let outputs = writes(url, Type::STR).run_clean().await.unwrap();
        assert_eq!(outputs["url"], url.into());
    }
    // The field names of a public struct are in the blueprint, but the keys of a public map are published.
    let fields = |name: &str| Type::Struct([(name.into(), Type::STR)].into_iter().collect());
    writes(r#"{"s3cr3tpassw0rd": "x"}"#, fields("s3cr3tpassw0rd")).run_clean().await.unwrap();
    for (text, ty) in [
        ("postgres://s3cr3tpassw0rd@db.example/shop", Type::STR),
        (r#"{"s3cr3tpassw0rd": "x"}"#, Type::Map(Box::new(Type::STR))),
    ] {
        let broken = writes(text, ty).run().await.unwrap_err();
        assert!(broken.message.contains("holds the secret input `conn`"), "{broken:?}");
    }
    // The public parts of an input that contains a secret are not secret.
    let fields = [("base", Type::STR), ("word", secret(Type::STR))];
    let ty = Type::Struct(fields.into_iter().map(|(name, ty)| (name.into(), ty)).collect());
    writes("http://h/shopping", Type::STR)
        .input("mixed", ty, json(r#"{"base": "shopping", "word": "shopping"}"#))
        .run_clean()
        .await
        .unwrap();
}

#[tokio::test]
async fn a_recipe_that_prints_a_secret_is_warned_of() {
    let prints = |text: &str| Stage::shell(text).input("password", secret(Type::STR), "hunter2");
    let stage = prints("echo \"it is $password\"");
    stage.run_clean().await.unwrap();
    let log = stage.log.text();
    assert!(log.contains("it is ***") && log.contains("it prints a secret"), "{log}");
    let stage = prints("echo \"it is a secret\"");
    stage.run_clean().await.unwrap();
    assert!(!stage.log.text().contains("it prints a secret"), "{}", stage.log.text());
}

#[tokio::test]
async fn what_ended_a_recipe_without_a_word_is_reported() {
    let message = async |text: &str| Stage::shell(text).run_clean().await.unwrap_err().message;
    let bash = |text: &str| format!("#!/bin/bash\nset -eu\n{text}");
    for (text, expected) in [
        (
            "grep -q \"$heat_outputs_path\" /dev/null\necho never\n",
            "`grep -q \"$heat_outputs_path\" /dev/null` in line 3 ended it",
        ),
        ("f() {\n    test -d /nowhere\n}\nf\n", "`test -d /nowhere` in line 4 ended it"),
        ("true\n[ -f /nowhere ] && echo there\n", "`[ -f /nowhere ]` in line 4 ended it"),
        ("exit 1\n", "`exit 1` in line 3 ended it"),
        ("test -e /\n(\n    cd /\n    test -e nowhere\n)\n", "`( cd /; test -e nowhere )` in line 7 ended it"),
        ("set -o pipefail\ntrue | false | cat\n", "`true | false | cat` in line 4 ended it"),
        ("true | false\n", "`true | false` in line 3 ended it"),
        ("x=$(false)\n", "`x=$(false)` in line 3 ended it"),
        ("sh -c 'test -e /nowhere'\n", "`sh -c 'test -e /nowhere'` in line 3 ended it"),
        ("sh -ec '\n  test -e /nowhere\n'\n", "the command that begins with `sh -ec '` in line 3 ended it"),
        ("sh <<'END'\ntest -e /nowhere\nEND\n", "`sh <<'END'` in line 3 ended it"),
        ("for x in a b; do\n    test $x = a\ndone\n", "`test $x = a` in line 4 ended it"),
        ("false || true\nfalse && true\ntest -e /nowhere\n", "`test -e /nowhere` in line 5 ended it"),
    ] {
        assert_eq!(message(&bash(text)).await, format!("{expected} (the recipe ended with exit code 1)"));
    }
    // The recipe's own trap remains. The failed command is still reported, unless the trap decides on the exit code.
    let own = "trap 'rm -f \"$WATTLE_RUN_DIR/x\"' EXIT\n";
    for (text, expected) in [
        ("echo x >\"$heat_outputs_path.o\"\ntest -e /nowhere\n", "`test -e /nowhere` in line 5 ended it"),
        ("f() {\n    [ -e /nowhere ] && echo x\n}\nx=$(f)\n", "`x=$(f)` in line 7 ended it"),
        (
            "set +e\nfalse\n[ -e /nowhere ] &&\n    echo x\n",
            "its last command, in line 6, is a test, which may be false: `[ -e /nowhere ] && echo x`",
        ),
    ] {
        let whole = format!("{expected} (the recipe ended with exit code 1)");
        assert_eq!(message(&bash(&format!("{own}{text}"))).await, whole);
    }
    assert_eq!(message(&bash(&format!("{own}set +e\nfalse\nexit 1\n"))).await, "the recipe ended with exit code 1");
    assert_eq!(message(&bash("trap 'exit 4' EXIT\nfalse\n")).await, "the recipe ended with exit code 4");
    // Other shells do not report the command.
    let last = "its last line, 3, is a test, which may be false: `[ -f /nowhere ] && echo there` (the recipe ended with exit code 1)";
    assert_eq!(message("set -eu\ntrue\n[ -f /nowhere ] && echo there\n").await, last);
    let several = "its last command, in line 3, is a test, which may be false: `[ -f /nowhere ] && echo there` (the recipe ended with exit code 1)";
    assert_eq!(message("set -eu\necho x\n[ -f /nowhere ] &&\n    echo there\n").await, several);
    assert_eq!(
        message("set -eu\ngrep -q x /dev/null\n").await,
        "it printed nothing; bash would report which command ended it: make its first line `#!/bin/bash` (the recipe \
         ended with exit code 1)"
    );
    assert_eq!(message("set -eu\necho x\ngrep -q x /dev/null\n").await, "the recipe ended with exit code 1");
}

#[tokio::test]
async fn what_a_recipe_repeats_is_said_once() {
    let text = "for i in $(seq 16); do echo again; done\necho >&2\necho last\nexit 1\n";
    let stage = Stage::shell(text);
    let broken = stage.run_clean().await.unwrap_err();
    assert_eq!(broken.log, ["again", "(the same 15 times more)", "", "last"]);
    assert_eq!(stage.log.text().matches("again").count(), 1, "{}", stage.log.text());
}

#[tokio::test]
async fn a_file_that_did_not_travel_along_is_reported() {
    let broken = Stage::shell("set -eu\ncp conf/app.ini /etc/app.ini\n").run_clean().await.unwrap_err();
    assert!(broken.message.contains("`conf/app.ini` is not there: name it in `files`"), "{}", broken.message);
    let broken = Stage::shell("set -eu\ncp /nowhere/app.ini /etc/app.ini\n").run_clean().await.unwrap_err();
    assert_eq!(broken.message, "the recipe ended with exit code 1");
}
