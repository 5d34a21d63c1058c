//! What the shop does once it is deployed.

use ::three_tier::{App, Catalogue, Nginx, Postgres, three_tier};
use wattle::prelude::Url;
use wattle::testing::{Given, Outputs, Trial};

fn url(text: impl AsRef<str>) -> Url {
    text.as_ref().parse().expect("a URL")
}

fn trial(apps: usize) -> Trial {
    Trial::set(three_tier, [&*format!("apps={apps}")])
        .parameter("db_password", "sesame")
        .attribute("db", "networks.backbone.0", "10.0.0.5")
        .fake(|it: Given<Postgres>| Outputs::<Postgres> {
            url: url(format!("postgresql://{}@{}:{}/{}", it.user, it.address, it.port, it.database)),
            version: "15.8".into(),
        })
        .fake(|it: Given<Catalogue>| {
            assert_eq!(it.database_password, "sesame");
            Outputs::<Catalogue> { products: 12 }
        })
        .fake(|it: Given<App>| Outputs::<App> { url: url(format!("http://{}:{}/", it.address, it.port)) })
        .fake(|it: Given<Nginx>| Outputs::<Nginx> { url: url(format!("http://{}:{}/", it.address, it.port)) })
}

#[test]
fn the_database_is_there_before_anybody_asks_it() {
    trial(3).schedules(0..100, |run| {
        run.succeeded();
        for app in ["app1/app", "app2/app", "app3/app"] {
            // Besides the server, the app needs the table, which is none of its inputs.
            run.component(app).waits_for("db/postgres").waits_for("db/catalogue").started_after("db/catalogue");
            let inputs = run.component(app).inputs::<App>();
            assert_eq!(inputs.database_url.as_str(), "postgresql://shop@10.0.0.5:5432/shop");
        }
        run.component("web/nginx").started_after("app1/app").started_after("app2/app").started_after("app3/app");
    });
}

#[test]
fn app_servers_do_not_wait_for_each_other() {
    let run = trial(2).run();
    run.component("app1/app").does_not_wait_for("app2/app");
    run.component("app2/app").does_not_wait_for("app1/app");
}

#[test]
fn nginx_knows_every_app_server() {
    let run = trial(5).run();
    let backends = run.component("web/nginx").inputs::<Nginx>().backends;
    let apps: Vec<Url> = run.components_of::<App>().map(|app| app.outputs::<App>().url).collect();
    assert_eq!(apps.len(), 5);
    assert_eq!(backends, apps);
}

#[test]
fn an_app_server_that_fails_keeps_nginx_from_starting() {
    let run = trial(2)
        .fake_of("app2/app", |it: Given<App>| {
            if it.port == 8080 {
                return Err("the port is taken".into());
            }
            Ok(Outputs::<App> { url: url(format!("http://{}:{}/", it.address, it.port)) })
        })
        .run();
    run.component("app2/app").failed();
    run.component("app1/app").succeeded();
    run.component("web/nginx").never_started().failed_because_of("app2/app");
    assert_eq!(run.export::<u32>("products"), 12);
}

#[test]
fn one_more_app_server_replaces_nothing() {
    let change = trial(3).plan_from(&trial(2));
    change.replaces_nothing().leaves_alone("db/postgres").leaves_alone("app1/app").runs_again("web/nginx");
    trial(3).plan_from(&trial(3)).changes_nothing();
}

#[test]
fn a_database_that_never_boots_is_named() {
    let run = trial(2).never_boots("db").run();
    let failure = run.component("app1/app").failure().expect("it waits in vain");
    assert!(failure.message.contains("no agent of server `db` has come up"), "{failure}");
}
