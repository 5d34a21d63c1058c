//! How recipes write outputs.

use serde_json::json;
use wattle::model::{Type, Value};

use crate::case::{Case, chefs};

const PORT: Type = Type::integer(0, 65_535);

#[tokio::test]
async fn what_a_resource_writes_is_published_when_it_has_run() {
    let recipe = "
        ruby_block('one') { block { node.default['redis']['one'] = 1 } }
        ruby_block('two') { block { node.override['redis']['two'] = 2; node.default['redis']['two'] = 3 } }
        ruby_block('reads') { block { node['redis']['gate'] } }
        ruby_block('three') { block { node.normal['redis']['deep']['three'] = 3 } }
        ruby_block('notifies') do
          block { node.default['unrelated'] = 1 }
          notifies :run, 'ruby_block[later]', :delayed
        end
        ruby_block('later') do
          block { node.default['redis']['later'] = [{ 'a' => :symbol }] }
          action :nothing
        end
    ";
    let case = Case::new(recipe)
        .input("gate", "redis/gate", PORT)
        .output("one", "redis/one", PORT)
        .output("two", "redis/two", PORT)
        .output("three", "redis/deep/three", PORT)
        .output("later", "redis/later", Type::List(Box::new(Type::Map(Box::new(Type::STR)))));
    for chef in chefs() {
        let mut run = case.start(&chef);
        run.agent.until("get gate").await;
        assert_eq!(run.agent.log(), ["set one 1", "set two 2", "get gate"], "with {}", chef.name);
        run.agent.give("gate", 0);
        let outputs = run.outputs(&chef).await;
        assert_eq!(
            outputs,
            json!({ "one": 1, "two": 2, "three": 3, "later": [{ "a": "symbol" }] }),
            "with {}",
            chef.name
        );
        let log = run.agent.log();
        assert_eq!(log[3..], ["set three 3", "set later [{\"a\":\"symbol\"}]"], "with {}", chef.name);
    }
}

#[tokio::test]
async fn what_is_written_while_compiling_is_held_until_the_end_unless_it_is_early() {
    let recipe = "
        node.default['redis']['held'] = 'held'
        node.default['redis']['early'] = 'early'
        node.default['redis']['replaced'] = 'while compiling'
        ruby_block('reads') { block { node['redis']['gate'] } }
        ruby_block('replaces') { block { node.default['redis']['replaced'] = 'by a resource' } }
    ";
    let case = Case::new(recipe)
        .attributes("default['redis']['file'] = 'an attribute file'\ndefault['redis']['early_file'] = 'early'")
        .input("gate", "redis/gate", PORT)
        .output("held", "redis/held", Type::STR)
        .output("file", "redis/file", Type::STR)
        .output("replaced", "redis/replaced", Type::STR)
        .early("early", "redis/early", Type::STR)
        .early("early_file", "redis/early_file", Type::STR);
    for chef in chefs() {
        let mut run = case.start(&chef);
        run.agent.until("get gate").await;
        let early = ["set early \"early\"", "set early_file \"early\"", "get gate"];
        assert_eq!(run.agent.log(), early, "with {}", chef.name);
        run.agent.give("gate", 0);
        let outputs = json!({
            "held": "held",
            "file": "an attribute file",
            "replaced": "by a resource",
            "early": "early",
            "early_file": "early",
        });
        assert_eq!(run.outputs(&chef).await, outputs, "with {}", chef.name);
        // The agent publishes held values after the run has succeeded.
        assert_eq!(run.agent.log()[3..], ["set replaced \"by a resource\""], "with {}", chef.name);
    }
}

#[tokio::test]
async fn what_a_run_publishes_reaches_another_while_both_run() {
    let left = "
        ruby_block 'exchange' do
          block do
            node.default['left']['hello'] = 'from left'
            node.default['left']['answer'] = \"left heard #{node['left']['heard']}\"
          end
        end
    ";
    let right = "
        ruby_block 'exchange' do
          block do
            heard = node['right']['heard']
            node.default['right']['hello'] = 'from right'
            node['right']['more']
            node.default['right']['answer'] = \"right heard #{heard}\"
          end
        end
    ";
    let left = Case::new(left).input("heard", "left/heard", Type::STR).output("hello", "left/hello", Type::STR).output(
        "answer",
        "left/answer",
        Type::STR,
    );
    let right = Case::new(right)
        .input("heard", "right/heard", Type::STR)
        .input("more", "right/more", Type::STR)
        .output("hello", "right/hello", Type::STR)
        .output("answer", "right/answer", Type::STR);
    for chef in chefs() {
        let (mut left, mut right) = (left.start(&chef), right.start(&chef));
        left.agent.until("set hello \"from left\"").await;
        right.agent.give("heard", "from left");
        right.agent.until("set hello \"from right\"").await;
        left.agent.give("heard", "from right");
        let outputs = left.outputs(&chef).await;
        assert_eq!(outputs["answer"], "left heard from right", "with {}", chef.name);
        right.agent.give("more", Value::from("left has ended"));
        assert_eq!(right.outputs(&chef).await["answer"], "right heard from left", "with {}", chef.name);
    }
}

#[tokio::test]
async fn a_value_that_is_only_worked_out_when_read_is_worked_out_at_the_end() {
    let recipe = "
        # Chef 16 knows no such attributes.
        later = ->(&block) { Chef::VERSION.to_i >= 17 ? Chef::DelayedEvaluator.new(&block) : block.call }
        node.default['redis']['lazy'] = later.call { \"port #{node['redis']['port']}\" }
        node.default['lazy'] = later.call { \"port #{node['redis']['port']}\" }
        ruby_block('writes') { block { node.default['redis']['one'] = 1 } }
    ";
    let case = Case::new(recipe)
        .input("tcp_port", "redis/port", PORT)
        .output("lazy", "redis/lazy", Type::STR)
        .output("top", "lazy", Type::STR)
        .output("one", "redis/one", PORT);
    for chef in chefs() {
        let mut run = case.start(&chef);
        run.agent.give("tcp_port", 6379);
        let outputs = json!({ "lazy": "port 6379", "top": "port 6379", "one": 1 });
        assert_eq!(run.outputs(&chef).await, outputs, "with {}", chef.name);
        let mut log = run.agent.log();
        // Chef 16 has no such attributes, so its order differs. The version of a real Chef is not known.
        if !chef.name.ends_with("Chef 17") && !chef.name.ends_with("Chef 18") {
            log.sort_by(|one, other| other.cmp(one));
        }
        assert_eq!(log, ["set one 1", "get tcp_port"], "with {}", chef.name);
    }
}

#[tokio::test]
async fn a_change_after_publishing_is_reported_in_the_log_and_changes_nothing() {
    let recipe = "
        ruby_block('one') { block { node.default['redis']['one'] = 1 } }
        ruby_block('two') { block { node.default['redis']['one'] = 2 } }
    ";
    let case = Case::new(recipe).output("one", "redis/one", PORT);
    for chef in chefs() {
        let mut run = case.start(&chef);
        assert_eq!(run.outputs(&chef).await, json!({ "one": 1 }), "with {}", chef.name);
        assert_eq!(run.agent.log(), ["set one 1"], "with {}", chef.name);
    }
}
