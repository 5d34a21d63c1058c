use wattle_recipe::{Analysis, Tool, analyse, analyse_all};

use super::names;

fn puppet(source: &str) -> Analysis {
    analyse(Tool::Puppet, source).unwrap_or_else(|error| panic!("{error}\n{source}"))
}

#[test]
fn one_output_is_written() {
    for source in [
        r#"file { "${facts['heat_outputs_path']}.url": content => 'x' }"#,
        r#"file { "${::heat_outputs_path}.url": ensure => file, content => $x, }"#,
        r#"file { "${heat_outputs_path}.url": content => "http://${host}" }"#,
        r#"file { "$heat_outputs_path.url": content => 'x' }"#,
        r#"file { "$::heat_outputs_path.url": content => 'x' }"#,
        r#"file { "${facts[heat_outputs_path]}.url": content => 'x' }"#,
        r#"file { "${facts.get('heat_outputs_path')}.url": content => 'x' }"#,
        r#"file { "${fact('heat_outputs_path')}.url": content => 'x' }"#,
        r#"file { "${lookup('heat_outputs_path')}.url": content => 'x' }"#,
        r#"file { 'publish': path => "${facts['heat_outputs_path']}.url", content => 'x' }"#,
        r#"$out = $facts['heat_outputs_path'] file { "${out}.url": content => 'x' }"#,
        r#"$a = $facts['heat_outputs_path'] $b = $a $c = $b $d = $c file { "${d}.url": content => 'x' }"#,
        r#"$b = $a file { "${b}.url": content => 'x' } $a = $facts['heat_outputs_path']"#,
        r#"$out = "${facts['heat_outputs_path']}.url" file { $out: content => 'x' }"#,
        r#"$out = "${::heat_outputs_path}.url" file { 'x': path => $out }"#,
        r"file { $facts['heat_outputs_path'] + '.url': content => 'x' }",
        r#"['url'].each |$name| { file { "${facts['heat_outputs_path']}.${name}": content => 'x' } }"#,
        r#"['url'].each |String $name| { file { "${::heat_outputs_path}.url": content => 'x' } }"#,
        r#"class db2($port) { file { "${facts['heat_outputs_path']}.url": content => "${port}" } }"#,
        r#"if $x { file { "${heat_outputs_path}.url": content => 'x' } }"#,
        r#"file { ["${heat_outputs_path}.url"]: content => 'x' }"#,
        r#"file { '/x': ; "${heat_outputs_path}.url": content => 'x' }"#,
        r#"concat { "${heat_outputs_path}.url": }"#,
        r#"exec { 'x': command => "/bin/sh -c 'echo x > ${heat_outputs_path}.url'" }"#,
        r#"exec { "echo x > ${heat_outputs_path}.url": provider => shell }"#,
        r"exec { '/usr/bin/wattle set url x': }",
        r"exec { 'x': command => 'wattle set url x', path => '/usr/bin' }",
        "file { \"${heat_outputs_path}.url\": content => @(\"END\") }\n  a ${b} 'c\n  | END\n",
    ] {
        let analysis = puppet(source);
        assert_eq!(names(&analysis.writes), ["url"], "{source}");
        assert!(!analysis.dynamic_writes, "{source}");
    }
    let several = puppet(r#"['url', 'port'].each |$n| { file { "${heat_outputs_path}.${n}": content => 'x' } }"#);
    assert_eq!(names(&several.writes), ["port", "url"]);
    assert!(!several.dynamic_writes);
}

#[test]
fn nothing_is_written() {
    for source in [
        "",
        r#"# file { "${heat_outputs_path}.url": }"#,
        r#"/* file { "${heat_outputs_path}.url": } */"#,
        r"file { '${heat_outputs_path}.url': content => 'x' }",
        r#"notice("${heat_outputs_path}.url")"#,
        r#"notify { "see ${heat_outputs_path}.url": }"#,
        r#"file { '/x': source => "${heat_outputs_path}.url" }"#,
        r#"file { '/x': require => File["${heat_outputs_path}.url"] }"#,
        r#"exec { 'x': command => '/bin/true', creates => "${heat_outputs_path}.url" }"#,
        r#"file { "${heat_outputs_path}.url.tmp": content => 'x' }"#,
        r#"file { '/x': content => "${heat_outputs_path}.url" }"#,
        "$out = $facts['heat_outputs_path']",
        "exec { 'x': command => '/usr/bin/make install' }",
        "package { 'x': ensure => installed } -> service { 'x': ensure => running }",
    ] {
        let analysis = puppet(source);
        assert_eq!(names(&analysis.writes), Vec::<&str>::new(), "{source}");
        assert!(!analysis.dynamic_writes, "{source}");
    }
}

#[test]
fn anything_may_be_written() {
    for source in [
        r#"file { "${heat_outputs_path}.${name}": content => 'x' }"#,
        r#"$x.each |$name, $v| { file { "${heat_outputs_path}.${name}": content => $v } }"#,
        r"file { $facts['heat_outputs_path'] + $x: content => 'x' }",
        "db2_output { 'x': base => $facts['heat_outputs_path'] }",
        "publish($facts['heat_outputs_path'])",
        r#"$n = downcase('URL') file { "${heat_outputs_path}.${n}": content => 'x' }"#,
        r#"$x = 'a' $n = $x ? { 'a' => 'url', default => 'port' } file { "${heat_outputs_path}.${n}": content => 'x' }"#,
        r#"$out = pick($facts['heat_outputs_path'], '/tmp/x') file { "${out}.url": content => 'x' }"#,
        r#"['url'].each |$i, $n| { file { "${heat_outputs_path}.${i}": content => 'x' } }"#,
        "include db2",
        "include db2, java",
        "contain 'db2::server'",
        "class { 'db2': port => 1 }",
        "class { \"db2::server\": }",
        "db2::instance { 'x': }",
        "create_resources(file, $files)",
        "exec { 'x': command => './publish.sh' }",
        r#"exec { 'x': command => "echo x > ${heat_outputs_path}.${name}" }"#,
    ] {
        assert!(puppet(source).dynamic_writes, "{source}");
    }
}

#[test]
fn classes_of_the_same_file_are_seen() {
    let analysis = puppet("class db2 { } define db2::instance($x) { } include db2 db2::instance { 'x': x => 1 }");
    assert!(!analysis.dynamic_writes && !analysis.dynamic_reads);
}

#[test]
fn variables_are_read() {
    for source in [
        "$x = $facts['port']",
        "$x = $facts[port]",
        "$x = $::port",
        "$x = $port",
        "$x = $db2::port",
        "$x = lookup('port')",
        "$x = lookup('db2::port')",
        "$x = lookup('port', Integer, 'first', 1)",
        "$x = hiera('port')",
        "$x = hiera('port', 50000)",
        "$x = fact('port')",
        "$x = getvar('port')",
        "class db2(Integer $port = 1) { }",
        r#"notice("${port}")"#,
        r#"notice("$port")"#,
        r#"notice("a${::port}b")"#,
        r#"notice("${facts['port']}")"#,
        r#"notice("${lookup('port')}")"#,
        r#"notice("${x["a${port}"]}")"#,
        "if $port > 1 { }",
        "notice(@(\"END\"))\n${port}\nEND\n",
        "exec { 'x': command => 'echo $port', provider => shell }",
    ] {
        assert!(names(&puppet(source).reads).contains(&"port"), "{source}");
    }
    for source in ["notice('$port')", "# $port", "notice(port)", "notice(@(END))\n$port\nEND\n", r#"notice("\$port")"#]
    {
        let analysis = puppet(source);
        assert!(analysis.reads.is_empty() && !analysis.dynamic_reads, "{source}: {analysis:?}");
    }
}

#[test]
fn anything_may_be_read() {
    for source in [
        "$x = lookup($name)",
        "$x = $facts[$name]",
        "$x = $facts.filter |$k, $v| { true }",
        "$x = template('db2/x.erb')",
        "file { '/x': content => epp('db2/x.epp') }",
        "$x = file('inputs.json')",
    ] {
        assert!(puppet(source).dynamic_reads, "{source}");
    }
}

#[test]
fn templates_are_read() {
    let source = "<%- | Integer $port | -%>\n<%# $no %>\n<% if $host { -%>\n<%= $facts['x'] %> $no\n<% } -%>";
    let analysis = analyse_all(Tool::Puppet, [("x.epp", source)]).expect("a template");
    assert_eq!(
        analysis.reads.into_iter().collect::<Vec<_>>(),
        [("host".into(), 3), ("port".into(), 1), ("x".into(), 4)]
    );
}

#[test]
fn lines_are_counted() {
    let analysis = puppet("# x\n$a = $b\nfile { \"${heat_outputs_path}.url\":\n  content => \"\n${c}\",\n}\n");
    assert_eq!(analysis.writes.into_iter().collect::<Vec<_>>(), [("url".into(), 3)]);
    let reads = analysis.reads;
    assert_eq!((reads["b"], reads["c"]), (2, 5));
}

#[test]
fn what_is_never_closed_is_an_error() {
    for (source, line, message) in [
        ("file {\n'x: }", 2, "`'` is never closed"),
        ("\nfile { \"x: }", 2, "`\"` is never closed"),
        ("file { \"${x\": }", 1, "`\"` is never closed"),
        ("file { 'x':", 1, "`{` is never closed"),
        ("a\n}\n", 2, "`}` closes nothing"),
        ("/* x", 1, "`/*` is never closed"),
        ("x(@(END))\nx\n", 2, "the text up to `END` never ends"),
    ] {
        let error = analyse(Tool::Puppet, source).expect_err(source);
        assert_eq!((error.line, error.message.as_str()), (line, message), "{source}");
    }
}

#[test]
fn deep_nesting_is_survived() {
    for opening in [
        "(",
        "{",
        "[",
        "\"${",
        "\"${x[",
        "$",
        "$a=",
        "@(\"A\")\n",
        "file { ",
        "'a'+",
        "/",
        "|$x|",
        "[].each |$x| {",
        "include ",
        "lookup(",
        "a,",
    ] {
        let _ = analyse(Tool::Puppet, &opening.repeat(100_000));
    }
    let error = analyse(Tool::Puppet, &"\"${".repeat(1_000)).expect_err("too deep");
    assert_eq!(error.message, "texts nest deeper than 32");
    let doubling: String = (0..60).map(|n| format!("$v{n} = \"${{v{0}}}${{v{0}}}\"\n", n + 1)).collect();
    let _ = puppet(&(doubling + "$v60 = 'a'\nfile { \"${heat_outputs_path}.${v0}\": }"));
}
