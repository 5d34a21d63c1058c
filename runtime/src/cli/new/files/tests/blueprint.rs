//! What stays so, whatever is changed: `cargo test`.

use wattle::author::Blueprint as _;

#[test]
fn there_is_nothing_to_mend() {
    let model = BLUEPRINT::BLUEPRINT.model(Default::default());
    assert_eq!(wattle::check::check(&model, &Default::default()), []);
}
