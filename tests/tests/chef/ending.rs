//! The report of a run's end: by handlers of Chef's events, by the server of local mode, by code that ends the process,
//! and by Ruby for a missing name.

use serde_json::json;
use wattle::model::Type;
use wattle_runtime::space::FailureKind;

use crate::case::{Case, chefs};

#[tokio::test]
async fn what_a_handler_of_the_runs_end_writes_is_published() {
    let recipe = "
        Chef.event_handler do
          on(:converge_complete) { Chef.node.default['probe']['late'] = Chef.node['redis']['address'] }
        end
        Chef.event_handler { on(:run_completed) { Chef.node.default['probe']['last'] = 'completed' } }
        node.default['probe']['held'] = 'held'
    ";
    let case = Case::new(recipe)
        .input("address", "redis/address", Type::STR)
        .output("late", "probe/late", Type::STR)
        .output("last", "probe/last", Type::STR)
        .output("held", "probe/held", Type::STR);
    for chef in chefs() {
        let mut run = case.start(&chef);
        run.agent.give("address", "10.0.0.5");
        let expected = json!({ "late": "10.0.0.5", "last": "completed", "held": "held" });
        assert_eq!(run.outputs(&chef).await, expected, "with {}", chef.name);
    }
}

#[tokio::test]
async fn why_a_run_ended_is_said_in_words() {
    let depends = "name 'probe'\nversion '1.0.0'\ndepends 'nowhere'\n";
    let newer = "name 'probe'\nversion '1.0.0'\ndepends 'beside', '>= 2.0'\n";
    let metadata = "name 'probe'\nversion '1.0.0'\n";
    for (recipe, metadata, why) in [
        ("1", depends, "No such cookbook: nowhere (412 \"Precondition Failed\"): is the cookbook there?"),
        (
            "1",
            newer,
            "Could not satisfy version constraints for: beside (412 \"Precondition Failed\"): the cookbook there has another version",
        ),
        (
            "data_bag_item('users', 'alice')",
            metadata,
            "/data/users/alice (404 \"Not Found\"): is it among the component's files?",
        ),
        (
            "ruby_block('ends') { block { Chef::Application.fatal!('the disk is full', 3) } }",
            metadata,
            "the disk is full",
        ),
        ("Chef::Application.fatal!('the disk is full')", metadata, "the disk is full"),
        ("ruby_block('ends') { block { exit 4 } }", metadata, "the recipe ended Chef by `exit 4`"),
        ("ruby_block('ends') { block { abort 'no disk' } }", metadata, "the recipe ended Chef: no disk"),
        ("abort 'no disk'", metadata, "the recipe ended Chef: no disk"),
        (
            "data_bag_item('users', 'broken')",
            metadata,
            "FFI_Yajl::ParseError: parse error: premature EOF (500 \"Internal Server Error\"): are data bags",
        ),
    ] {
        let case = Case::new(recipe)
            .file("cookbooks/probe/metadata.rb", metadata)
            .file("cookbooks/beside/metadata.rb", "name 'beside'\nversion '1.2.0'\n")
            .file("data_bags/users/broken.json", "{ \"id\": ");
        for chef in chefs() {
            let broken = case.start(&chef).failure(&chef).await;
            assert_eq!(broken.kind, FailureKind::Recipe, "with {}", chef.name);
            assert!(broken.message.contains(why), "with {}: {}", chef.name, broken.message);
            let traces = broken.log.iter().filter(|line| line.to_lowercase().contains("stacktrace"));
            assert_eq!(traces.collect::<Vec<_>>(), [""; 0], "with {}", chef.name);
        }
    }
}

/// For a missing name, Ruby looks for similar ones, and its message shows the receiver with all of its content.
#[tokio::test]
async fn a_name_that_is_not_there_is_named() {
    let template = "template('/tmp/wattle-is-not-written') { source 'probe.erb' }";
    for (recipe, why) in [
        ("Fileutil.cp('a', 'b')", "uninitialized constant"),
        ("ruby_block('breaks') { block { Fileutil.cp('a', 'b') } }", "uninitialized constant"),
        ("ruby_block('breaks') { block { adress } }", "`adress'"),
        (template, "undefined local variable or method `adress' for #<"),
    ] {
        let case = Case::new(recipe).file("cookbooks/probe/templates/probe.erb", "<%= adress %>\n").input(
            "address",
            "redis/address",
            Type::STR,
        );
        for chef in chefs() {
            let mut run = case.start(&chef);
            let broken = run.failure(&chef).await;
            assert!(broken.message.contains(why), "with {}: {}", chef.name, broken.message);
            assert!(broken.message.len() < 250, "with {}: {}", chef.name, broken.message);
            assert_eq!(run.agent.log(), [""; 0], "with {}", chef.name);
        }
    }
}
