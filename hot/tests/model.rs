//! Mistakes in content that only wattle reads, each reported once and at its place.

use wattle::model::Name;
use wattle_heat::Loaded;
use wattle_hot::check;

/// A server with one component, which has these additional `fields`.
fn component(fields: &str) -> String {
    format!(
        "heat_template_version: 2021-04-16\nresources:\n  s:\n    type: OS::Nova::Server\n    \
         properties: {{flavor: f, image: i, networks: [{{network: n}}]}}\n    metadata:\n      wattle:\n        \
         components:\n          - name: web\n            {fields}\n"
    )
}

/// The diagnostics: code, line and message.
fn found(text: &str) -> Vec<String> {
    let reported = |diagnostic: &wattle::check::Diagnostic| {
        format!("{} {} {}", diagnostic.code, diagnostic.labels[0].at.line, diagnostic.message)
    };
    check(&Loaded::of(text, "template.yaml")).iter().map(reported).collect()
}

#[test]
fn what_is_said_of_a_component_is_possible() {
    let script = |fields: &str| component(&format!("recipe: {{script: 'true'}}\n            {fields}"));
    for (fields, message) in [
        ("listens: [{tcp: 80}, {udp: 1000-2000}, {tcp: port}]\n            inputs: {port: 80}", ""),
        ("listens: [{tcp: 80}, {udp: port}]\n            types: {port: {type: port, required: false}}", ""),
        ("listens: [{tcp: '2000-1000'}]", "W1301 11 `2000-1000` is not a range of ports"),
        ("listens: [{tcp: 0-10}]", "W1301 11 `0-10` is not a range of ports"),
        ("listens: [{tcp: 0}]", "W1301 11 this does not name ports"),
        ("listens: [{tcp: '8080'}]", "W1301 11 a port is a number, but `8080` is text"),
        ("listens: [{udp: nope}]", "W1301 11 `s/web` listens on the port in its input `nope`, but has no such input"),
        ("deadline: 60", ""),
        ("deadline: 1h30m", ""),
        ("wait: 30m1h", "W1301 11 `wait` of `s/web` is not a length of time"),
        ("wait: [60]", "W1301 11 `wait` of `s/web` is not a length of time"),
        ("deadline: 0", "W1301 11 `deadline` of `s/web` is not a length of time"),
        ("wait: 0", "W1301 11 `wait` of `s/web` is not a length of time"),
        ("outputs: [all, some]", ""),
        ("outputs: [all, all]", "W1301 11 `s/web` has two outputs `all`"),
        (
            "outputs: [{all: string}]",
            "W1301 11 an output of `s/web` is a map, but a list of outputs contains their names",
        ),
    ] {
        let expected: Vec<_> = Some(message).filter(|message| !message.is_empty()).into_iter().collect();
        assert_eq!(found(&script(fields)), expected, "{fields}");
    }
}

#[test]
fn what_is_named_or_run_is_reported_as_it_was_meant() {
    let name = component("recipe: {script: 'true'}").replace("name: web", "name: 5");
    assert_eq!(found(&name), ["W1301 9 the name of a component of `s` is an integer, not text"]);
    let inline = component("recipe: |\n              #!/bin/sh\n              true");
    assert_eq!(found(&inline), ["W1303 10 the recipe is a script, but a path is expected"]);
    let entry = component("recipe: {entry: install.sh, files: {other.sh: 'true'}}");
    assert_eq!(found(&entry), ["W1303 10 the recipe of `s/web` runs `install.sh`, which is not one of its `files`"]);
    let named = "W1303 10 Salt does not find the recipe `web.v2.sls`";
    assert_eq!(found(&component("recipe: {entry: web.v2.sls, files: {web.v2.sls: '{}'}}")), [named]);
    assert_eq!(found(&component("recipe: {tool: salt, script: 'it: test.nop'}")), [""; 0]);
    let file = component("recipe: {entry: install.sh, files: {install.sh: [a]}}");
    assert_eq!(found(&file), ["W1301 10 the file `install.sh` of a recipe is neither text nor base64"]);
}

