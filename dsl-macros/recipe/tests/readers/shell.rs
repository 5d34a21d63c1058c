use wattle_recipe::{Analysis, Tool, analyse};

fn shell(source: &str) -> Analysis {
    analyse(Tool::Shell, source).unwrap_or_else(|error| panic!("{error}\n{source}"))
}

fn writes(source: &str) -> Vec<String> {
    shell(source).writes.into_keys().collect()
}

fn reads(source: &str) -> Vec<String> {
    shell(source).reads.into_keys().collect()
}

#[test]
fn one_output_is_written_and_nothing_is_dynamic() {
    for source in [
        r#"echo x > "${heat_outputs_path}.url""#,
        r#"echo x >"$heat_outputs_path.url""#,
        "echo x >$heat_outputs_path.url",
        "echo x > ${heat_outputs_path}.url",
        r#"echo x > "$heat_outputs_path".url"#,
        r#"echo x > "${heat_outputs_path}"".url""#,
        "printf '%s' x >> $heat_outputs_path.url",
        "echo x >| $heat_outputs_path.url",
        "echo x &> $heat_outputs_path.url",
        "exec 3>$heat_outputs_path.url",
        "> $heat_outputs_path.url echo x",
        "echo x | tee \"$heat_outputs_path.url\"",
        "echo x | sudo tee -a $heat_outputs_path.url >/dev/null",
        "cp x \"${heat_outputs_path}.url\"",
        "mv x y \"${heat_outputs_path}.url\"",
        "curl -s https://x -o \"$heat_outputs_path.url\"",
        "curl -s https://x --output=\"$heat_outputs_path.url\"",
        "dd if=x of=$heat_outputs_path.url",
        "{ echo a; echo b; } > $heat_outputs_path.url",
        "( cd /x; pwd ) > $heat_outputs_path.url",
        "for i in 1 2; do echo $i; done > $heat_outputs_path.url",
        "if true; then echo x > $heat_outputs_path.url; fi",
        "true && echo x > $heat_outputs_path.url || exit 1",
        "case $x in\n a|b) echo x > $heat_outputs_path.url ;;\n esac",
        "x=$(case $y in a) echo 1;; esac; echo x > $heat_outputs_path.url)",
        "x=`echo x > $heat_outputs_path.url`",
        "echo x > >(tee $heat_outputs_path.url)",
        "cat > $heat_outputs_path.url <<EOF\nhello\nEOF\n",
        "cat <<-EOF > $heat_outputs_path.url\n\thello\n\tEOF\n",
        "(( x > 1 )) && echo x > $heat_outputs_path.url",
        "echo \"${x:-$(echo y > $heat_outputs_path.url)}\"",
        ": \"${heat_outputs_path:?}\"; echo x > \"${heat_outputs_path:?}.url\"",
        "echo x > \"${heat_outputs_path%/}.url\"",
        "echo x \\\n  > $heat_outputs_path.url",
        "out=$heat_outputs_path; echo x > $out.url",
        "out=${heat_outputs_path:-/tmp/out}\necho x > \"${out}.url\"",
        "local f=\"$heat_outputs_path.url\"; echo x > \"$f\"",
        "readonly OUT=$heat_outputs_path\necho x > $OUT.url",
        "key=url; echo x > $heat_outputs_path.$key",
        "for key in url; do echo x > \"$heat_outputs_path.$key\"; done",
        "keys=(url)\nfor key in \"${keys[@]}\"; do echo x > \"$heat_outputs_path.$key\"; done",
        "keys='url'; for key in $keys; do echo x > \"$heat_outputs_path.$key\"; done",
        "out() { echo \"$2\" > \"$heat_outputs_path.$1\"; }\nout url x",
        "function out { printf %s \"$2\" > \"$heat_outputs_path.$1\"\n}\nout url x",
        "function out() { local name=$1; echo \"$2\" > \"$heat_outputs_path.$name\"; }; out url x",
        "put() { echo \"$2\" > \"$1\"; }; put $heat_outputs_path.url x",
        "put() { echo x > \"$1.$2\"; }; put $heat_outputs_path url",
        "wattle set url x",
        "wattle set url=x",
        "wattle set url=\"http://$host\"",
        "wattle set 'url' \"$(hostname)\"",
        "sudo -E /usr/local/bin/wattle set url x",
        "if ! wattle set url x; then exit 1; fi",
        "echo x | xargs wattle set url",
        "timeout 10 wattle set url x",
        "key=url; wattle set \"$key\" x",
        "su - db2inst1 -c \"echo x > $heat_outputs_path.url\"",
        "sudo -u db2inst1 bash -c 'echo x > $heat_outputs_path.url'",
        "bash -ec \"echo x > \\$heat_outputs_path.url\"",
        "bash <<'EOF'\nwattle set url x\nEOF",
        "sudo -i -u x bash -s <<EOF\nwattle set url x\nEOF",
        "trap 'wattle set url gone' EXIT",
        "eval 'wattle set url x'",
        "python3 -c 'import os; open(os.environ[\"heat_outputs_path\"] + \".url\", \"w\")'",
        "python3 - <<'EOF'\nimport os\nwith open(os.environ['heat_outputs_path'] + '.url', 'w') as f:\n  f.write('x')\nEOF",
        "python3 - <<EOF\nopen('$heat_outputs_path.url', 'w')\nEOF",
        "python3 -c \"open('${heat_outputs_path}.url', 'w')\"",
        "cat > /tmp/x.sh <<'EOF'\n#!/bin/sh\nwattle set url x\nEOF\nsh /tmp/x.sh",
        ". /etc/os-release; wattle set url \"$VERSION_ID\"",
        "/opt/IBM/db2/bin/db2setup -r x; wattle set url x",
        "\"$was_home/bin/wsadmin.sh\" -f x; wattle set url x",
        "bin=$(ls /usr/lib/*/bin); \"$bin/initdb\"; wattle set url x",
        "useradd --shell /bin/bash x; wattle set url x",
        "cd /opt/tdi; ./collect.sh; wattle set url x",
        "dir=/opt/tdi\ncd \"$dir\"\n./collect.sh\nwattle set url x",
        "as() { runuser -l db2 -c \"$1\"; }; as 'wattle set url x'",
        "echo '# no comment'; wattle set url x # a comment's quote",
        "[[ $x =~ ^(a|b)$ ]] && wattle set url x",
        "[[ a > $heat_outputs_path.other ]] && wattle set url x",
    ] {
        let analysis = shell(source);
        assert_eq!(analysis.writes.keys().collect::<Vec<_>>(), ["url"], "{source}");
        assert!(!analysis.dynamic_writes, "{source}");
    }
}

