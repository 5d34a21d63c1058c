//! How recipes read inputs.

use std::fmt::Write as _;
use std::fs;

use serde_json::json;
use wattle::model::{Type, Value};

use crate::case::{Case, chefs};

const PORT: Type = Type::integer(0, 65_535);

fn list(item: Type) -> Type {
    Type::List(Box::new(item))
}

fn map(item: Type) -> Type {
    Type::Map(Box::new(item))
}

fn value(json: serde_json::Value) -> Value {
    serde_json::from_value(json).unwrap()
}

#[tokio::test]
async fn a_read_waits_for_the_value_and_what_is_no_read_does_not() {
    let recipe = "
        seen = []
        redis = node['redis']
        seen << redis.key?('address') << redis.key?('other') << redis.keys.sort << redis.length
        seen << node.attribute?('redis') << node['other'].nil? << redis['other'].nil? << redis.equal?(node['redis'])
        seen << redis['address']
        node.default['probe']['seen'] = JSON.generate(seen)
    ";
    let case = Case::new(recipe)
        .input("address", "redis/address", Type::STR)
        .input("tcp_port", "redis/port", PORT)
        .output("seen", "probe/seen", Type::STR);
    for chef in chefs() {
        let mut run = case.start(&chef);
        run.agent.until("get address").await;
        assert_eq!(run.agent.log(), ["get address"], "with {}", chef.name);
        assert!(!run.is_over());
        run.agent.give("address", "10.0.0.5");
        let seen = [
            json!(true),
            json!(false),
            json!(["address", "port"]),
            json!(2),
            json!(true),
            json!(true),
            json!(true),
            json!(true),
            json!("10.0.0.5"),
        ];
        assert_eq!(run.outputs(&chef).await["seen"], json!(seen).to_string(), "with {}", chef.name);
        assert_eq!(run.agent.log(), ["get address"], "with {}: what nobody reads is not asked for", chef.name);
    }
}

