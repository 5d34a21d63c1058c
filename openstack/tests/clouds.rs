//! Which cloud the files and variables select.

use std::collections::BTreeMap;

use wattle_openstack::clouds::{Cloud, CloudConfig, CloudError, Domain, Login, Scope, User, places};

fn sources(clouds: &str, secure: &str, environment: &[(&str, &str)]) -> CloudConfig {
    let file = |name: &str, text: &str| (!text.is_empty()).then(|| (name.to_owned(), text.to_owned()));
    let environment = environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    CloudConfig { clouds: file("clouds.yaml", clouds), secure: file("secure.yaml", secure), environment }
}

const TWO: &str = "
clouds:
  prod:
    auth: {auth_url: https://prod.example/identity/v3, username: ann, project_name: shop, user_domain_name: people, project_domain_id: shops}
    region_name: north
    interface: internalURL
    cacert: /etc/ca.pem
  test:
    auth: {auth_url: 'http://test.example:5000', application_credential_id: '42', application_credential_secret: s}
    verify: no
";

#[test]
fn a_cloud_is_read_as_it_is_written() {
    let secure = "clouds: {prod: {auth: {password: 0123}}}";
    let cloud = Cloud::choose(&sources(TWO, secure, &[]), Some("prod")).expect("a cloud");
    assert_eq!(cloud.auth_url, "https://prod.example/identity");
    let Login::Password { user, password } = &cloud.login else { panic!("{cloud:?}") };
    assert_eq!(*user, User::Named("ann".into(), Domain::Named("people".into())));
    assert_eq!(password.reveal(), "0123", "as it is written, and not as YAML counts");
    assert_eq!(cloud.scope, Scope::NamedProject("shop".into(), Domain::Id("shops".into())));
    assert_eq!((cloud.region.as_deref(), cloud.interface.as_str()), (Some("north"), "internal"));
    assert_eq!((cloud.cacert.as_deref(), cloud.verify), (Some("/etc/ca.pem"), true));
    assert!(!format!("{cloud:?}").contains("0123"), "no message shows a password");
    let cloud = Cloud::choose(&sources(TWO, "", &[("OS_CLOUD", "test")]), None).expect("a cloud");
    assert_eq!((cloud.scope, cloud.verify), (Scope::Given, false));
}

#[test]
fn variables_are_a_cloud_as_well() {
    let rc = [
        ("OS_AUTH_URL", "https://cloud.example:5000/v3/"),
        ("OS_USERNAME", "ann"),
        ("OS_PASSWORD", "hush"),
        ("OS_TENANT_NAME", "shop"),
        ("OS_USER_DOMAIN_NAME", "Default"),
        ("OS_REGION_NAME", ""),
    ];
    let cloud = Cloud::choose(&sources(TWO, "", &rc), None).expect("variables");
    assert_eq!((cloud.name.as_str(), cloud.region), ("envvars", None));
    assert_eq!(cloud.scope, Scope::NamedProject("shop".into(), Domain::Id("default".into())));
    let mut named = rc.to_vec();
    named.push(("OS_CLOUD", "test"));
    assert_eq!(Cloud::choose(&sources(TWO, "", &named), None).expect("the named one").name, "test");
}

#[test]
fn what_a_cloud_does_not_say_is_in_the_environment() {
    let env = [
        ("OS_CLOUD", "prod"),
        ("OS_PASSWORD", "hush"),
        ("OS_USER_ID", "u-1"),
        ("OS_PROJECT_ID", "p-1"),
        ("OS_USER_DOMAIN_ID", "d-1"),
        ("OS_REGION_NAME", "south"),
        ("OS_ENDPOINT_TYPE", "admin"),
        ("OS_CACERT", "/elsewhere.pem"),
        ("OS_INSECURE", "true"),
        ("OS_AUTH_TYPE", "v3token"),
        ("OS_TOKEN", "t"),
        ("OS_APPLICATION_CREDENTIAL_ID", "a"),
    ];
    // What the file specifies wins, also under other names.
    let cloud = Cloud::choose(&sources(TWO, "", &env), None).expect("the password is there");
    let Login::Password { user, password } = &cloud.login else { panic!("{cloud:?}") };
    assert_eq!((user, password.reveal()), (&User::Named("ann".into(), Domain::Named("people".into())), "hush"));
    assert_eq!(cloud.scope, Scope::NamedProject("shop".into(), Domain::Id("shops".into())));
    assert_eq!((cloud.name.as_str(), cloud.auth_url.as_str()), ("prod", "https://prod.example/identity"));
    assert_eq!((cloud.region.as_deref(), cloud.interface.as_str()), (Some("north"), "internal"));
    assert_eq!((cloud.cacert.as_deref(), cloud.verify), (Some("/etc/ca.pem"), false));
    let cloud = Cloud::choose(&sources(TWO, "clouds: {prod: {auth: {password: p}}}", &env), None).expect("a cloud");
    assert!(matches!(&cloud.login, Login::Password { password, .. } if password.reveal() == "p"), "{cloud:?}");
    let cloud = Cloud::choose(&sources(TWO, "", &env), Some("test")).expect("a cloud");
    let Login::Application { credential, .. } = &cloud.login else { panic!("{cloud:?}") };
    assert_eq!((credential, cloud.verify), (&Ok("42".into()), false), "no second way to log in");
    assert_eq!((cloud.region.as_deref(), cloud.interface.as_str()), (Some("south"), "admin"));
    // A file that specifies nothing takes everything from the environment.
    let bare = "clouds: {a: {auth: {auth_url: 'http://x'}, verify: /ca.pem, default_domain: d}}";
    let cloud = Cloud::choose(&sources(bare, "", &env[1..9]), Some("a")).expect("a cloud");
    assert_eq!((&cloud.scope, cloud.cacert.as_deref()), (&Scope::Project("p-1".into()), Some("/ca.pem")));
    assert!(matches!(&cloud.login, Login::Password { user: User::Id(id), .. } if id == "u-1"), "{cloud:?}");
    let names =
        [("OS_USERNAME", "ann"), ("OS_PASSWORD", "p"), ("OS_PROJECT_NAME", "q"), ("OS_USER_DOMAIN_NAME", "else")];
    let cloud = Cloud::choose(&sources(bare, "", &names), Some("a")).expect("a cloud");
    let Login::Password { user, .. } = &cloud.login else { panic!("{cloud:?}") };
    assert_eq!(*user, User::Named("ann".into(), Domain::Id("d".into())));
}

#[test]
fn the_password_of_another_cloud_is_not_this_ones() {
    let password = |url: &str| {
        let env = [("OS_CLOUD", "prod"), ("OS_PASSWORD", "hush"), ("OS_AUTH_URL", url)];
        Cloud::choose(&sources(TWO, "", &env), None).is_ok()
    };
    assert!(password("https://prod.example/identity/v3/") && password("https://PROD.example/identity"));
    assert!(!password("https://elsewhere.example/identity") && !password("http://prod.example/identity"));
}

#[test]
fn a_file_that_lies_in_the_folder_gets_no_password_of_an_environment_that_does_not_mean_it() {
    let handed = |env: &[(&str, &str)]| CloudConfig {
        clouds: Some(("./clouds.yaml".into(), TWO.into())),
        ..sources(TWO, "", env)
    };
    for cloud in [None, Some("prod")] {
        let named = [("OS_CLOUD", "prod"), ("OS_PASSWORD", "hush")];
        let said = said(&handed(&named), cloud);
        assert!(said.contains("has no `password` | `OS_PASSWORD` is not sent to the address"), "{said}");
        for means in [("OS_AUTH_URL", "https://prod.example/identity"), ("OS_CLIENT_CONFIG_FILE", "./clouds.yaml")] {
            let env = [&named[..], &[means]].concat();
            assert!(Cloud::choose(&handed(&env), cloud).is_ok(), "{means:?}");
        }
    }
}

/// The message of an error, with its advice.
fn said(sources: &CloudConfig, name: Option<&str>) -> String {
    let error = Cloud::choose(sources, name).expect_err("a mistake");
    match error.help() {
        Some(help) => format!("{error} | {help}"),
        None => error.to_string(),
    }
}

#[test]
fn mistakes_are_said_with_their_place() {
    let of = |clouds: &str, name: Option<&str>| said(&sources(clouds, "", &[]), name);
    assert_eq!(of(TWO, Some("pord")), "there is no cloud `pord` in clouds.yaml | did you mean `prod`?");
    assert_eq!(
        of(TWO, None),
        "clouds.yaml has several clouds, and none of them is named | name one with `--cloud NAME` or `OS_CLOUD`: `prod` and `test`"
    );
    assert_eq!(
        of(TWO, Some("prod")),
        "the cloud `prod` has no `password` | it can also be in secure.yaml, beside clouds.yaml, or in `OS_PASSWORD`"
    );
    assert!(
        of("clouds: [a]", None).starts_with("clouds.yaml:1:9: `clouds` must be a map, but is a list"),
        "{}",
        of("clouds: [a]", None)
    );
    assert!(
        of("clouds:\n  a:\n  - b\n", None).starts_with("clouds.yaml:3:3: the cloud `a` must be a map"),
        "{}",
        of("clouds:\n  a:\n  - b\n", None)
    );
    assert!(of("cluods: {}", None).contains("there is no `clouds`"));
    assert!(
        of("clouds: {a: {auth: {auth_url: [x]}}}", None)
            .contains("clouds.yaml:1:31: `auth_url` of `auth` of the cloud `a` must be text"),
        "{}",
        of("clouds: {a: {auth: {auth_url: [x]}}}", None)
    );
    assert!(of("clouds: {a: [}", None).starts_with("clouds.yaml:1:"), "{}", of("clouds: {a: [}", None));
    let auth = |more: &str| {
        of(&format!("clouds: {{a: {{auth: {{auth_url: 'http://x', username: u, password: p, {more}}}}}}}"), None)
    };
    assert!(auth("").contains("no project | set `project_name` or `project_id`"), "{}", auth(""));
    assert!(
        auth("project_nmae: p").ends_with("there is `project_nmae`: did you mean `project_name`?"),
        "{}",
        auth("project_nmae: p")
    );
    let of = |more: &str| {
        of(
            &format!(
                "clouds: {{a: {{auth: {{auth_url: 'http://x', username: u, password: p, project_id: q}}, {more}}}}}"
            ),
            None,
        )
    };
    assert!(
        of("interface: publik").contains("the `interface` `publik`: `public`, `internal` or `admin` is expected"),
        "{}",
        of("interface: publik")
    );
    assert!(of("auth_type: pasword").contains("did you mean `password`?"), "{}", of("auth_type: pasword"));
    assert!(of("verify: perhaps").contains("`true` or `false` is expected"), "{}", of("verify: perhaps"));
    let nothing = said(&sources("", "", &[]), Some("prod"));
    assert!(nothing.starts_with("there is no clouds.yaml that describes the cloud `prod` |"), "{nothing}");
    assert!(matches!(
        Cloud::choose(&sources("clouds: {a: {auth: {auth_url: ftp}}}", "", &[]), None),
        Err(CloudError::Value { .. })
    ));
}

#[test]
fn clouds_yaml_is_looked_for_where_other_clients_do() {
    let environment = BTreeMap::new();
    assert_eq!(
        places(&environment, Some("/home/ann")),
        ["./clouds.yaml", "/home/ann/.config/openstack/clouds.yaml", "/etc/openstack/clouds.yaml"]
    );
    let named = BTreeMap::from([("OS_CLIENT_CONFIG_FILE".to_owned(), "/x/c.yaml".to_owned())]);
    assert_eq!(places(&named, None), ["/x/c.yaml"]);
}
