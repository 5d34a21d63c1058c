//! Inputs do not change, whatever a recipe or Ohai does to the node.

use serde_json::json;
use wattle::model::Type;

use crate::case::{Case, chefs};

const PORT: Type = Type::integer(0, 65_535);

#[tokio::test]
async fn a_recipe_may_save_its_node_and_goes_on_as_before() {
    let save = "
        node.save
        saved << File.read(Dir.glob(\"#{Chef::Config[:node_path]}/*.json\").first)
        saved << node.to_json
    ";
    let recipe = "
        saved = []
        node.default['redis']['before'] = \"x#{node['redis']['port']}\"
        SAVE
        node.default['redis']['compiled'] = 'compiled'
        ruby_block('writes') { block { node.default['redis']['one'] = 1 } }
        ruby_block('saves') { block { SAVE } }
        ruby_block('reads') do
          block do
            node.default['redis']['two'] = node['redis']['port'] + 1
            node.default['probe']['again'] = node['redis']['address']
            leaks = %w[10.0.0.5 hunter2 #<input secret].select { |word| saved.any? { |text| text.include?(word) } }
            node.default['probe']['leaks'] = leaks.join(' ')
            node.default['probe']['last'] = node['redis']['secret'] == 'hunter2'
          end
        end
    ";
    let case = Case::new(&recipe.replace("SAVE", save))
        .input("address", "redis/address", Type::STR)
        .input("tcp_port", "redis/port", PORT)
        .input("secret", "redis/secret", Type::Hidden(Box::new(Type::STR)))
        .output("before", "redis/before", Type::STR)
        .output("compiled", "redis/compiled", Type::STR)
        .output("one", "redis/one", PORT)
        .output("two", "redis/two", PORT)
        .output("again", "probe/again", Type::STR)
        .output("leaks", "probe/leaks", Type::STR)
        .output("last", "probe/last", Type::BOOLEAN);
    for chef in chefs() {
        let mut run = case.start(&chef);
        run.agent.give("tcp_port", 6379);
        run.agent.until("get address").await;
        assert_eq!(
            run.agent.log(),
            ["get tcp_port", "set one 1", "set two 6380", "get address"],
            "with {}: saving reads nothing",
            chef.name
        );
        run.agent.give("address", "10.0.0.5");
        run.agent.give("secret", "hunter2");
        let expected = json!({
            "before": "x6379", "compiled": "compiled", "one": 1, "two": 6380, "again": "10.0.0.5", "leaks": "", "last": true,
        });
        assert_eq!(run.outputs(&chef).await, expected, "with {}", chef.name);
    }
}

/// Ohai's data replaces whole keys; when a cookbook adds a plugin, it is merged instead.
#[tokio::test]
async fn what_ohai_says_again_leaves_inputs_as_they_are() {
    let recipe = "
        node.consume_ohai_data('ipaddress' => '192.0.2.7', 'network' => { 'plugin' => 1 }, 'platform' => { 'x' => 1 })
        node.default['seen']['compiled'] = [node['ipaddress'], node['network']['fabric'], node['network']['plugin']].join(' ')
        ohai('again') { action :reload }
        ruby_block('reads') do
          block do
            seen = [node['ipaddress'], node['network']['fabric'], node['network'].key?('interfaces'), node['platform']['kind']]
            node.default['seen']['converged'] = seen.join(' ')
          end
        end
    ";
    let case = Case::new(recipe)
        .input("address", "ipaddress", Type::STR)
        .input("fabric", "network/fabric", Type::STR)
        .input("kind", "platform/kind", Type::STR)
        .output("compiled", "seen/compiled", Type::STR)
        .output("converged", "seen/converged", Type::STR);
    for chef in chefs() {
        let mut run = case.start(&chef);
        for (name, value) in [("address", "10.0.0.5"), ("fabric", "blue"), ("kind", "deep")] {
            run.agent.give(name, value);
        }
        let expected = json!({ "compiled": "10.0.0.5 blue 1", "converged": "10.0.0.5 blue true deep" });
        assert_eq!(run.outputs(&chef).await, expected, "with {}", chef.name);
    }
}

#[tokio::test]
async fn what_a_recipe_writes_at_an_inputs_place_is_not_read() {
    let writes = [
        "node.automatic['redis']['address'] = 'mine'",
        "node.automatic['redis'] = { 'address' => 'mine', 'more' => 1 }",
        "node.automatic['redis'] = 'mine'",
        "node.automatic['redis'].delete('address')",
        "node.automatic.delete('redis')",
        "node.automatic.merge!('redis' => { 'address' => 'mine' })",
        "node.automatic['redis'].merge!('address' => 'mine')",
        "node.automatic['redis'].clear",
        "node.automatic = { 'redis' => nil }",
        "node.write(:automatic, 'redis', 'address', 'mine')",
        "node.override['redis']['address'] = 'mine'",
        "node.force_override['redis'] = 'mine'",
    ];
    let lines: String = writes
        .iter()
        .map(|write| {
            format!(
                "{write}\nseen << [node.attribute?('redis'), node['redis']['address'], node['redis'].key?('address')]\n"
            )
        })
        .collect();
    let recipe = format!("seen = []\n{lines}node.default['probe']['seen'] = JSON.generate(seen)");
    let case = Case::new(&recipe).input("address", "redis/address", Type::STR).output("seen", "probe/seen", Type::STR);
    for chef in chefs() {
        let mut run = case.start(&chef);
        run.agent.give("address", "10.0.0.5");
        let expected = vec![json!([true, "10.0.0.5", true]); writes.len()];
        assert_eq!(run.outputs(&chef).await["seen"], json!(expected).to_string(), "with {}", chef.name);
        assert_eq!(run.agent.log(), ["get address"], "with {}", chef.name);
    }
}

#[tokio::test]
async fn the_node_as_it_is_shown_holds_no_input() {
    let recipe = "
        node['redis']['address']
        shown = [JSON.generate(node.display_hash), node.to_json, JSON.generate(node.for_json)]
        node.default['probe']['seen'] = shown.map { |text| [text.include?('10.0.0.5'), text.include?('#<input')] }.flatten.any?
        node.default['probe']['there'] = node.automatic['redis'].key?('address') && node.for_json['automatic'].key?('platform')
    ";
    let case = Case::new(recipe)
        .input("address", "redis/address", Type::STR)
        .output("seen", "probe/seen", Type::BOOLEAN)
        .output("there", "probe/there", Type::BOOLEAN);
    for chef in chefs() {
        let mut run = case.start(&chef);
        run.agent.give("address", "10.0.0.5");
        assert_eq!(run.outputs(&chef).await, json!({ "seen": false, "there": true }), "with {}", chef.name);
    }
}
