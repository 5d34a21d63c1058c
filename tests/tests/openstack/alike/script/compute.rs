//! Servers.

use wattle_openstack::Method::{Delete, Get, Post, Put};

use super::{COMPUTE, NETWORK, Step, step};

pub(super) const STEPS: &[Step] = &[
    Step {
        body: r#"{"server_group": {"name": "<unique>", "policy": "anti-affinity"}}"#,
        version: Some("2.64"),
        keeps: &[("servers", "/server_group/id")],
        ..step("create a server group", COMPUTE, Post, "/os-server-groups")
    },
    Step { version: Some("2.64"), ..step("show a server group", COMPUTE, Get, "/os-server-groups/<servers>") },
    Step {
        body: r#"{"keypair": {"name": "<unique>", "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA7Nz6V6J7P9Q1M7C1kqk1i0E0m6WxV3m6k9m0m6WxV3 a"}}"#,
        ..step("create a key pair", COMPUTE, Post, "/os-keypairs")
    },
    Step {
        body: r#"{"keypair": {"name": "<unique>", "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA7Nz6V6J7P9Q1M7C1kqk1i0E0m6WxV3m6k9m0m6WxV3 a"}}"#,
        ..step("create one of its name", COMPUTE, Post, "/os-keypairs")
    },
    step("show a key pair", COMPUTE, Get, "/os-keypairs/<unique>"),
    Step {
        body: r#"{"server": {"name": "<unique>", "flavorRef": "<flavor>", "networks": [{"port": "<port>"}]}}"#,
        version: Some("2.52"),
        ..step("create a server without an image", COMPUTE, Post, "/servers")
    },
    Step {
        body: r#"{"server": {"name": "<unique>", "imageRef": "<image>", "flavorRef": "none", "networks": [{"port": "<port>"}]}}"#,
        version: Some("2.52"),
        ..step("create a server of a flavor that there is not", COMPUTE, Post, "/servers")
    },
    Step {
        body: r#"{"network": {"name": "<unique>-b"}}"#,
        keeps: &[("second", "/network/id")],
        ..step("create a second network", NETWORK, Post, "/networks")
    },
    Step {
        body: r#"{"server": {"name": "<unique>", "imageRef": "<image>", "flavorRef": "<flavor>", "networks": "auto"}}"#,
        version: Some("2.52"),
        ..step("create a server on any of several networks", COMPUTE, Post, "/servers")
    },
    step("delete the second network", NETWORK, Delete, "/networks/<second>"),
    Step {
        body: r#"{"server": {"name": "<unique>", "imageRef": "<image>", "flavorRef": "<flavor>", "key_name": "<unique>", "networks": [{"port": "<port>"}], "tags": ["<unique>"], "metadata": {"a": "b"}}, "os:scheduler_hints": {"group": "<servers>"}}"#,
        version: Some("2.52"),
        keeps: &[("server", "/server/id")],
        ..step("create a server", COMPUTE, Post, "/servers")
    },
    Step {
        version: Some("2.26"),
        until: Some(("/server/status", "ACTIVE")),
        ..step("show a server", COMPUTE, Get, "/servers/<server>")
    },
    Step { version: Some("2.26"), ..step("list servers by tag", COMPUTE, Get, "/servers/detail?tags=<unique>") },
    step("list a server's interfaces", COMPUTE, Get, "/servers/<server>/os-interface"),
    step("list what was done to a server", COMPUTE, Get, "/servers/<server>/os-instance-actions"),
    Step {
        body: r#"{"os-getConsoleOutput": {"length": 10}}"#,
        ..step("show a server's console", COMPUTE, Post, "/servers/<server>/action")
    },
    step("list a server's ports", NETWORK, Get, "/ports?device_id=<server>"),
    Step {
        body: r#"{"server": {"name": "<unique>-b"}}"#,
        version: Some("2.26"),
        ..step("rename a server", COMPUTE, Put, "/servers/<server>")
    },
    Step {
        body: r#"{"resize": {"flavorRef": "<larger>"}}"#,
        ..step("resize a server", COMPUTE, Post, "/servers/<server>/action")
    },
    Step {
        version: Some("2.26"),
        until: Some(("/server/status", "VERIFY_RESIZE")),
        ..step("wait for the resized server", COMPUTE, Get, "/servers/<server>")
    },
    Step { body: r#"{"confirmResize": null}"#, ..step("confirm", COMPUTE, Post, "/servers/<server>/action") },
    Step {
        version: Some("2.26"),
        until: Some(("/server/status", "ACTIVE")),
        ..step("wait for the confirmed server", COMPUTE, Get, "/servers/<server>")
    },
    Step { body: r#"{"confirmResize": null}"#, ..step("confirm once more", COMPUTE, Post, "/servers/<server>/action") },
    Step { body: r#"{"os-stop": null}"#, ..step("stop a server", COMPUTE, Post, "/servers/<server>/action") },
    Step {
        version: Some("2.26"),
        until: Some(("/server/status", "SHUTOFF")),
        ..step("wait for the stopped server", COMPUTE, Get, "/servers/<server>")
    },
    Step { body: r#"{"os-start": null}"#, ..step("start a server", COMPUTE, Post, "/servers/<server>/action") },
    Step {
        version: Some("2.26"),
        until: Some(("/server/status", "ACTIVE")),
        ..step("wait for the started server", COMPUTE, Get, "/servers/<server>")
    },
    Step { body: r#"{"metadata": {"c": "d"}}"#, ..step("change metadata", COMPUTE, Put, "/servers/<server>/metadata") },
    Step {
        body: r#"{"tags": ["<unique>", "b"]}"#,
        version: Some("2.26"),
        ..step("tag a server", COMPUTE, Put, "/servers/<server>/tags")
    },
    Step {
        body: r#"{"interfaceAttachment": {"port_id": "<open>"}}"#,
        ..step("attach a port", COMPUTE, Post, "/servers/<server>/os-interface")
    },
    Step {
        until: Some(("/port/status", "ACTIVE")),
        ..step("wait for the attached port", NETWORK, Get, "/ports/<open>")
    },
    step("detach a port", COMPUTE, Delete, "/servers/<server>/os-interface/<open>"),
    Step {
        body: r#"{"rebuild": {"imageRef": "<image>"}}"#,
        ..step("rebuild a server", COMPUTE, Post, "/servers/<server>/action")
    },
    Step {
        version: Some("2.26"),
        until: Some(("/server/status", "ACTIVE")),
        ..step("wait for the rebuilt server", COMPUTE, Get, "/servers/<server>")
    },
    Step { body: r#"{"pause": null}"#, ..step("pause a server", COMPUTE, Post, "/servers/<server>/action") },
    Step {
        version: Some("2.26"),
        until: Some(("/server/status", "PAUSED")),
        ..step("wait for the paused server", COMPUTE, Get, "/servers/<server>")
    },
    Step { body: r#"{"unpause": null}"#, ..step("unpause a server", COMPUTE, Post, "/servers/<server>/action") },
    Step {
        version: Some("2.26"),
        until: Some(("/server/status", "ACTIVE")),
        ..step("wait for the unpaused server", COMPUTE, Get, "/servers/<server>")
    },
    Step { body: r#"{"suspend": null}"#, ..step("suspend a server", COMPUTE, Post, "/servers/<server>/action") },
    Step {
        version: Some("2.26"),
        until: Some(("/server/status", "SUSPENDED")),
        ..step("wait for the suspended server", COMPUTE, Get, "/servers/<server>")
    },
    Step { body: r#"{"resume": null}"#, ..step("resume a server", COMPUTE, Post, "/servers/<server>/action") },
    Step {
        version: Some("2.26"),
        until: Some(("/server/status", "ACTIVE")),
        ..step("wait for the resumed server", COMPUTE, Get, "/servers/<server>")
    },
    Step { body: r#"{"shelve": null}"#, ..step("shelve a server", COMPUTE, Post, "/servers/<server>/action") },
    Step {
        version: Some("2.26"),
        until: Some(("/server/status", "SHELVED_OFFLOADED")),
        ..step("wait for the shelved server", COMPUTE, Get, "/servers/<server>")
    },
    Step { body: r#"{"unshelve": null}"#, ..step("unshelve a server", COMPUTE, Post, "/servers/<server>/action") },
    Step {
        version: Some("2.26"),
        until: Some(("/server/status", "ACTIVE")),
        ..step("wait for the unshelved server", COMPUTE, Get, "/servers/<server>")
    },
    Step { body: r#"{"rescue": null}"#, ..step("rescue a server", COMPUTE, Post, "/servers/<server>/action") },
    Step {
        version: Some("2.26"),
        until: Some(("/server/status", "RESCUE")),
        ..step("wait for the rescued server", COMPUTE, Get, "/servers/<server>")
    },
    Step { body: r#"{"unrescue": null}"#, ..step("unrescue a server", COMPUTE, Post, "/servers/<server>/action") },
    Step {
        version: Some("2.26"),
        until: Some(("/server/status", "ACTIVE")),
        ..step("wait for the unrescued server", COMPUTE, Get, "/servers/<server>")
    },
];