#[test]
fn a_recipe_of_a_cookbook_is_one_of_its_files() {
    let chef = |entry: &str, path: &str, more: &str| {
        component(&format!("recipe: {{tool: chef, entry: {entry}{more}, files: {{{path}: \"node['db2']['port']\"}}}}"))
    };
    let file = "cookbooks/db2/recipes/server.rb";
    for (entry, path) in [
        ("cookbooks/db2::server", file),
        ("db2::server", file),
        ("db2::server", "db2/recipes/server.rb"),
        ("'./cookbooks/db2::server'", "./cookbooks/db2/recipes/server.rb"),
        ("cookbooks/db2", "cookbooks/db2/recipes/default.rb"),
    ] {
        assert_eq!(found(&chef(entry, path, "")), [""; 0], "{entry} {path}");
    }
    let missing = |entry: &str, file: &str| {
        format!("W1303 10 the recipe of `s/web` runs `{entry}`, but `{file}` is not one of its `files`")
    };
    let (other, bare) = ("cookbooks/db2::client", "server");
    assert_eq!(found(&chef(other, file, "")), [missing(other, "cookbooks/db2/recipes/client.rb")]);
    assert_eq!(found(&chef("site/db2::server", file, "")), [missing("site/db2::server", "site/db2/recipes/server.rb")]);
    assert_eq!(found(&chef(bare, file, "")), [missing(bare, "server/recipes/default.rb")]);
    let gone = found(&chef("db2::server", file, ", teardown: cookbooks/db2::remove"));
    assert_eq!(gone, [missing("cookbooks/db2::remove", "cookbooks/db2/recipes/remove.rb")]);
    let malformed = "W1303 10 `db2::server.rb` does not name a Chef recipe: a recipe is named without `.rb`";
    assert_eq!(found(&chef("db2::server.rb", file, "")), [malformed]);
}

/// It is read by the name that Chef runs, regardless of the cookbook's folder, and its outputs are attributes of the
/// cookbook.
#[test]
fn a_recipe_of_a_cookbook_is_read() {
    let software = |text: &str| {
        component(&format!(
            "recipe: {{tool: chef, entry: cookbooks/db2::server, files: {{cookbooks/db2/recipes/server.rb: \"{text}\"}}}}\n\
             \x20           inputs: {{port: 5}}\n            outputs: [url]"
        ))
    };
    let read = |text: &str| wattle_hot::model::read(&Loaded::of(text, "template.yaml")).model;
    let unwritten = |text: &str| {
        let reported = wattle::check::check(&read(&software(text)), &wattle::check::Limits::default());
        reported.into_iter().filter(|found| found.code == "W0705").map(|found| found.message).collect::<Vec<_>>()
    };
    let model = read(&software("node.default!('db2', 'url', node['db2']['port'])"));
    let kind = model.declarations.values().next().expect("a kind");
    assert_eq!(&*kind.recipe.entry, "db2::server");
    assert_eq!(kind.outputs["url"].path, [Name::from("db2"), Name::from("url")]);
    assert_eq!(kind.inputs["port"].path, [Name::from("db2"), Name::from("port")]);
    assert_eq!(unwritten("node.default!('db2', 'url', node['db2']['port'])"), [""; 0]);
    assert_eq!(unwritten("node['db2']['port']"), ["the recipe of `web` never writes the output `url`"]);
}

/// As the book says about recipes that read from each other: nothing ensures that each of them writes first.
#[test]
fn early_outputs_make_no_exception_of_a_cycle() {
    let peer = |name: &str, other: &str| {
        format!(
            "  {name}:\n    type: OS::Nova::Server\n    properties: {{flavor: f, image: i, networks: [{{network: n}}]}}\n    \
             metadata:\n      wattle:\n        components:\n          - name: peer\n            recipe: {{tool: chef, entry: \
             peer::meet, files: {{peer/recipes/meet.rb: \"node.default['peer']['url'] = 1; node['peer']['other']\"}}}}\n            \
             inputs: {{other: {{get_attr: [{other}, peer, url]}}}}\n            outputs: {{url: {{type: string, early: true}}}}\n"
        )
    };
    let text = format!("heat_template_version: 2021-04-16\nresources:\n{}{}", peer("a", "b"), peer("b", "a"));
    let read = wattle_hot::model::read(&Loaded::of(&text, "template.yaml"));
    let reported = wattle::check::check(&read.model, &wattle::check::Limits::default());
    assert!(read.model.declarations.values().all(|kind| kind.outputs["url"].early));
    assert_eq!(reported.iter().map(|found| found.code).collect::<Vec<_>>(), ["W0101"]);
}