/// Ways to read below `node['gN']`, with their results, and the inputs that they request.
fn ways() -> Vec<(&'static str, serde_json::Value, &'static [&'static str])> {
    let all = json!({ "address": "10.0.0.5", "net": { "port": 6379, "backlog": 511 }, "modules": ["a", "b"] });
    let top: &[&str] = &["address", "modules"];
    let every: &[&str] = &["address", "modules", "port"];
    vec![
        ("g['address']", json!("10.0.0.5"), &["address"]),
        ("g[:address]", json!("10.0.0.5"), &["address"]),
        ("g['address'] + g['address']", json!("10.0.0.510.0.0.5"), &["address"]),
        ("\"#{g['net']['port']}\"", json!("6379"), &["port"]),
        ("g['net'][:backlog]", json!(511), &[]),
        ("g.fetch('address')", json!("10.0.0.5"), &["address"]),
        ("g.fetch(:address, 'none')", json!("10.0.0.5"), &["address"]),
        ("g.fetch('none', 'nothing')", json!("nothing"), &[]),
        ("g.fetch('none') { |key| key * 2 }", json!("nonenone"), &[]),
        ("g['net'].values_at('backlog', 'port')", json!([511, 6379]), &["port"]),
        ("g.values_at(:address)", json!(["10.0.0.5"]), &["address"]),
        ("g.dig('net', 'port')", json!(6379), &["port"]),
        ("g.read('net', 'port')", json!(6379), &["port"]),
        ("node.read(name, 'net', 'port')", json!(6379), &["port"]),
        ("node.read!(name, 'address')", json!("10.0.0.5"), &["address"]),
        ("node.dig(name, 'address')", json!("10.0.0.5"), &["address"]),
        ("node.read(name, 'net', 'none')", json!(null), &[]),
        ("node[name.to_sym]['modules'].first", json!("a"), &["modules"]),
        ("g['modules'].map(&:upcase)", json!(["A", "B"]), &["modules"]),
        ("g['modules'].frozen? || g['modules'].class.name", json!("Chef::Node::ImmutableArray"), &["modules"]),
        ("g['table']['x'][:y]", json!(1), &["table"]),
        ("g['table'].to_h", json!({ "x": { "y": 1 } }), &["table"]),
        ("g['net'].map { |key, item| [key, item] }.sort", json!([["backlog", 511], ["port", 6379]]), &["port"]),
        (
            "found = []; g['net'].each { |key, item| found << [key, item] }; found.sort",
            json!([["backlog", 511], ["port", 6379]]),
            &["port"],
        ),
        ("found = []; g['net'].each_pair { |_, item| found << item }; found.sort", json!([511, 6379]), &["port"]),
        ("g['net'].each.to_a.sort", json!([["backlog", 511], ["port", 6379]]), &["port"]),
        ("g['net'].values.sort", json!([511, 6379]), &["port"]),
        ("g['net'].select { |_, item| item > 600 }", json!({ "port": 6379 }), &["port"]),
        ("g['net'].inject(0) { |sum, pair| sum + pair.last }", json!(6890), &["port"]),
        ("g['net'].sort_by { |_, item| item }.first", json!(["backlog", 511]), &["port"]),
        ("g['net'].any? { |_, item| item == 6379 }", json!(true), &["port"]),
        ("g['net'].value?(6379)", json!(true), &["port"]),
        ("g['net'].merge('more' => 1)", json!({ "port": 6379, "backlog": 511, "more": 1 }), &["port"]),
        ("g.reject { |key, _| key == 'table' }.to_h", all.clone(), &["address", "modules", "table"]),
        ("g.to_h.reject { |key, _| key == 'table' }", all.clone(), every_with_table()),
        ("g['net'].to_hash", json!({ "port": 6379, "backlog": 511 }), &["port"]),
        ("g['net'].dup", json!({ "port": 6379, "backlog": 511 }), &["port"]),
        ("copy = g['net'].dup; copy['port'] = 1; [copy['port'], g['net']['port']]", json!([1, 6379]), &["port"]),
        ("JSON.parse(g['net'].to_json)", json!({ "port": 6379, "backlog": 511 }), &["port"]),
        ("JSON.parse(JSON.generate(g['net']))", json!({ "port": 6379, "backlog": 511 }), &["port"]),
        ("g['net'].keys.sort", json!(["backlog", "port"]), &[]),
        ("found = []; g['net'].each_key { |key| found << key }; found.sort", json!(["backlog", "port"]), &[]),
        ("g.values_at('address', 'modules')", json!(["10.0.0.5", ["a", "b"]]), top),
        ("node.default['copy'] = g['net']; node['copy']['port']", json!(6379), &["port"]),
        (
            "node.default[name]['late'] = 1; [g['address'], node[name]['address'], node[name]['late']]",
            json!(["10.0.0.5", "10.0.0.5", 1]),
            &["address"],
        ),
        (
            "node.override[name]['address'] = 'x'; node.force_override[name]['address'] = 'y'; node[name]['address']",
            json!("10.0.0.5"),
            &["address"],
        ),
        (
            "node.default[name]['net'] = { 'backlog' => 1, 'more' => 2 }; node[name]['net'].to_h",
            json!({ "port": 6379, "backlog": 1, "more": 2 }),
            &["port"],
        ),
        ("node[name].to_h.reject { |key, _| key == 'table' }", all, [every_with_table(), every].concat().leak()),
    ]
}

fn every_with_table() -> &'static [&'static str] {
    &["address", "modules", "port", "table"]
}

