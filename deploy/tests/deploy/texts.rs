//! Texts for servers: those that Heat would insert where its configs are referred to.

use wattle_model::Value;

use crate::corpus;
use crate::desk::{Desk, KEY, deployment};
use crate::kinds::Drivers;

/// The user data of the server `web`.
fn user_data(configs: &str, user_data: &str) -> String {
    let text = format!(
        "
resources:
  net: {{type: OS::Neutron::Net, properties: {{name: inside}}}}
{configs}
  web: {{type: OS::Nova::Server, properties: {{flavor: f, image: i, user_data_format: RAW, user_data: {user_data}}}}}
"
    );
    let mut desk = Desk::new();
    desk.reach(&deployment(&text, &[]));
    let text = desk.property("web", "user_data");
    text.as_str().expect("a text").to_owned()
}

#[test]
fn configs_are_their_texts() {
    let software = "  config: {type: OS::Heat::SoftwareConfig, properties: {config: {str_replace: {template: 'net $n', params: {$n: {get_attr: [net, name]}}}}}}";
    assert_eq!(user_data(software, "{get_resource: config}"), "net inside");
    assert_eq!(user_data(software, "{get_attr: [config, config]}"), "net inside");
    let cloud = "  config: {type: OS::Heat::CloudConfig, properties: {cloud_config: {packages: [nginx], hostname: {get_attr: [net, name]}}}}";
    assert_eq!(
        user_data(cloud, "{get_resource: config}"),
        "#cloud-config\n{\"packages\":[\"nginx\"],\"hostname\":\"inside\"}\n"
    );
}

#[test]
fn parts_are_put_together() {
    let parts = "
  first: {type: OS::Heat::CloudConfig, properties: {cloud_config: {a: 1}}}
  inner: {type: OS::Heat::MultipartMime, properties: {parts: [{config: 'grüß dich', filename: hello.txt}]}}
  all:
    type: OS::Heat::MultipartMime
    properties:
      parts:
        - {config: {get_resource: first}}
        - {config: {get_resource: inner}, type: multipart}
        - {config: \"#!/bin/sh\\ntrue\", subtype: x-shellscript, filename: run}
";
    let text = user_data(parts, "{get_resource: all}");
    assert_eq!(text, user_data(parts, "{get_resource: all}"));
    let boundary = text.split('"').nth(1).expect("a boundary").to_owned();
    assert_eq!(
        text.replace(&boundary, "B"),
        "Content-Type: multipart/mixed; boundary=\"B\"
MIME-Version: 1.0

--B
Content-Type: text/plain; charset=\"us-ascii\"
MIME-Version: 1.0
Content-Transfer-Encoding: 7bit

#cloud-config
{\"a\":1}

--B
Content-Type: text/hello; charset=\"utf-8\"
MIME-Version: 1.0
Content-Transfer-Encoding: base64
Content-Disposition: attachment; filename=\"hello.txt\"

Z3LDvMOfIGRpY2g=

--B
Content-Type: text/x-shellscript; charset=\"us-ascii\"
MIME-Version: 1.0
Content-Transfer-Encoding: 7bit
Content-Disposition: attachment; filename=\"run\"

#!/bin/sh
true
--B--
"
    );
}

/// User data lowered by `wattle` is sent unchanged: a text for cloud-init that ends in the server's identity.
#[test]
fn agents_are_told_who_they_are() {
    let mut servers = 0;
    for (name, loaded) in corpus::examples() {
        let target = wattle_deploy::Deployment::new(loaded, std::sync::Arc::new(Drivers::Core), KEY).expect("a target");
        let mut desk = Desk::new();
        desk.reach(&target);
        for row in desk.state.rows().filter(|row| &*row.kind == "OS::Nova::Server") {
            let Value::Str(text) = desk.property(&row.name, "user_data") else { panic!("{name}: {}", row.name) };
            assert!(text.starts_with("#cloud-config\n"), "{text}");
            let line = text.lines().find(|line| line.contains("\"server\"")).expect("an identity");
            let identity: Value = serde_json::from_str(line.trim()).expect("JSON");
            let Value::Map(identity) = identity else { panic!("{line}") };
            let own = row.name.rsplit('/').next().expect("a name");
            assert_eq!(identity["server"].as_str(), Some(own), "{line}");
            assert_eq!(target.agent(&row.name).as_deref(), Some(own));
            assert!(row.drains);
            servers += 1;
        }
    }
    assert!(servers > 5, "{servers}");
    let target = deployment("resources: {web: {type: OS::Nova::Server, properties: {flavor: f, image: i}}}", &[]);
    let mut desk = Desk::new();
    desk.reach(&target);
    assert_eq!(target.agent("web"), None);
    assert!(desk.state.rows().all(|row| !row.drains));
}
