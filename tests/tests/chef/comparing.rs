//! Operations of Ruby itself on a hash that contains inputs: comparing, printing and copying it. Also direct reads of a
//! precedence level.

use std::fmt::Write as _;

use serde_json::json;
use wattle::model::Type;

use crate::case::{Case, chefs};

const PORT: Type = Type::integer(0, 65_535);

/// Operations on `g`, and their results. `g` is `node[name]`; it contains `host`, `flag`, and `net` with a `port` and
/// an attribute `log`.
fn ways() -> Vec<(&'static str, serde_json::Value)> {
    let net = || json!({ "log": 1, "port": 6379 });
    vec![
        ("g['net'] == NET", json!(true)),
        ("NET == g['net']", json!(true)),
        ("g['net'] != NET", json!(false)),
        ("g['net'].eql?(NET)", json!(true)),
        ("NET.eql?(g['net'])", json!(true)),
        ("g['net'].hash == NET.hash", json!(true)),
        ("{ g['net'] => 1 }[NET]", json!(1)),
        ("g['net'] <= NET.merge('x' => 1)", json!(true)),
        ("g['net'] > { 'port' => 6379 }", json!(true)),
        ("{ 'port' => 6379 } <= g['net']", json!(true)),
        ("[NET].include?(g['net'])", json!(true)),
        ("[g['net']].include?(NET)", json!(true)),
        ("[1, g['net']].index(NET)", json!(1)),
        ("[g['net']] == [NET]", json!(true)),
        ("{ 'a' => NET } == { 'a' => g['net'] }", json!(true)),
        ("[g['net'], NET].uniq.length", json!(1)),
        ("case g['net'] when NET then 1 else 2 end", json!(1)),
        ("\"#{g['net']}\" == NET.to_s", json!(true)),
        ("g['net'].inspect == NET.inspect", json!(true)),
        ("g.to_s.include?('6379') && g.to_s.include?('ten')", json!(true)),
        ("'%{host}' % g", json!("ten")),
        ("{ 'x' => 1 }.merge(g['net'])", json!({ "x": 1, "log": 1, "port": 6379 })),
        ("{ 'x' => 1 }.merge!(g['net'])['port'].class.name", json!("Integer")),
        ("{}.update(g['net'])['port'].class.name", json!("Integer")),
        ("{}.replace(g['net'])['port'].class.name", json!("Integer")),
        ("Hash[g['net']]['port'].class.name", json!("Integer")),
        ("{}.merge(g)['flag'] ? 1 : 2", json!(2)),
        ("g['net'].each_entry.to_a.length", json!(2)),
        ("g['net'].freeze['port']", json!(6379)),
        ("{ 'x' => 1, **g['net'] }['port'] + 1", json!(6380)),
        ("{ **g['net'] }['port'] == 6379", json!(true)),
        ("6379 == { **g['net'] }['port']", json!(true)),
        ("'ten' == { **g }['host']", json!(true)),
        ("'x' + { **g }['host']", json!("xten")),
        ("\"#{{ **g }['host']}\"", json!("ten")),
        ("{ **g }['host'][0]", json!("t")),
        ("{ **g }['host'].upcase.empty?", json!(false)),
        ("!{ **g }['flag']", json!(true)),
        ("{ **g['net'] }", net()),
        ("{ **g }['host'].is_a?(String) && { **g }['host'].instance_of?(String)", json!(true)),
        ("{ **g }['host'].class.name", json!("String")),
        ("({ **g }['host'].dup << 'x') + g['host']", json!("tenxten")),
        ("node.merged_attributes(name, 'flag') ? 1 : 2", json!(2)),
        ("node.merged_attributes(name, 'net', 'port').class.name", json!("Integer")),
        ("node.merged_attributes(name, 'net')", net()),
    ]
}

