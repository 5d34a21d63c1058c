//! How runs fail.

use std::ffi::OsString;
use std::time::Duration;

use serde_json::json;
use wattle::model::Type;
use wattle_agent_core::time::Time;
use wattle_runtime::space::{Failure, FailureKind, Script};

use crate::case::{Case, chefs, stand_ins};

const PORT: Type = Type::integer(0, 65_535);

fn failure() -> Failure {
    Failure {
        component: "db/postgres".into(),
        kind: FailureKind::Recipe,
        message: "no space left on device".to_owned(),
        log: Vec::new(),
        at: Time::EPOCH,
        through: vec!["app/backend".into()],
    }
}

#[tokio::test]
async fn the_failure_of_an_input_is_passed_on() {
    let compiling = "node['redis']['address']";
    let converging = "ruby_block('reads') { block { node['redis']['address'] } }";
    let template = "
        template(\"#{Chef::Config[:file_cache_path]}/conf\") { source 'conf.erb' }
    ";
    for recipe in [compiling, converging, template] {
        let case = Case::new(recipe)
            .file("cookbooks/probe/templates/conf.erb", "<%= node['redis']['address'] %>\n")
            .input("address", "redis/address", Type::STR);
        for chef in chefs() {
            let mut run = case.start(&chef);
            run.agent.until("get address").await;
            run.agent.fail("address", failure());
            let broken = run.failure(&chef).await;
            assert_eq!(broken.kind, FailureKind::Input, "with {}", chef.name);
            assert_eq!(broken.message, "db/postgres: no space left on device", "with {}", chef.name);
            assert_eq!(broken.cause, Some(Box::new(failure())), "with {}", chef.name);
        }
    }
}

#[tokio::test]
async fn a_recipe_may_live_with_the_failure_of_an_input() {
    let recipe = "
        begin
          node['redis']['address']
        rescue StandardError => e
          node.default['probe']['seen'] = e.message
        end
    ";
    let case = Case::new(recipe).input("address", "redis/address", Type::STR).output("seen", "probe/seen", Type::STR);
    for chef in chefs() {
        let mut run = case.start(&chef);
        run.agent.fail("address", failure());
        let seen = json!({ "seen": "db/postgres: no space left on device" });
        assert_eq!(run.outputs(&chef).await, seen, "with {}", chef.name);
    }
}

#[tokio::test]
async fn a_recipe_that_fails_says_why() {
    for (recipe, why) in [
        ("raise 'while compiling'", "while compiling"),
        ("nothing_of_the_kind 'x'", "nothing_of_the_kind"),
        ("ruby_block('breaks') { block { raise 'while converging' } }", "while converging"),
        ("execute 'breaks' do\n command 'echo on the way; exit 3'\n end", "received '3'"),
    ] {
        let case = Case::new(recipe).output("one", "redis/one", PORT);
        for chef in chefs() {
            let broken = case.start(&chef).failure(&chef).await;
            assert_eq!(broken.kind, FailureKind::Recipe, "with {}", chef.name);
            assert!(broken.message.contains(why), "with {}: {}", chef.name, broken.message);
            assert!(!broken.message.contains('\n'), "with {}: {}", chef.name, broken.message);
            assert_eq!(broken.cause, None);
            assert!(broken.log.iter().any(|line| line.contains(why)), "with {}: {:?}", chef.name, broken.log);
        }
    }
}

#[tokio::test]
async fn a_value_of_another_type_is_refused() {
    let while_running = "ruby_block('writes') { block { node.default['redis']['one'] = 'many' } }";
    for recipe in [while_running, "node.default['redis']['one'] = 'many'"] {
        let case = Case::new(recipe).output("one", "redis/one", PORT);
        for chef in chefs() {
            let broken = case.start(&chef).failure(&chef).await;
            assert_eq!(broken.kind, FailureKind::Type, "with {}", chef.name);
            assert!(broken.message.contains("output `one`"), "with {}: {}", chef.name, broken.message);
        }
    }
}

#[tokio::test]
async fn an_output_that_was_never_written_is_missing() {
    let recipe = "node.default['redis']['nothing'] = nil";
    let case = Case::new(recipe).output("nothing", "redis/nothing", PORT).output("other", "redis/net/other", PORT);
    for chef in chefs() {
        let broken = case.start(&chef).failure(&chef).await;
        assert_eq!(broken.kind, FailureKind::Unwritten, "with {}", chef.name);
        for name in ["nothing", "other"] {
            assert!(broken.message.contains(&format!("`{name}`")), "with {}: {}", chef.name, broken.message);
        }
    }
}

#[tokio::test]
async fn waiting_for_inputs_does_not_count_but_running_does() {
    let case = Case::new("node['redis']['address']\nruby_block('hangs') { block { sleep 600 } }")
        .input("address", "redis/address", Type::STR)
        .deadline(Duration::from_secs(8));
    let chefs = stand_ins();
    let mut runs: Vec<_> = chefs.iter().map(|chef| case.start(chef)).collect();
    for run in &runs {
        run.agent.until("get address").await;
    }
    tokio::time::sleep(Duration::from_secs(9)).await;
    for (chef, run) in chefs.iter().zip(&runs) {
        assert!(!run.is_over(), "with {}", chef.name);
        run.agent.give("address", "10.0.0.5");
    }
    for (chef, run) in chefs.iter().zip(&mut runs) {
        assert_eq!(run.failure(chef).await.kind, FailureKind::Deadline, "with {}", chef.name);
    }
}

#[tokio::test]
async fn secrets_that_arrive_while_it_runs_are_masked() {
    let recipe = "
        ruby_block 'tells' do
          block do
            password = node['redis']['password']
            at_exit { puts \"the password is #{password}\" }
            raise \"cannot log in with #{node['redis']['password']}\"
          end
        end
    ";
    let secret = Type::Hidden(Box::new(Type::STR));
    let case = Case::new(recipe).input("password", "redis/password", secret);
    for chef in chefs() {
        let mut run = case.start(&chef);
        run.agent.give("password", "hunter2hunter2");
        let broken = run.failure(&chef).await;
        assert!(broken.message.contains("cannot log in with ***"), "with {}: {}", chef.name, broken.message);
        assert!(broken.log.iter().any(|line| line.contains("the password is ***")), "{:?}", broken.log);
        assert!(!format!("{broken:?}").contains("hunter2"), "with {}: {broken:?}", chef.name);
    }
}

#[tokio::test]
async fn where_there_is_no_chef_it_is_said_how_to_get_it() {
    let mut run = Case::new("").start_script(&OsString::from("/nonexistent"), Script::Recipe);
    let broken = run.end().await.unwrap_err();
    assert_eq!(broken.kind, FailureKind::Start);
    assert!(broken.message.contains("chef-solo") && broken.message.contains("Cinc"), "{}", broken.message);
}

#[tokio::test]
async fn a_teardown_is_a_run_of_its_own_recipe_without_outputs() {
    let case = Case::new("raise 'not this one'")
        .teardown("ruby_block('removes') { block { raise 'no' unless node['redis']['address'] == '10.0.0.5' } }")
        .input("address", "redis/address", Type::STR)
        .output("one", "redis/one", PORT);
    for chef in chefs() {
        let mut run = case.start_script(&chef.path(), Script::Teardown);
        run.agent.give("address", "10.0.0.5");
        assert_eq!(run.outputs(&chef).await, json!({}), "with {}", chef.name);
    }
}
