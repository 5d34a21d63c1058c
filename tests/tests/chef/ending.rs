//! How a run's end is told: by handlers of Chef's events, by the server of local mode, and by who ends the process.

use serde_json::json;
use wattle::model::Type;
use wattle_runtime::space::Kind;

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
    let metadata = "name 'probe'\nversion '1.0.0'\n";
    for (recipe, metadata, why) in [
        ("1", depends, "No such cookbook: nowhere (412 \"Precondition Failed\"): does the cookbook travel along?"),
        ("data_bag_item('users', 'alice')", metadata, "/data/users/alice (404 \"Not Found\"): does it travel along?"),
        (
            "ruby_block('ends') { block { Chef::Application.fatal!('the disk is full', 3) } }",
            metadata,
            "the disk is full",
        ),
        ("Chef::Application.fatal!('the disk is full')", metadata, "the disk is full"),
        ("ruby_block('ends') { block { exit 4 } }", metadata, "the recipe ended Chef by `exit 4`"),
    ] {
        let case = Case::new(recipe).file("cookbooks/probe/metadata.rb", metadata);
        for chef in chefs() {
            let broken = case.start(&chef).failure(&chef).await;
            assert_eq!(broken.kind, Kind::Recipe, "with {}", chef.name);
            assert!(broken.message.contains(why), "with {}: {}", chef.name, broken.message);
            let traces = broken.log.iter().filter(|line| line.to_lowercase().contains("stacktrace"));
            assert_eq!(traces.collect::<Vec<_>>(), [""; 0], "with {}", chef.name);
        }
    }
}