#[test]
fn several_outputs_are_written() {
    for source in [
        "for n in url port; do wattle get $n > $heat_outputs_path.$n; done",
        "wattle set url=x port=1",
        "tee $heat_outputs_path.url $heat_outputs_path.port",
        "tee $heat_outputs_path.{url,port}",
        "out() { echo $2 > $heat_outputs_path.$1; }; out url x; out port 1",
        "list='url port'; for n in $list; do echo x > $heat_outputs_path.$n; done",
    ] {
        assert_eq!(writes(source), ["port", "url"], "{source}");
        assert!(!shell(source).dynamic_writes, "{source}");
    }
}

#[test]
fn nothing_is_written() {
    for source in [
        "",
        "# wattle set url x",
        "echo x # > $heat_outputs_path.url",
        "echo '> $heat_outputs_path.url'",
        "echo x > '$heat_outputs_path.url'",
        "echo wattle set url x",
        "echo \"see $heat_outputs_path.url\"",
        "cat $heat_outputs_path.url",
        "rm -f \"$heat_outputs_path.url\"",
        "test -s $heat_outputs_path.url",
        "[ -f \"$heat_outputs_path.url\" ] || exit 1",
        "cp $heat_outputs_path.url /tmp/x",
        "cat < $heat_outputs_path.url",
        "echo x > $heat_outputs_path.url.tmp",
        "echo x > /tmp/x.url",
        "cat <<'EOF'\nwattle set url x\nEOF",
        "wattle get url",
        "mkdir -p \"$(dirname \"$heat_outputs_path\")\"",
        "out=$heat_outputs_path",
        "echo x > ${heat_outputs_path}url",
        ". /etc/profile.d/db2.sh",
        "/usr/bin/make install",
    ] {
        assert_eq!(writes(source), Vec::<String>::new(), "{source}");
        assert!(!shell(source).dynamic_writes, "{source}");
    }
}