#[tokio::test]
async fn every_way_of_reading_gives_the_value_and_asks_for_no_other() {
    let ways = ways();
    let mut attributes = String::new();
    let mut recipe = String::from("seen = []\n");
    let mut case = Case::default();
    for (index, (way, ..)) in ways.iter().enumerate() {
        let _ = write!(
            attributes,
            "default['g{index}']['net']['backlog'] = 511\ndefault['g{index}']['address'] = 'a default'\n"
        );
        let _ = write!(
            recipe,
            "name = 'g{index}'\ng = node[name]\nseen << begin; {way}; end\nnode.read('mark', 'x{index}')\n"
        );
        for (name, path, ty) in [
            ("address", "address", Type::STR),
            ("port", "net/port", PORT),
            ("modules", "modules", list(Type::STR)),
            ("table", "table", map(map(PORT))),
        ] {
            case = case.input(&format!("g{index}_{name}"), &format!("g{index}/{path}"), ty);
        }
        case = case.input(&format!("mark{index}"), &format!("mark/x{index}"), PORT);
    }
    recipe += "node.default['probe']['seen'] = JSON.generate(seen)\n";
    let case = case.with_recipe(&recipe).attributes(&attributes).output("seen", "probe/seen", Type::STR);
    for chef in chefs() {
        let mut run = case.start(&chef);
        for index in 0..ways.len() {
            run.agent.give(&format!("g{index}_address"), "10.0.0.5");
            run.agent.give(&format!("g{index}_port"), 6379);
            run.agent.give(&format!("g{index}_modules"), value(json!(["a", "b"])));
            run.agent.give(&format!("g{index}_table"), value(json!({ "x": { "y": 1 } })));
            run.agent.give(&format!("mark{index}"), 0);
        }
        let outputs = run.outputs(&chef).await;
        let seen: Vec<serde_json::Value> = serde_json::from_str(outputs["seen"].as_str().unwrap()).unwrap();
        let log = run.agent.log();
        let mut asked = log.split(|line| line.starts_with("get mark"));
        for (index, ((way, expected, inputs), seen)) in ways.iter().zip(&seen).enumerate() {
            assert_eq!(seen, expected, "`{way}` with {}", chef.name);
            let mut names: Vec<_> = asked.next().unwrap().iter().map(String::as_str).collect();
            names.sort_unstable();
            let mut expected: Vec<_> = inputs.iter().map(|name| format!("get g{index}_{name}")).collect();
            expected.sort_unstable();
            expected.dedup();
            assert_eq!(names, expected, "`{way}` with {}", chef.name);
        }
        assert_eq!(seen.len(), ways.len());
    }
}

#[tokio::test]
async fn attributes_at_the_top_are_read_in_every_way() {
    let ways = [
        ("node['t0']", json!("text")),
        ("node[:t1].upcase", json!("TEXT")),
        ("node.read('t2')", json!("text")),
        ("node.fetch('t3')", json!("text")),
        ("node.values_at('t4')", json!(["text"])),
        ("node.attributes['t5']", json!("text")),
        ("node['t6']; node['t6']", json!("text")),
        ("node.default['t7'] = 'x'; node['t7']", json!("text")),
        ("node.to_h['t8']", json!("text")),
        ("node['hash']['a'][:b]", json!([1, 2])),
        ("node.read('hash', 'a', 'b')", json!([1, 2])),
        ("node['list'].length", json!(3)),
        ("node.key?('t0') && node.attribute?('list')", json!(true)),
    ];
    let lines: String = ways.iter().map(|(way, _)| format!("seen << begin; {way}; end\n")).collect();
    let recipe = format!("seen = []\n{lines}node.default['probe']['seen'] = JSON.generate(seen)");
    let mut case = Case::new(&recipe)
        .input("hash", "hash", map(map(list(PORT))))
        .input("list", "list", list(PORT))
        .output("seen", "probe/seen", Type::STR);
    for index in 0..9 {
        case = case.input(&format!("t{index}"), &format!("t{index}"), Type::STR);
    }
    for chef in chefs() {
        let mut run = case.start(&chef);
        (0..9).for_each(|index| run.agent.give(&format!("t{index}"), "text"));
        run.agent.give("hash", value(json!({ "a": { "b": [1, 2] } })));
        run.agent.give("list", value(json!([1, 2, 3])));
        let expected: Vec<_> = ways.iter().map(|(_, expected)| expected).collect();
        assert_eq!(run.outputs(&chef).await["seen"], json!(expected).to_string(), "with {}", chef.name);
    }
}