#[test]
fn what_guards_values_from_heat_never_holds() {
    let text = |condition: &str| {
        let software = component("recipe: {script: 'true'}\n            outputs: [url]");
        format!(
            "{software}conditions: {{run_time: {condition}}}\n\
             outputs: {{url: {{value: {{if: [run_time, {{get_attr: [s, web, url]}}, null]}}}}}}\n"
        )
    };
    assert_eq!(found(&text("false")), [""; 0]);
    for condition in ["true", "{not: false}", "{equals: [a, b]}"] {
        let reported = "W1301 12 the condition `run_time` guards what only software knows, but is not `false`";
        assert_eq!(found(&text(condition)), [reported], "{condition}");
    }
    let inside = text("true").replace("value: {if", "value: [{if").replace("null]}}}", "null]}]}}");
    assert_eq!(found(&inside).len(), 1, "{:?}", found(&inside));
    let own = text("true").replace("{get_attr: [s, web, url]}", "a");
    assert_eq!(found(&own), [""; 0], "a condition of the author's own");
}

#[test]
fn a_guard_is_taken_off_wherever_it_stands() {
    let text = |value: &str| {
        let software = component("recipe: {script: 'true'}\n            outputs: [url]");
        format!(
            "{software}          - name: site\n            recipe: {{script: 'true'}}\n            inputs: {{url: {value}}}\n\
             conditions: {{run_time: false, other: true}}\noutputs: {{all: {{value: {value}}}}}\n"
        )
    };
    let read = |value: &str| {
        let model = wattle_hot::model::read(&Loaded::of(&text(value), "template.yaml")).model;
        (model.components["s/site"].inputs["url"].value.clone(), model.exports["all"].value.clone())
    };
    let bare = "{get_attr: [s, web, url]}";
    let guarded = format!("{{if: [run_time, {bare}, null]}}");
    for around in [
        "G",
        "[a, G, [G]]",
        "{k: G, of: {k: [G]}}",
        "{list_join: [',', [G, x]]}",
        "{str_replace: {template: a, params: {a: G}}}",
        "{if: [other, G, x]}",
    ] {
        let guarded = around.replace('G', &guarded);
        assert_eq!(found(&text(&guarded)), [""; 0], "{around}");
        assert_eq!(read(&guarded), read(&around.replace('G', bare)), "{around}");
    }
}

/// The refusals of a component's whole recipe, with these files beside the template.
fn refused(fields: &str, files: &[(&str, &str)]) -> Vec<String> {
    let files: std::collections::BTreeMap<String, Vec<u8>> =
        files.iter().map(|(path, text)| (format!("app/{path}"), text.as_bytes().to_vec())).collect();
    let loaded = wattle_hot::load(&component(fields), "app/template.yaml", &files, &Default::default());
    let reported = |diagnostic: &wattle::check::Diagnostic| {
        let of_recipe = diagnostic.code == "W1303" && diagnostic.labels[0].at.line == 10;
        format!(
            "{}{}: {}",
            if of_recipe { "" } else { diagnostic.code },
            diagnostic.message,
            diagnostic.help.join("; ")
        )
    };
    check(&loaded).iter().map(reported).collect()
}

