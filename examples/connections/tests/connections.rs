//! What IBM Connections does once it is deployed: its wiring, tried a hundred times without any of IBM's software.

use ::connections::cognos::Cognos;
use ::connections::connections;
use ::connections::database::{DATABASES, Db2};
use ::connections::install::{Connections, Push};
use ::connections::storage::{Mount, NfsExport};
use ::connections::websphere::{DeploymentManager, Node};
use wattle::testing::{Given, Outputs, Trial};

fn trial(settings: &[&str]) -> Trial {
    Trial::set(connections, settings.iter().copied())
        .parameter("db_password", "for the database")
        .parameter("ldap_password", "for the directory")
        .parameter("was_password", "for the cell")
        .attribute("database.server", "networks.network.backbone.0", "10.0.0.5")
        .attribute("cell.manager", "networks.network.backbone.0", "10.0.0.6")
        .fake(|it: Given<Db2>| {
            assert_eq!(it.databases, DATABASES);
            Outputs::<Db2> { jdbc_base: format!("jdbc:db2://{}:{}", it.address, it.port) }
        })
        .fake(|it: Given<NfsExport>| Outputs::<NfsExport> { export: format!("{}:{}", it.address, it.directory) })
        .fake(|it: Given<Mount>| Outputs::<Mount> { path: it.directory.clone() })
        .fake(|it: Given<DeploymentManager>| {
            assert_eq!(it.admin_password, "for the cell");
            Outputs::<DeploymentManager> { host: it.address, soap_port: 8879 }
        })
        .fake(|it: Given<Node>| Outputs::<Node> { member: it.node_name.clone() })
        .fake(|it: Given<Connections>| Outputs::<Connections> { cluster: format!("{}-cluster", it.cell) })
        .fake(|it: Given<Push>| Outputs::<Push> {
            plugin_config: format!("<!-- {} -->", it.nodes.join(" ")),
            applications: vec!["Activities".into(), "Wikis".into()],
        })
        // The outputs of the other components do not matter here.
        .made_up()
}

#[test]
fn everything_comes_up_whoever_is_first() {
    trial(&["nodes=3"]).schedules(0..100, |run| {
        run.succeeded();
        let install = run.component("cell.manager/connections");
        install.started_after("database.server/db2").started_after("cell.node3/node");
        let inputs = install.inputs::<Connections>();
        assert_eq!(inputs.jdbc_base, "jdbc:db2://10.0.0.5:50000");
        assert_eq!(inputs.database_password, "for the database");
        assert_eq!(inputs.nodes, ["node1", "node2", "node3"]);
        assert_eq!(run.export::<Vec<String>>("applications"), ["Activities", "Wikis"]);
    });
}

#[test]
fn nodes_join_the_cell_one_at_a_time() {
    let run = trial(&["nodes=3"]).run();
    let node = |n: u8| run.component(&format!("cell.node{n}/node"));
    node(1).waits_for("cell.manager/dmgr");
    node(2).waits_for("cell.node1/node");
    node(3).waits_for("cell.node2/node");
    assert_eq!(node(3).inputs::<Node>().dmgr_host.to_string(), "10.0.0.6");
    assert_eq!(node(3).inputs::<Node>().dmgr_soap_port, 8879);
}

#[test]
fn applications_run_only_where_they_were_pushed() {
    let run = trial(&["nodes=2"]).run();
    run.component("web.server/ihs").waits_for("cell.manager/push");
    run.component("cell.manager/push").waits_for("cell.manager/connections");
    run.component("cell.manager/connections").does_not_wait_for("web.server/ihs");
    assert_eq!(run.component("web.server/ihs").input::<String>("plugin_config"), "<!-- node1 node2 -->");
}

#[test]
fn cognos_is_there_if_it_is_asked_for() {
    let without = trial(&[]).run();
    assert_eq!(without.components_of::<Cognos>().count(), 0);
    assert!(without.component("cell.manager/connections").inputs::<Connections>().cognos_url.is_none());

    let with = trial(&["cognos=true"]).run();
    let url = with.component("cognos.server/cognos").outputs::<Cognos>().url;
    assert_eq!(with.component("cell.manager/connections").inputs::<Connections>().cognos_url, Some(url));
}

#[test]
fn without_a_database_nothing_is_installed_and_the_cell_stands_all_the_same() {
    let run = trial(&[]).failing("database.server/db2", "there is no installer in /opt/installers").run();
    run.component("cell.node2/node").succeeded();
    run.component("cell.manager/connections").never_started().failed_because_of("database.server/db2");
    run.component("web.server/ihs").failed_because_of("database.server/db2");
}

#[test]
fn a_recipe_that_is_run_again_does_no_harm() {
    let run = trial(&[]).agent_dies_during("database.server/db2").run();
    run.succeeded();
    assert_eq!(run.component("database.server/db2").attempts(), 2);
}

#[test]
fn heat_makes_all_servers_at_once() {
    let stack = trial(&["nodes=3"]).stack();
    let servers = stack.resources_of("OS::Nova::Server");
    assert_eq!(servers.len(), 9);
    for server in servers.iter().filter(|server| **server != "storage.server") {
        stack.resource(server).nothing_requires_it();
    }
    assert_eq!(stack.resource("storage.server").property("flavor"), "m1.medium");
}
