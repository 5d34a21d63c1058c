//! Images.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use wattle::diagram::{self, Diagram, Edge, Resource, Role, Why, svg};

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
    let mut diagram = tiers(2);
    diagram.stack = "</svg><script>alert(1)</script>&\u{1}\"'é".into();
    diagram.resources[3].name = "a\"><b onload=\"x".into();
    diagram.components[0].name = "]]>&amp;<!--".into();
    let drawn = svg(&diagram);
    assert!(!drawn.contains("<script") && !drawn.contains("<b "), "{drawn}");
    read_by_python(&drawn);
}

#[test]
fn a_network_is_named_on_what_is_on_it_and_no_line_leads_there() {
    let drawn = svg(&diagram::of(&examples()[1].1));
    // Four servers, a port, the router's interface, and the sample in the legend.
    assert_eq!(drawn.matches("<rect class=\"chip b0\"").count(), 7);
    assert_eq!(drawn.matches(">backbone</text>").count(), 7, "its band says it, too");
    for words in ["is read by", "runs before", "is created before", "on this network"] {
        assert!(drawn.contains(&format!(">{words}</text>")), "{words}");
    }
    // The legend explains only what the diagram contains.
    let drawn = svg(&Diagram::new("empty"));
    assert!(!drawn.contains("is read by"), "{drawn}");
}

/// Left and top of a server's box.
pub(crate) fn corner(drawn: &str, name: &str) -> (f64, f64) {
    let begin = format!("<g id=\"{name}\"><title>{name}</title>\n<rect class=\"server\" x=\"");
    let (_, rest) = drawn.split_once(&begin).expect("the box");
    let numbers: Vec<&str> = rest.splitn(4, '"').collect();
    (numbers[0].parse().expect("x"), numbers[2].parse().expect("y"))
}

#[test]
fn members_of_a_cluster_stand_in_their_order() {
    let mut diagram = Diagram::new("cluster");
    let server = |name: String| Resource::new(name, "OS::Nova::Server", Role::ServerBox);
    diagram.resources.extend((1..=11).map(|number| server(format!("member{number}"))));
    // Elements without dependencies come first. Their order alone would reverse that of the members.
    for (name, number) in ["one", "two", "three", "four"].into_iter().zip([11, 10, 9, 2]) {
        diagram.resources.push(server(name.into()));
        diagram.edges.push(Edge::new(name.into(), format!("member{number}").into(), Why::Infrastructure));
    }
    let drawn = svg(&diagram);
    let tops: Vec<f64> = [2, 9, 10, 11].map(|number| corner(&drawn, &format!("member{number}")).1).to_vec();
    assert!(tops.is_sorted(), "{tops:?}");
}

/// Panics unless Python's XML parser accepts the text.
fn read_by_python(text: &str) {
    let mut python = Command::new("python3")
        .args(["-c", "import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.stdin.buffer)"])
        .stdin(Stdio::piped())
        .spawn()
        .expect("Python runs");
    python.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("writes");
    assert!(python.wait().expect("Python ends").success());
}
