use wattle_recipe::salt::state;
use wattle_recipe::{Analysis, Tool, analyse, analyse_all, overlooked};

use super::names;

fn salt(source: &str) -> Analysis {
    analyse(Tool::Salt, source).unwrap_or_else(|error| panic!("{error}\n{source}"))
}

#[test]
fn one_output_is_written_and_nothing_is_dynamic() {
    for source in [
        "{{ pillar['heat_outputs_path'] }}.url:\n  file.managed:\n    - contents: x\n",
        "{{ pillar.heat_outputs_path }}.url:\n  file.managed: []\n",
        "it:\n  file.managed:\n    - name: \"{{ pillar.get(\"heat_outputs_path\") }}.url\"\n",
        "it:\n  file.managed:\n    - name: {{ salt['pillar.get']('heat_outputs_path') ~ '.url' }}\n",
        "it:\n  file.managed:\n    - name: {{ (pillar['heat_outputs_path'] ~ '.url') | json }}\n",
        "{% set out = pillar['heat_outputs_path'] %}\n{{ out }}.url:\n  file.managed: []\n",
        "{%- set url = salt['environ.get']('heat_outputs_path') ~ '.url' -%}\n{{ url }}:\n  file.managed: []\n",
        "it:\n  cmd.run:\n    - name: echo x > \"${heat_outputs_path}.url\"\n",
        "it:\n  cmd.run:\n    - name: wattle set url x\n",
        "{% do salt['file.write'](pillar['heat_outputs_path'] ~ '.url', 'x') %}\n",
    ] {
        let analysis = salt(source);
        let dynamic = analysis.dynamic_writes && !source.contains("(pillar['heat");
        assert!(!dynamic && (analysis.dynamic_writes || names(&analysis.writes) == ["url"]), "{source}{analysis:?}");
    }
}

#[test]
fn what_cannot_be_known_is_dynamic() {
    for source in [
        "{{ pillar['heat_outputs_path'] }}.{{ name }}:\n  file.managed: []\n",
        "{{ pillar['heat_outputs_path'] }}.url-{{ name }}:\n  file.managed: []\n",
        "{% set out = pillar['heat_outputs_path'] %}{% do salt['x.y'](out) %}",
        "{% set out = pillar['heat_outputs_path'] %}{% for f in [out ~ '.url'] %}{{ f }}: file.managed\n{% endfor %}",
        "{% set out %}{{ pillar['heat_outputs_path'] }}{% endset %}",
        "it:\n  my.state:\n    - base: {{ pillar['heat_outputs_path'] }}\n",
        "include:\n  - redis.server\n",
        "include: [.server]\n",
        "#!py\ndef run():\n    return {}\n",
        "it:\n  cmd.script:\n    - source: salt://publish.sh\n",
        "{% from 'map.jinja' import redis with context %}\n",
    ] {
        assert!(salt(source).dynamic_writes, "{source}");
    }
    let commented = salt("# {{ pillar['heat_outputs_path'] }}.url\nit: test.nop\n");
    assert!(names(&commented.writes).is_empty() && !commented.dynamic_writes);
}

#[test]
fn the_pillar_is_read_and_nothing_else() {
    for code in [
        "pillar['port']",
        "pillar[\"port\"] + 1",
        "pillar.port",
        "pillar.get('port', 6379)",
        "salt['pillar.get']('port')",
        "salt['pillar.get']('port:number', 1)",
        "salt.pillar.get('port')",
        "salt['config.get']('port')",
    ] {
        let analysis =
            salt(&format!("{{% if {code} %}}\nit:\n  cmd.run:\n    - name: x {{{{ {code} }}}}\n{{% endif %}}\n"));
        assert_eq!((names(&analysis.reads), analysis.dynamic_reads), (vec!["port"], false), "{code}");
    }
    for code in [
        "pillar[name]",
        "pillar",
        "pillar.items()",
        "salt['pillar.items']()",
        "salt['pillar.get'](name)",
        "opts | json",
    ] {
        assert!(salt(&format!("it:\n  cmd.run:\n    - name: {{{{ {code} }}}}\n")).dynamic_reads, "{code}");
    }
    let other = salt("{% set port = grains['port'] %}\nit:\n  cmd.run:\n    - name: echo port {{ port }}\n");
    assert!(other.reads.is_empty() && !other.dynamic_reads, "{other:?}");
    assert_eq!(names(&salt("it:\n  file.managed:\n    - contents_pillar: conf:text\n").reads), ["conf"]);
}