#[test]
fn anything_may_be_written() {
    for source in [
        "echo x > ${heat_outputs_path}.$name",
        "echo x > \"$heat_outputs_path.prefix_$name\"",
        "echo x > \"$heat_outputs_path$1\"",
        "wattle set \"$x\" y",
        "wattle set \"$x=y\"",
        "wattle set",
        "while read -r n v; do echo $v > $heat_outputs_path.$n; done < list",
        "for n in \"$@\"; do echo x > $heat_outputs_path.$n; done",
        "for f in *; do echo x > $heat_outputs_path.$f; done",
        "for n in $(list); do echo x > $heat_outputs_path.$n; done",
        "n=url; n+=_x; echo x > $heat_outputs_path.$n",
        "out() { shift; echo x > $heat_outputs_path.$1; }; out a url",
        "put() { shift; echo x > \"$1.url\"; }; put a $heat_outputs_path",
        "put() { for f in \"$@\"; do echo x > $f.url; done; }; put $heat_outputs_path",
        "./helper.sh",
        "(cd /opt/tdi); ./helper.sh",
        "cd /opt/tdi; cd \"$(dirname \"$0\")\"; ./helper.sh",
        "cd \"$x\"; ./helper.sh",
        "bash -c \"$cmd\"",
        "\"$(dirname \"$0\")/helper.sh\" x",
        "here=$(cd \"$(dirname \"$0\")\" && pwd); \"$here/helper.sh\"",
        "$WATTLE_RUN_DIR/helper",
        ". ./lib.sh",
        "source \"$here/lib.sh\"",
        "bash helper.sh",
        "python3 helper.py",
        "perl helper.pl $heat_outputs_path",
        "/usr/local/bin/publish \"$heat_outputs_path\"",
        "eval \"$cmd\"",
        "python3 -c 'import os; p = os.environ[\"heat_outputs_path\"]'",
        "python3 - <<'EOF'\nbase = os.environ['heat_outputs_path']\nEOF",
        "declare -n ref=x",
        "bash -c 'echo \"'",
        "wattle --dir x set url y",
    ] {
        assert!(shell(source).dynamic_writes, "{source}");
    }
}

#[test]
fn variables_are_read() {
    for source in [
        "echo $port",
        "echo ${port}",
        "echo \"$port\"",
        "echo \"${port:-x}\"",
        "echo ${port%/} ",
        "echo ${#port}",
        "echo ${port[0]}",
        "echo \"${x:-$port}\" | sed s/x//",
        "echo $((port+1))",
        "((port+1))",
        "if ((port > 1)); then :; fi",
        "let port++",
        "[[ port -gt 1 ]]",
        "export port",
        "printenv port",
        "wattle get port",
        "x=$(wattle get port)",
        "n=port; wattle get $n",
        "cat <<EOF\n$port\nEOF",
        "cat <<EOF\n$(echo $port)\nEOF",
        "cat <<EOF\n\"it's $port\nEOF",
        "x=`echo $port`",
        "x=`echo \\`echo $port\\``",
        "docker run -e port image",
        "[ -v port ]",
        "python3 - <<'EOF'\nimport os\nos.environ[\"port\"]\nEOF",
        "python3 -c 'os.environ.get(\"port\")'",
        "awk 'BEGIN { print ENVIRON[\"port\"] }'",
        "bash -c 'echo $port'",
        "ssh host \"echo \\$port\"",
        "cat > x <<'EOF'\n#!/bin/bash\necho $port\nEOF",
        "case $port in 1) ;; esac",
        "for i in $port; do :; done",
        "grep x <<< $port",
        "x=$'\\'' y=$port",
        "echo a'b'$port\"c\"",
        "$port",
        "< $port cat",
        "x[$port]=1",
    ] {
        assert!(reads(source).contains(&"port".to_owned()), "{source}");
    }
}

#[test]
fn nothing_is_read() {
    for source in [
        "echo '$port'",
        "# $port",
        "echo \\$port",
        "echo \"\\$port\"",
        "cat <<'EOF'\n$port\nEOF",
        "cat <<\"EOF\"\n$port\nEOF",
        "cat <<\\EOF\n$port\nEOF",
        "port=1",
        "echo port",
        "echo $heat_outputs_path",
        "echo $1 $# $? $$",
        "echo a#$",
        "echo a b\\\n # $port",
    ] {
        let analysis = shell(source);
        assert_eq!(analysis.reads.keys().collect::<Vec<_>>(), Vec::<&String>::new(), "{source}");
        assert!(!analysis.dynamic_reads, "{source}");
    }
}

#[test]
fn anything_may_be_read() {
    for source in [
        "echo ${!x}",
        "eval \"echo \\$$x\"",
        "env",
        "env | sort",
        "sudo env",
        "printenv",
        "set",
        "envsubst < x",
        "jq .port \"$WATTLE_RUN_DIR/inputs.json\"",
        "declare -p",
        "wattle get",
        "wattle get $x",
        ". ./lib.sh",
    ] {
        assert!(shell(source).dynamic_reads, "{source}");
    }
}

