//! A server has obtained data encrypted for another one, and tries to make that one decrypt them.

use std::sync::Arc;
use std::time::Duration;

use wattle::author::Topology;
use wattle::model::Value;
use wattle_runtime::seed::apply;
use wattle_runtime::space::{Content, Place, Revision, Space, State, Written, seal_entry};
use wattle_tests::random::Anything;
use wattle_tests::zookeeper::ZooKeeper;

use crate::agents::Db;
use crate::{Stack, server_of};

const SECRET: &str = "correct horse battery staple";

/// `reads` reads a secret of `db`. `shows` reads a text of `evil`, and `takes` reads another secret of it.
fn wired(t: &mut Topology) {
    let [db, evil, reads, shows, takes] = ["db", "evil", "reads", "shows", "takes"].map(|name| server_of(t, name));
    let db = t.on(db).run("part", Anything::new());
    let evil = t.on(evil).run("part", Anything::new());
    t.on(reads).run("part", Anything::new().password(db.token));
    // Both also read the secret that `db` encrypts for `reads`, so their keys decrypt it, too.
    t.on(shows).run("part", Anything::new().texts([evil.text]));
    t.on(shows).run("reads", Anything::new().password(db.token));
    t.on(takes).run("part", Anything::new().password(evil.token));
    t.on(takes).run("reads", Anything::new().password(db.token));
}

/// Writes something to an entry of a server, as that server.
async fn put(stack: &Stack, server: &str, entry: &str, revision: &Revision, content: Content) {
    let signer = stack.options.credentials.get(server).expect("it has one").key().signer();
    let space = Space::new(stack.server(server).await, &stack.seed.stack);
    space.overwrite(entry, &Written::new(revision, content), &signer).await.expect("it is its own entry");
}

async fn ended(space: &Space, component: &str) -> State {
    for _ in 0..300 {
        let state = space.status(component).await.expect("reads").map(|status| status.state);
        if let Some(state @ (State::Done | State::Failed(_))) = state {
            return state;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("`{component}` does not end")
}

in_both_stores! {
    a_secret_opens_only_where_it_was_published_and_is_read_as_one: Stack::of("replayed", ZooKeeper::shared(), wired),
}

async fn a_secret_opens_only_where_it_was_published_and_is_read_as_one(stack: Stack) {
    let operator = stack.operator().await;
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let space = Space::new(Arc::clone(&operator), "replayed");
    let plan = space.plan("db").await.expect("reads").expect("a plan");
    let recipients = plan.components["part"].outputs["token"].recipients.clone();
    let place = Place { stack: "replayed", entry: "db/part/token" };
    let sealed = seal_entry(&Value::from(SECRET), &place, recipients.iter().map(String::as_str)).expect("seals");
    let content = || Content::Sealed(sealed.clone());
    put(&stack, "db", "db/part/token", &plan.of(), content()).await;
    put(&stack, "evil", "evil/part/text", &plan.of(), content()).await;
    put(&stack, "evil", "evil/part/token", &plan.of(), content()).await;

    for (server, refused) in [
        ("reads", None),
        ("shows", Some("cannot read `evil/part/text`: it holds a secret, and what reads it here is not secret")),
        ("takes", Some("cannot read `evil/part/token`: the secret was encrypted for another place than this one")),
    ] {
        let mut agent = Db::of(server);
        agent.start(&stack).await;
        let state = ended(&space, &format!("{server}/part")).await;
        let why = if let State::Failed(failure) = &state { Some(&*failure.message) } else { None };
        assert_eq!(why, refused, "{state:?}");
        assert_eq!(agent.ran.count(), usize::from(refused.is_none()), "{server}");
        agent.kill().await;
    }
}
