//! PostgreSQL and a replica.

use wattle::author::Blueprint as _;
use wattle::prelude::*;
use wattle_catalog::parts::postgresql::{Primary, Replica};
use wattle_tests::running::eventually;

use crate::stage::{Judges, can_run, client, down, heat_takes, network, server, up, value};

/// Chosen when the stack is deployed.
#[derive(Parameters)]
pub(crate) struct Settings {
    /// Password of the database's owner.
    #[parameter]
    password: Parameter<Secret<String>>,
    /// Password of the replica.
    #[parameter]
    replication_password: Parameter<Secret<String>>,
}

/// A primary and its replica.
#[blueprint]
pub(crate) fn database(t: &mut Topology, p: Settings) -> Exports {
    let network = network(t);
    let (first, address) = server(t, "first", network);
    let primary = Primary::new().address(address).database("shop").user("keeper").password(p.password);
    let primary = t.on(first).run("postgresql", primary.replication_password(p.replication_password));
    let (second, address) = server(t, "second", network);
    let replica = Replica::new().address(address).primary(primary.url).replication_password(p.replication_password);
    let replica = t.on(second).run("postgresql", replica);
    Exports::new().entry("write", primary.url).entry("read", replica.url).entry("version", primary.version)
}

pub(crate) fn heat(judges: &mut Judges) {
    heat_takes(judges, &database.model(Default::default()));
}

#[test]
fn what_is_written_at_the_primary_is_read_at_the_replica() {
    if !can_run("parts: PostgreSQL", &["/usr/lib/postgresql", "/usr/bin/psql", "/usr/bin/jq"]) {
        return;
    }
    let password = "p:a\\ss 'word' $HOME";
    let stage = up(&database.model(Default::default()), password);
    let urls = [value(&stage, "first/postgresql/url"), value(&stage, "second/postgresql/url")];
    let sql = |url: &str, text: &str| {
        client("psql", &[("PGPASSWORD", password)], &[url, "--no-psqlrc", "--quiet", "-At", "-c", text])
    };
    sql(&urls[0], "CREATE TABLE words (word text)");
    sql(&urls[0], "INSERT INTO words VALUES ('wattle')");
    let seen = || sql(&urls[1], "SELECT count(*) FROM pg_tables WHERE tablename = 'words'") == "1";
    eventually("the table arrives", seen);
    eventually("the row arrives", || sql(&urls[1], "SELECT word FROM words") == "wattle");
    assert_eq!(sql(&urls[1], "SELECT pg_is_in_recovery()"), "t");
    assert_eq!(sql(&urls[0], "SELECT pg_is_in_recovery()"), "f");
    down(&stage, &[&urls[0], &urls[1]]);
    assert_eq!(stage.files_with(password), Vec::<String>::new());

    // The next start continues with the existing data.
    let mut again = vec!["up".to_owned(), "--detach".into(), "--until-done".into()];
    for name in ["password", "replication_password"] {
        again.extend(["--parameter".into(), format!("{name}={password}")]);
    }
    let again = stage.run(&again.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(again.code, Some(0), "{again}");
    sql(&urls[0], "INSERT INTO words VALUES ('daub')");
    eventually("the next row arrives", || sql(&urls[1], "SELECT count(*) FROM words") == "2");
    down(&stage, &[&urls[0], &urls[1]]);
}