#[test]
fn lines_are_counted() {
    let analysis = shell(
        "#!/bin/sh\n\necho $a\ncat <<EOF\n\n$b\nEOF\necho \"\n$c\"\necho x > $heat_outputs_path.url\nx=`\n$d`\nbash -c '\nwattle set port 1'",
    );
    let reads: Vec<_> = analysis.reads.iter().map(|(name, line)| (name.as_str(), *line)).collect();
    assert_eq!(reads, [("a", 3), ("b", 6), ("c", 9), ("d", 12)]);
    let writes: Vec<_> = analysis.writes.iter().map(|(name, line)| (name.as_str(), *line)).collect();
    assert_eq!(writes, [("port", 14), ("url", 10)]);
}

#[test]
fn what_is_never_closed_is_an_error() {
    for (source, line, message) in [
        ("echo\necho 'x\n\n", 2, "`'` is never closed"),
        ("echo \"x\n", 1, "`\"` is never closed"),
        ("\n\necho $(ls", 3, "`$(` is never closed"),
        ("echo ${x", 1, "`${` is never closed"),
        ("echo `x", 1, "`` ` `` is never closed"),
        ("echo $'x", 1, "`$'` is never closed"),
        ("true\n(ls", 2, "`(` is never closed"),
    ] {
        let error = analyse(Tool::Shell, source).expect_err(source);
        assert_eq!((error.line, error.message.as_str()), (line, message), "{source}");
    }
}

#[test]
fn deep_nesting_is_refused() {
    for opening in ["(", "$(", "((", "$((", "${x:-", "\"$(", "`", "<(", "$(\"", "case x in ", "{ ", "f() { ", "a=("] {
        let _ = analyse(Tool::Shell, &opening.repeat(100_000));
        let _ = analyse(Tool::Shell, &(opening.repeat(50_000) + &")".repeat(100_000)));
    }
    let error = analyse(Tool::Shell, &"$(".repeat(100_000)).expect_err("too deep");
    assert_eq!(error.message, "expansions nest deeper than 100");
}

#[test]
fn long_chains_of_variables_end() {
    let chain: String = (0..50_000).map(|n| format!("v{n}=$v{}\n", n + 1)).collect();
    assert!(shell(&(chain + "echo x > $heat_outputs_path.$v0")).dynamic_writes);
    let doubling: String = (0..60).map(|n| format!("v{n}=$v{0}$v{0}\n", n + 1)).collect();
    assert!(shell(&(doubling + "v60=a\necho x > $heat_outputs_path.$v40")).dynamic_writes);
    assert!(shell("x=$y; y=$x; echo x > $heat_outputs_path.$x").dynamic_writes);
}

#[test]
fn a_program_in_another_language_is_read_as_such() {
    let python =
        "#!/usr/bin/env -S python3 -u\nopen(os.environ[\"heat_outputs_path\"] + \".url\", 'w').write(\"it's\")";
    let found = shell(python);
    assert_eq!((found.writes.into_keys().collect::<Vec<_>>(), found.dynamic_writes), (vec!["url".to_owned()], false));
    for source in ["#!/usr/bin/perl -w\nuse Recipe;\nprint \"it's\";", "#! /usr/bin/ruby\nrequire 'recipe'"] {
        let found = shell(source);
        assert!(found.dynamic_writes && found.dynamic_reads && found.writes.is_empty(), "{source}");
    }
    for source in ["#!/bin/bash -eu\ntrue", "#!/usr/bin/env bash\ntrue", "#!/bin/sh", "#!\ntrue"] {
        assert!(!shell(source).dynamic_writes, "{source}");
    }
}

#[test]
fn a_text_too_long_to_follow_still_shows_that_an_output_is_written() {
    let long = "x".repeat(5_000);
    for target in [format!("$heat_outputs_path.{long}"), format!("${{heat_outputs_path}}$a{long}")] {
        let found = shell(&format!("a=.url\necho x > \"{target}\""));
        assert!(found.dynamic_writes && found.writes.is_empty(), "{:?}", found.writes);
    }
    assert!(!shell(&format!("echo x > \"/tmp/{long}\"")).dynamic_writes);
}

#[test]
fn what_another_tool_is_given_to_run_may_write_as_well() {
    for command in [
        "ansible-playbook -i localhost, site.yaml",
        "puppet apply site.pp",
        "salt-call --local state.apply redis",
        "salt-call --local state.template redis.sls",
    ] {
        assert!(shell(command).dynamic_writes, "{command}");
    }
    for command in ["salt-call --local test.ping", "puppet --version"] {
        assert!(!shell(command).dynamic_writes, "{command}");
    }
}