#[test]
fn a_recipe_that_the_compiler_refuses_is_refused() {
    let play = |tasks: &str| format!("- hosts: localhost\n  tasks:\n    - {tasks}\n");
    let malformed =
        |path: &str, line: u32, why: &str| format!("the recipe `{path}` is malformed at line {line}: {why}");
    for (path, text, expected) in [
        (
            "recipes/it.sh",
            "#!/bin/sh\nif true; then\n  echo x\n".to_owned(),
            malformed("recipes/it.sh", 2, "`if` is never closed by `fi`: the shell would refuse it too"),
        ),
        ("it.yaml", play("set_stats: {url: a}"), malformed("it.yaml", 3, "`set_stats` has no `data`")),
        ("it.yaml", play("debug: {msg: 'a {{ b'}"), malformed("it.yaml", 3, "`{{` is never closed by `}}`")),
        ("it.yaml", "- hosts: db\n  tasks: []\n".to_owned(), malformed("it.yaml", 1, "")),
        ("it.sh", "#!/bin/sh\r\ntrue\r\n".to_owned(), "the recipe `it.sh` has Windows line endings".to_owned()),
        (
            "recipes/it.yaml",
            play("template: {src: a.j2, dest: /a}"),
            "`recipes/it.yaml` uses `recipes/templates/a.j2` on line 3, which is not in the folder of the template"
                .to_owned(),
        ),
    ] {
        let found = refused(&format!("recipe: {path}"), &[(path, &text)]);
        assert!(matches!(&found[..], [one] if one.starts_with(&expected)), "{expected}: {found:#?}");
        // Recipes that the compiler accepts are accepted.
        let fine = [(path, "#!/bin/sh\ntrue\n"), (path, "- hosts: localhost\n  tasks: []\n")];
        let fine = fine[usize::from(path.ends_with("yaml"))];
        assert_eq!(refused(&format!("recipe: {path}"), &[fine]), [""; 0]);
    }
    let script = refused("recipe: {script: \"#!/bin/sh\\nif true; then\\n  echo x\\n\"}", &[]);
    let reported =
        "the script of `s/web` is malformed at line 2: `if` is never closed by `fi`: the shell would refuse it too";
    assert_eq!(script, [reported]);
    let beside = [("it.sh", "#!/bin/sh\n. ./lib.sh\n"), ("lib.sh", "true\n")];
    let reported =
        "`it.sh` uses `lib.sh` on line 2, which is not listed in `files`: add it next to the recipe: `files: [lib.sh]`";
    assert_eq!(refused("recipe: it.sh", &beside), [reported]);
    assert_eq!(refused("recipe: {entry: it.sh, files: [lib.sh]}", &beside), [""; 0]);
    let same = refused("recipe: {entry: it.sh, teardown: it.sh, files: [lib.sh]}", &beside);
    assert!(matches!(&same[..], [one] if one.starts_with("the teardown `it.sh` is the recipe itself")), "{same:#?}");
}

/// The diagnostics in the wiring of the template's model.
fn wiring(text: &str) -> Vec<String> {
    let loaded = Loaded::of(text, "template.yaml");
    let model = wattle_hot::model::read(&loaded).model;
    let reported = |diagnostic: wattle::check::Diagnostic| {
        format!("{} {} {} {:?}", diagnostic.code, diagnostic.labels[0].at.line, diagnostic.message, diagnostic.help)
    };
    wattle_hot::check::with_wiring(Vec::new(), &loaded, || &model, &wattle::check::Limits::default())
        .into_iter()
        .filter(|diagnostic| diagnostic.severity == wattle::check::Severity::Error)
        .map(reported)
        .collect()
}

#[test]
fn a_component_that_there_is_not_is_reported_as_one() {
    let reader = component("recipe: {script: 'true'}\n            outputs: {url: {type: string, dynamic: true}}")
        + "          - name: site\n            recipe: {script: 'true'}\n            inputs: {url: {get_attr: [s, wbe, url]}}\n";
    assert_eq!(
        wiring(&reader),
        [
            "W0107 14 the input `url` of `s/site` refers to the component `s/wbe`, which does not exist [\"did you mean `s/web`?\"]"
        ]
    );
    assert_eq!(found(&reader), [""; 0]);
    let output = component("recipe: {script: 'true'}\n            outputs: {url: {type: string, dynamic: true}}")
        + "outputs: {url: {value: {get_attr: [s, wbe, url]}}}\n";
    assert_eq!(found(&output), [""; 0]);
    assert_eq!(wiring(&output).len(), 1, "{:?}", wiring(&output));
    assert_eq!(wiring(&reader.replace("wbe, url", "first_address, url")), [""; 0], "an attribute of Heat's");
}

