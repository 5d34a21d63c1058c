//! Bandwidths between servers: from the blueprint to the template and the diagram.

use std::collections::BTreeMap;

use wattle::author::PortType;
use wattle::diagram;
use wattle::lower::{POLICIES, lower, native, talks};
use wattle::model::{Bandwidth, Model};
use wattle::prelude::*;

/// Files that are mounted.
#[derive(PortType)]
#[port_type(bandwidth = "2 Gbit/s")]
struct Share {
    path: String,
}

/// Says nothing itself.
#[derive(PortType)]
struct Both {
    first: Share,
    second: Share,
    name: String,
}

/// Whose outputs are read by servers that exchange much with it, little, and nothing.
#[component(recipe = "tests/recipes/anything.sh", bandwidth = "50 Mbit/s")]
struct Source {
    #[output(dynamic)]
    share: Share,
    #[output(dynamic)]
    both: Both,
    #[output(dynamic)]
    url: String,
    #[output(bandwidth = "0 Mbit/s", dynamic)]
    count: u32,
}

/// Says nothing of itself.
#[component(recipe = "tests/recipes/anything.sh")]
struct Plain {
    #[output(dynamic)]
    url: String,
}

/// Who reads.
#[component(recipe = "tests/recipes/anything.sh")]
struct Reader {
    #[input]
    share: Option<Share>,
    #[input]
    both: Option<Both>,
    #[input]
    url: Option<String>,
    #[input]
    other: Option<String>,
    #[input]
    count: Option<u32>,
}

fn model(is_said: bool) -> Model {
    let mut t = Topology::new("shares");
    let server = || RawResource::new("OS::Nova::Server");
    let [from, plain, asks, mounts, all, counts] =
        ["from", "plain", "asks", "mounts", "all", "counts"].map(|name| t.add(name, server()));
    let other = t.on(plain).run("plain", Plain::new());
    t.on(asks).run("reader", Reader::new().other(other.url).url(other.url));
    if is_said {
        let source = t.on(from).run("source", Source::new());
        t.on(mounts).run("reader", Reader::new().share(source.share).url(source.url).other(other.url));
        t.on(all).run("reader", Reader::new().both(source.both));
        t.on(counts).run("reader", Reader::new().count(source.count));
    }
    t.finish(Exports::new())
}

#[test]
fn types_say_what_their_values_mean() {
    let of = |mbit| Some(Bandwidth::of_mbit(mbit));
    assert_eq!((Share::BANDWIDTH, Both::BANDWIDTH, String::BANDWIDTH), (of(2000), of(4000), None));
    assert_eq!(<Vec<Share>>::BANDWIDTH, of(2000));
    assert_eq!((<BTreeMap<String, Both>>::BANDWIDTH, <Secret<Share>>::BANDWIDTH), (of(4000), of(2000)));
}

#[test]
fn what_is_said_is_written_once_for_each_pair() {
    let model = model(true);
    let said: Vec<String> = talks(&model)
        .into_iter()
        .map(|talk| format!("{} {} {}", talk.between.0, talk.between.1, talk.bandwidth))
        .collect();
    assert_eq!(said, ["plain asks 2 Mbit/s", "from mounts 2 Gbit/s", "plain mounts 1 Mbit/s", "from all 4 Gbit/s"]);
    for template in [lower(&model, &Default::default()).template, native::lower(&model).template] {
        let carrier = template.resources[POLICIES].metadata.as_ref().expect("metadata");
        let text = wattle::emit::to_yaml(carrier).expect("emits");
        let bandwidths: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_prefix("bandwidth: ")).collect();
        assert_eq!(bandwidths, ["2 Mbit/s", "2 Gbit/s", "1 Mbit/s", "4 Gbit/s"], "{text}");
        assert!(!text.contains("policies"), "{text}");
    }
    assert!(!lower(&self::model(false), &Default::default()).template.resources.contains_key(POLICIES));
}

#[test]
fn diagrams_show_it() {
    let drawn = diagram::of(&model(true));
    let labels: Vec<String> = drawn.edges.iter().filter_map(diagram::Edge::label).collect();
    assert!(labels.iter().any(|label| label.starts_with("share: ") && label.ends_with(", 2 Gbit/s")), "{labels:?}");
    assert!(labels.iter().any(|label| label.starts_with("url: ") && !label.contains("bit/s")), "{labels:?}");
    let kind = drawn.component_types.values().find(|kind| &*kind.name == "Source").expect("it is used");
    assert_eq!(kind.bandwidth.as_deref(), Some("50 Mbit/s"));
    let of = |output: &str| kind.outputs[output].bandwidth.as_deref();
    assert_eq!((of("both"), of("url"), of("count")), (Some("4 Gbit/s"), None, Some("0 Mbit/s")));
    assert!(diagram::dot(&drawn).contains(", 2 Gbit/s"));
}
