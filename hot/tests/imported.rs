//! Why software of a template becomes no component.

use wattle_heat::Loaded;
use wattle_hot::import::{Dependency, Options, import};

#[test]
fn a_config_for_another_hook_stays_with_its_reason() {
    let said = |group: &str| {
        let text = format!(
            "heat_template_version: 2021-04-16
resources:
  config:
    type: OS::Heat::SoftwareConfig
    properties: {{group: {group}, config: 'it: test.nop', inputs: [{{name: port}}]}}
"
        );
        let options = Options::new("shop", Dependency::Version("1".into()));
        let notes = import(&Loaded::of(&text, "shop.yaml"), &options).expect("a crate").notes;
        notes.into_iter().map(|note| note.text).filter(|text| text.contains("`config`")).collect::<Vec<_>>()
    };
    let stays = "`config` stays a resource and becomes no component: ";
    assert_eq!(
        said("salt"),
        [format!("{stays}Heat gives its inputs as options of the minion, a component as the pillar")]
    );
    assert_eq!(said("ansible"), [format!("{stays}its group is not `script`")]);
}