/// Operations on `l`, the precedence level itself, and their results.
fn level_ways() -> Vec<(&'static str, serde_json::Value)> {
    vec![
        ("l['flag'] ? 1 : 2", json!(2)),
        ("l[:flag] ? 1 : 2", json!(2)),
        ("l.fetch('flag') ? 1 : 2", json!(2)),
        ("l.fetch(:flag, true) ? 1 : 2", json!(2)),
        ("l.fetch('none', 3)", json!(3)),
        ("l.fetch_values('host', 'flag')", json!(["ten", false])),
        ("l.values_at('host', 'flag')", json!(["ten", false])),
        ("l.read('flag') ? 1 : 2", json!(2)),
        ("node.automatic.dig(name, 'flag') ? 1 : 2", json!(2)),
        ("node.automatic.read!(name, 'net', 'port').class.name", json!("Integer")),
        ("l.values.include?(false)", json!(true)),
        ("l.map { |_, item| item ? 1 : 2 }.sort", json!([1, 1, 2])),
        ("l.each { |key, item| break item ? 1 : 2 if key == 'flag' }", json!(2)),
        ("l.select { |_, item| item == false }", json!({ "flag": false })),
        ("l.to_h['flag'] ? 1 : 2", json!(2)),
        ("l.dup['flag'] ? 1 : 2", json!(2)),
        ("l.merge('x' => 1)['flag'] ? 1 : 2", json!(2)),
        ("{}.merge(l)['flag'] ? 1 : 2", json!(2)),
        ("{}.update(l)['host'].class.name", json!("String")),
        ("Hash[l]['flag'] ? 1 : 2", json!(2)),
        ("Mash.new(l)['flag'] ? 1 : 2", json!(2)),
        ("l['net'] == { 'port' => 6379 }", json!(true)),
        ("{ 'port' => 6379 } == l['net']", json!(true)),
        ("l['net'] <= NET", json!(true)),
        ("l['net'].to_s == { 'port' => 6379 }.to_s", json!(true)),
        ("JSON.parse(l['net'].to_json)", json!({ "port": 6379 })),
        ("l['net'].key?('port') && l['net'].keys", json!(["port"])),
        ("node.default['copy'] = l; node['copy']['flag'] ? 1 : 2", json!(2)),
        ("node.default['copied'].update(l); node.default['copied']['flag'] ? 1 : 2", json!(2)),
        // The level keeps its content when it is read, and when another level is written.
        ("l['flag']; l.to_h; node.default[name]['x'] = 1; g['flag'] ? 1 : 2", json!(2)),
    ]
}

#[tokio::test]
async fn what_ruby_compares_prints_and_copies_are_the_values() {
    values(&ways()).await;
}

#[tokio::test]
async fn who_reads_a_level_by_itself_reads_values() {
    values(&level_ways()).await;
}

async fn values(ways: &[(&str, serde_json::Value)]) {
    let mut attributes = String::new();
    let mut recipe = String::from("NET = { 'log' => 1, 'port' => 6379 }.freeze\nseen = []\n");
    let mut case = Case::default();
    for (index, (way, _)) in ways.iter().enumerate() {
        let _ = writeln!(attributes, "default['g{index}']['net']['log'] = 1");
        let _ =
            writeln!(recipe, "name = 'g{index}'\ng = node[name]\nl = node.automatic[name]\nseen << begin; {way}; end");
        case = case
            .input(&format!("host{index}"), &format!("g{index}/host"), Type::STR)
            .input(&format!("flag{index}"), &format!("g{index}/flag"), Type::BOOLEAN)
            .input(&format!("port{index}"), &format!("g{index}/net/port"), PORT);
    }
    recipe += "node.default['probe']['seen'] = JSON.generate(seen)\n";
    let case = case.with_recipe(&recipe).attributes(&attributes).output("seen", "probe/seen", Type::STR);
    for chef in chefs() {
        let mut run = case.start(&chef);
        for index in 0..ways.len() {
            run.agent.give(&format!("host{index}"), "ten");
            run.agent.give(&format!("flag{index}"), false);
            run.agent.give(&format!("port{index}"), 6379);
        }
        let outputs = run.outputs(&chef).await;
        let seen: Vec<serde_json::Value> = serde_json::from_str(outputs["seen"].as_str().unwrap()).unwrap();
        for ((way, expected), seen) in ways.iter().zip(&seen) {
            assert_eq!(seen, expected, "`{way}` with {}", chef.name);
        }
        assert_eq!(seen.len(), ways.len());
    }
}

/// Ruby's message about a mistake would show the hash with its inputs. It comes at once nevertheless, and requests none
/// of them.
#[tokio::test]
async fn a_message_waits_for_no_input() {
    let case = Case::new("node['redis'].nothing_of_the_kind").input("address", "redis/address", Type::STR);
    for chef in chefs() {
        let mut run = case.start(&chef);
        let broken = run.failure(&chef).await;
        assert!(broken.message.contains("nothing_of_the_kind"), "with {}: {}", chef.name, broken.message);
        assert_eq!(run.agent.log(), [""; 0], "with {}", chef.name);
    }
}