#[test]
fn what_travels_along_is_read_as_well() {
    let main = (
        "recipes/redis.sls",
        "include:\n  - .more\n/etc/redis.conf:\n  file.managed:\n    - source: salt://redis.conf\n",
    );
    let more = ("recipes/more.sls", "{{ pillar['heat_outputs_path'] }}.url:\n  file.managed: []\n");
    let conf = ("recipes/redis.conf", "port {{ pillar['port'] }}\n");
    let all = |files: &[(&'static str, &'static str)]| analyse_all(Tool::Salt, files.iter().copied()).expect("sound");
    let analysis = all(&[main, more, conf]);
    assert_eq!((names(&analysis.writes), names(&analysis.reads)), (vec!["url"], vec!["port"]));
    assert!(!analysis.dynamic_writes && !analysis.dynamic_reads);
    assert!(all(&[main, conf]).dynamic_writes && all(&[main, more]).dynamic_writes);
    let folder = ("recipes/more/init.sls", more.1);
    assert!(!all(&[main, folder, conf]).dynamic_writes);
}

#[test]
fn lines_are_counted() {
    let analysis = salt(
        "{# a\n comment #}\n{% set x =\n pillar['port'] %}\n{{ pillar['heat_outputs_path'] }}.url: file.managed\n",
    );
    assert_eq!((analysis.reads["port"], analysis.writes["url"]), (4, 5));
}

#[test]
fn what_salt_refuses_is_an_error_with_its_line() {
    for (source, line, message) in [
        ("a: [1, 2\nb: 3\n", 2, ""),
        ("{% if a %}\nb: c.d\n", 1, "`if` is never closed by `endif`"),
        ("a: b.c\n{% endfor %}\n", 2, "`endfor` closes nothing"),
        ("{% for a in b %}\n{% endif %}\n", 2, "`endif` closes the `for` on line 1"),
        ("a:\n  b.c:\n    - x: {{ pillar['port']\n", 3, "`{{` is never closed by `}}`"),
        ("a:\n  b.c:\n    - x: {{ pillar['port'] }\n    - y: {{ pillar['host'] }}\n", 3, "`{{` is never closed"),
        ("{% if a %}\nb: c.d\n{% endif\n", 3, "`{%` is never closed by `%}`"),
        ("{# a\nb: c.d\n", 1, "`{#` is never closed by `#}`"),
    ] {
        let error = analyse(Tool::Salt, source).expect_err(source);
        assert!(error.line.abs_diff(line) <= 1 && error.message.contains(message), "{source}: {error}");
    }
}

#[test]
fn a_template_that_is_never_closed_is_refused_beside_a_state() {
    let state = ("web.sls", "a:\n  file.managed:\n    - source: salt://x.j2\n    - template: jinja\n");
    let error = analyse_all(Tool::Salt, [state, ("x.j2", "a\n{{ pillar['port']\n")]).expect_err("never closed");
    assert_eq!((error.path.as_str(), error.error.line), ("x.j2", 2));
}

#[test]
fn long_texts_come_to_an_end() {
    for opening in
        ["{{", "{% if x %}", "{{ pillar[", "salt://", "include:\n- ", "{{ a ~ ", "'", "{% set a = b ~ ", "wattle get "]
    {
        let _ = analyse(Tool::Salt, &opening.repeat(5_000));
    }
    let doubling =
        "{% set a = 'x' %}".to_owned() + &"{% set a = a ~ a %}{% set b = a ~ a %}{% set a = b ~ b %}".repeat(100);
    let _ = salt(&(doubling + "it:\n  test.nop: []\n"));
}

#[test]
fn states_are_found_where_salt_looks() {
    for (file, expected) in [
        ("redis.sls", ("", "redis")),
        ("recipes/redis.sls", ("recipes", "redis")),
        ("recipes.d/redis/init.sls", ("recipes.d", "redis")),
        ("redis/init.sls", ("", "redis")),
        ("init.sls", ("", "init")),
    ] {
        assert_eq!((state(file), overlooked(Tool::Salt, file)), (Some(expected), None), "{file}");
    }
    for file in ["redis.v2.sls", "v.2/init.sls", "a,b.sls", "redis.SLS", "redis", ".sls"] {
        assert!(state(file).is_none() && overlooked(Tool::Salt, file).is_some(), "{file}");
    }
    assert_eq!(overlooked(Tool::Shell, "install.v2.sh"), None);
}