#[test]
fn a_property_that_reads_an_output_waits_for_software() {
    let text = |path: &str| {
        component("recipe: {script: 'true'}\n            outputs: {url: {type: string, dynamic: true}}")
            + &format!("  v:\n    type: OS::Heat::Value\n    properties: {{value: {{get_attr: [{path}]}}}}\n")
    };
    assert_eq!(found(&text("s, web, url")), [""; 0]);
    assert_eq!(wiring(&text("s, web, url")).len(), 1);
    assert!(wiring(&text("s, web, url"))[0].starts_with("W0405 14 "), "{:?}", wiring(&text("s, web, url")));
    assert_eq!(found(&text("s, web")), ["W1206 14 `s` has no attribute `web`"]);
}

#[test]
fn one_mistake_is_one_diagnostic() {
    let outputs = "outputs: {url: {type: string, dynamic: true}}";
    let whole = component(&format!("recipe: {{script: 'true'}}\n            {outputs}"));
    assert_eq!(found(&whole), [""; 0]);
    for (right, wrong, expected) in [
        ("recipe:", "recpie:", "W1301 10 the component `s/web` has no key `recpie`"),
        (outputs, "kind: [worker]", "W1301 11 `kind` of `s/web` is a list, not text"),
        ("OS::Nova::Server", "OS::Nova::Sever", "W1201 4 the type `OS::Nova::Sever` of `s` does not exist"),
    ] {
        let text = whole.replace(right, wrong);
        assert_eq!(found(&text), [expected]);
        assert_eq!(wiring(&text), [""; 0]);
    }
    let alone = component("recpie: {script: 'true'}");
    assert_eq!(found(&alone), ["W1301 10 the component `s/web` has no key `recpie`"]);
    assert_eq!(wiring(&alone), [""; 0]);
    let kind = component("kind: [worker]");
    assert_eq!(found(&kind), ["W1301 10 `kind` of `s/web` is a list, not text"]);
    assert_eq!(wiring(&kind), [""; 0]);
}

/// References to the software of such a server are right, and things that only that software uses are used.
#[test]
fn software_on_a_server_of_a_misspelt_type_is_read() {
    let text = |ty: &str| {
        let server = component(
            "recipe: {script: ': \"$p\"'}\n            inputs: {p: {get_param: p}}\n            \
             outputs: {url: {type: string, dynamic: true}}",
        );
        let reader = component("recipe: {script: ': \"$url\"'}\n            inputs: {url: {get_attr: [s, web, url]}}");
        let (_, reader) = reader.split_once("  s:\n").expect("a server");
        server.replace("OS::Nova::Server", ty) + "  t:\n" + reader + "parameters: {p: {type: string, default: a}}\n"
    };
    let codes = |text: &str| {
        let loaded = Loaded::of(text, "template.yaml");
        let model = wattle_hot::model::read(&loaded).model;
        let limits = wattle::check::Limits::default();
        let all = wattle_hot::check::with_wiring(check(&loaded), &loaded, || &model, &limits);
        all.into_iter().map(|one| one.code).collect::<Vec<_>>()
    };
    assert_eq!(codes(&text("OS::Nova::Server")), [""; 0]);
    for ty in ["OS::Nova::Sever", "My::Server"] {
        assert_eq!(codes(&text(ty)), ["W1201"], "{ty}");
    }
}

#[test]
fn a_guard_that_is_not_defined_is_reported_with_how_to_define_it() {
    let text = component("recipe: {script: 'true'}\n            outputs: [url]")
        + "outputs: {url: {value: {if: [run_time, {get_attr: [s, web, url]}, null]}}}\n";
    let all = check(&Loaded::of(&text, "template.yaml"));
    assert_eq!(all[0].code, "W1115");
    assert_eq!(all[0].help, ["define a condition that never holds: `conditions: {run_time: false}`"]);
}
