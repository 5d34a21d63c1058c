//! Why software of a template becomes no component.

use wattle_heat::Loaded;
use wattle_hot::import::{Dependency, Options, import};

/// Why the config of these properties stays; nothing if it becomes a component.
fn said(properties: &str) -> Option<String> {
    let text = format!(
        "heat_template_version: 2021-04-16
resources:
  config:
    type: OS::Heat::SoftwareConfig
    properties: {{{properties}}}
"
    );
    let options = Options::new("shop", Dependency::Version("1".into()));
    let notes = import(&Loaded::of(&text, "shop.yaml"), &options).expect("a crate").notes;
    let stays = "`config` stays a resource and becomes no component: ";
    notes.into_iter().find_map(|note| note.text.strip_prefix(stays).map(str::to_owned))
}

#[test]
fn a_config_for_another_hook_stays_with_its_reason() {
    let of = |group: &str| said(&format!("group: {group}, config: 'it: test.nop', inputs: [{{name: port}}]"));
    assert_eq!(
        of("salt").as_deref(),
        Some("Heat gives its inputs as options of the minion, a component as the pillar")
    );
    assert_eq!(of("ansible").as_deref(), Some("its group is not `script`"));
}

#[test]
fn a_config_whose_names_no_component_may_have_stays() {
    for (section, name) in
        [("inputs", "heat_outputs_path"), ("inputs", "new"), ("outputs", "component"), ("outputs", "_it")]
    {
        let script = format!("\"#!/bin/sh\\necho > \\\"$heat_outputs_path.{name}\\\"\\n\"");
        let why = said(&format!("group: script, config: {script}, {section}: [{{name: {name}}}]"));
        assert_eq!(why, Some(format!("`{name}` can be no field of a component")));
    }
}
