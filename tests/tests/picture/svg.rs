//! Images.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use wattle::diagram::{self, svg};

use super::{examples, tiers};

#[test]
fn the_image_of_the_readme_is_that_of_three_tier() {
    let (_, model) = &examples()[1];
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/three_tier.svg");
    let drawn = svg(&diagram::of(model));
    if std::env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always") {
        fs::write(&path, &drawn).expect("writes");
    }
    assert!(
        fs::read_to_string(&path).expect("docs/three_tier.svg") == drawn,
        "docs/three_tier.svg is not fresh; INSTA_UPDATE=always draws it"
    );
}

#[test]
fn an_image_is_xml_that_says_everything_and_is_the_same_each_time() {
    for (name, model) in examples() {
        let drawn = svg(&diagram::of(&model));
        assert_eq!(drawn, svg(&diagram::of(&model)), "{name}");
        read_by_python(&drawn);
        for (key, component) in &model.components {
            assert!(drawn.contains(&format!("<title>{key}</title>")), "{name}: {key}");
            assert!(drawn.contains(&format!(">{}</text>", component.name)), "{name}: {key}");
        }
    }
    let large = svg(&tiers(200));
    assert_eq!(large.matches("class=\"server\"").count(), 200);
    read_by_python(&large);
}

#[test]
fn names_that_are_markup_stay_text() {
    let mut picture = tiers(2);
    picture.stack = "</svg><script>alert(1)</script>&\u{1}\"'é".into();
    picture.resources[3].name = "a\"><b onload=\"x".into();
    picture.components[0].name = "]]>&amp;<!--".into();
    let drawn = svg(&picture);
    assert!(!drawn.contains("<script") && !drawn.contains("<b "), "{drawn}");
    read_by_python(&drawn);
}

/// Panics unless Python's XML parser takes the text.
fn read_by_python(text: &str) {
    let mut python = Command::new("python3")
        .args(["-c", "import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.stdin.buffer)"])
        .stdin(Stdio::piped())
        .spawn()
        .expect("Python runs");
    python.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("writes");
    assert!(python.wait().expect("Python ends").success());
}