#[tokio::test]
async fn what_is_read_when_resources_run_is_awaited_then() {
    let recipe = "
        log 'first' do
          message lazy { \"address #{node['redis']['address']}\" }
        end
        ruby_block 'second' do
          block { node.default['probe']['seen'] = [node['redis']['address'], node['redis']['port']].join(':') }
        end
        ruby_block 'third' do
          block { raise 'the guard was not asked' }
          not_if { node['redis']['port'] == 6379 }
        end
        node.default['redis']['compiled'] = 'yes'
    ";
    let case = Case::new(recipe)
        .input("address", "redis/address", Type::STR)
        .input("tcp_port", "redis/port", PORT)
        .early("compiled", "redis/compiled", Type::STR)
        .output("seen", "probe/seen", Type::STR);
    for chef in chefs() {
        let mut run = case.start(&chef);
        run.agent.until("get address").await;
        assert_eq!(run.agent.log(), ["set compiled \"yes\"", "get address"], "with {}", chef.name);
        run.agent.give("address", "10.0.0.5");
        run.agent.until("get tcp_port").await;
        run.agent.give("tcp_port", 6379);
        assert_eq!(run.outputs(&chef).await["seen"], "10.0.0.5:6379", "with {}", chef.name);
    }
}

#[tokio::test]
async fn a_template_reads_what_the_recipe_did_not() {
    let recipe = "
        template \"#{Chef::Config[:file_cache_path]}/conf\" do
          source 'conf.erb'
          variables(port: node['redis']['port'])
        end
        ruby_block 'publish' do
          block { node.default['probe']['seen'] = File.read(\"#{Chef::Config[:file_cache_path]}/conf\").strip }
        end
    ";
    let case = Case::new(recipe)
        .file("cookbooks/probe/templates/conf.erb", "<%= node['redis']['address'] %>:<%= @port %>\n")
        .input("address", "redis/address", Type::STR)
        .input("tcp_port", "redis/port", PORT)
        .output("seen", "probe/seen", Type::STR);
    for chef in chefs() {
        let mut run = case.start(&chef);
        run.agent.give("tcp_port", 6379);
        run.agent.until("get address").await;
        run.agent.give("address", "10.0.0.5");
        assert_eq!(run.outputs(&chef).await["seen"], "10.0.0.5:6379", "with {}", chef.name);
    }
}

#[tokio::test]
async fn an_optional_input_that_is_not_wired_is_an_attribute_like_any_other() {
    let recipe = "node.default['probe']['seen'] = JSON.generate([node['redis']['memory'], node['redis']['limit']])";
    let case = Case::new(recipe)
        .attributes("default['redis']['limit'] = 7")
        .input("address", "redis/address", Type::STR)
        .output("seen", "probe/seen", Type::STR);
    for chef in chefs() {
        let mut run = case.start(&chef);
        assert_eq!(run.outputs(&chef).await["seen"], "[null,7]", "with {}", chef.name);
        assert!(run.agent.log().is_empty());
    }
}

#[tokio::test]
async fn no_input_is_in_the_node_that_is_saved() {
    let recipe = "
        node['redis']['address']
        node['top']
        kept = \"#{ENV['WATTLE_RUN_DIR']}/kept\"
        nodes = Chef::Config[:node_path]
        at_exit { FileUtils.cp_r(nodes, kept) if File.directory?(nodes) }
        ruby_block('reads') { block { node['redis']['secret'] } }
        node.default['redis']['written'] = 'by the recipe'
    ";
    for end in ["", "ruby_block('early') { block { throw :end_client_run_early } }"] {
        let case = Case::new(&format!("{recipe}\n{end}"))
            .input("address", "redis/address", Type::STR)
            .input("secret", "redis/secret", Type::Hidden(Box::new(Type::STR)))
            .input("unread", "alone/unread", Type::STR)
            .input("top", "top", Type::STR);
        for chef in chefs() {
            let mut run = case.start(&chef);
            run.agent.give("address", "10.0.0.5");
            run.agent.give("secret", "hunter2");
            run.agent.give("top", "at the top");
            assert_eq!(run.end().await.is_ok(), end.is_empty(), "with {}", chef.name);
            let kept = run.folder.path().join("kept");
            let Ok(entries) = fs::read_dir(&kept) else {
                assert!(!chef.name.starts_with("the stand-in"), "with {}", chef.name);
                continue;
            };
            for entry in entries {
                let saved = fs::read_to_string(entry.unwrap().path()).unwrap();
                assert!(saved.contains("by the recipe"), "with {}: {saved}", chef.name);
                // What a real Chef saves about the machine contains other addresses.
                let keys: &[&str] =
                    if chef.name.starts_with("the stand-in") { &["\"address\"", "secret", "#<"] } else { &[] };
                for gone in ["10.0.0.5", "hunter2", "at the top", "unread", "alone"].iter().chain(keys) {
                    assert!(!saved.contains(gone), "`{gone}` with {}: {saved}", chef.name);
                }
            }
        }
    }
}
