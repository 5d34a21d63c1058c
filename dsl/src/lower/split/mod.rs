//! Cutting a template that is too large for one stack into nested stacks.
//!
//! No server depends on another, so a server can go into a nested stack together with everything that is there for it
//! alone: its ports, its volumes. What several servers need stays in the parent, and reaches the parts as parameters;
//! what the parent needs of a part, the part shows as an output.
//!
//! What is deployed stays where it is ([`Places`](super::Places)), and what is new goes where there is room. Where nothing
//! is deployed, servers go by the digests of their names, so that one more or less leaves most of them where they are.
//!
//! What lives here: who goes with whom (`home`), which part takes whom (`fill`), and the cut itself (`cut`). What must not:
//! reading what is deployed.

mod cut;
mod fill;
mod home;

use wattle_heat::limits;
use wattle_heat::template::Function;

use crate::model::{IndexMap, Model};

use super::Options;
use super::hot::{Hot, HotResource, Template};
use super::places::Place;

use cut::Cut;
use fill::{Load, Loads};
use home::Homes;

/// The template and the templates of its nested stacks, by file name.
pub(super) fn split(
    model: &Model,
    whole: Template,
    requires: &[Vec<usize>],
    options: &Options,
) -> (Template, IndexMap<String, Template>) {
    let sizes: Vec<usize> = whole.resources.values().map(size).collect();
    let fits = whole.resources.len() <= options.stack_resources && sizes.iter().sum::<usize>() <= options.stack_bytes;
    let is_one = (fits || whole.servers() < 2) && !options.deployed.is_cut();
    if is_one || computes_references(&whole) {
        return (whole, IndexMap::default());
    }
    let places = places(&whole, requires, &sizes, options);
    Cut::new(model, whole, &places).cut()
}

/// Whether Heat is to work out what is referred to, so that nobody knows beforehand.
fn computes_references(whole: &Template) -> bool {
    let computes = |value: &Hot| {
        let mut computes = false;
        value.visit(&mut |part| {
            computes |= matches!(part, Hot::Function(name, _) if Function::of(name).is_some_and(Function::refers));
        });
        computes
    };
    whole.resources.values().flat_map(HotResource::values).any(computes)
        || whole.outputs.values().any(|output| computes(&output.value))
}

/// Where each resource goes.
fn places(whole: &Template, requires: &[Vec<usize>], sizes: &[usize], options: &Options) -> Vec<Place> {
    let mut homes = Homes::of(whole, requires, &options.deployed);
    // One place of each part is taken by the root of its own.
    let most = Load { resources: options.stack_resources.saturating_sub(1), bytes: options.stack_bytes };
    // What is deployed may outgrow what was meant for it, but not what Heat takes. An eighth is for what is no resource.
    let bytes = limits::TEMPLATE - limits::TEMPLATE / 8;
    let utmost = Load { resources: limits::RESOURCES.max(most.resources + 1) - 1, bytes: bytes.max(most.bytes) };
    loop {
        let units = homes.units(sizes);
        let parts = if options.deployed.is_empty() {
            fill::by_digest(&units, most)
        } else {
            fill::beside(&units, &homes.loads(sizes), most)
        };
        let places = homes.places(&parts);
        let mut loads = Loads::default();
        for (&place, &bytes) in places.iter().zip(sizes) {
            loads.entry(place).or_default().add(Load { resources: 1, bytes });
        }
        if !homes.evict(&places, &loads, utmost, sizes) {
            return places;
        }
    }
}

/// Bytes of a resource as JSON, about.
fn size(resource: &HotResource) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // A value that JSON cannot express is an error when the template is emitted, not here.
    let _ = serde_json::to_writer(&mut count, resource);
    count.0
}

#[cfg(test)]
mod tests {
    use super::super::dependence::requires;
    use super::super::places::{Moved, Places};
    use super::*;

    /// A template of these resources, each with those that it requires; what is called `server...` is a server.
    fn template<'n>(resources: impl IntoIterator<Item = (String, Vec<&'n str>)>) -> Template {
        let mut template = Template::new("");
        for (name, required) in resources {
            let ty = if name.starts_with("server") { "OS::Nova::Server" } else { "OS::Neutron::Port" };
            let mut resource = HotResource::new(ty.into());
            let required = required.into_iter().map(|name| Hot::GetResource(name.into()));
            resource.set("x".into(), Hot::List(required.collect()));
            template.resources.insert(name.into(), resource);
        }
        template
    }

    fn of(resources: &[(&str, &[&str])]) -> Template {
        template(resources.iter().map(|(name, required)| ((*name).to_owned(), required.to_vec())))
    }

    /// What was in these stacks, once as small as can be.
    fn deployed(stacks: &[(u32, &[&str])]) -> Options {
        let mut root = Template::new("");
        let mut nested = IndexMap::default();
        for (number, names) in stacks {
            let part = of(&names.iter().map(|name| (*name, &[][..])).collect::<Vec<_>>());
            if *number == 0 {
                root.resources.extend(part.resources);
            } else {
                let file = super::super::places::part_file(*number);
                let name = super::super::places::part_name(*number);
                root.resources.insert(name, HotResource::new(file.as_str().into()));
                nested.insert(file, part);
            }
        }
        Options { stack_resources: 2, deployed: Places::of(&root, &nested), ..Options::default() }
    }

    fn cut(whole: Template, options: &Options) -> Places {
        let requires = requires(&whole);
        let (template, nested) = split(&Model::default(), whole, &requires, options);
        Places::of(&template, &nested)
    }

    fn moved(whole: Template, options: &Options) -> Vec<(String, Place)> {
        let moved = options.deployed.moved(&cut(whole, options)).into_iter();
        moved.map(|Moved { name, to, .. }| (name.to_string(), to)).collect()
    }

    #[test]
    fn what_came_to_be_shared_stays_where_it_is() {
        let options = deployed(&[(1, &["server1", "port1"]), (2, &["server2", "port2"]), (0, &["server0"])]);
        let whole = |one: &'static [&'static str], two: &'static [&'static str]| {
            of(&[
                ("server0", &["port1"]),
                ("server1", one),
                ("port1", &[]),
                ("server2", two),
                ("port2", &[]),
                ("server3", &["port1", "port2"]),
            ])
        };
        // The second part waits for the first, and so does the parent.
        assert_eq!(moved(whole(&["port1"], &["port2", "port1"]), &options), []);
        // One must give way to the other.
        let both = moved(whole(&["port1", "port2"], &["port2", "port1"]), &options);
        assert_eq!(both, [("port1".to_owned(), Place::Stack)]);
    }

    #[test]
    fn who_needs_something_of_a_part_comes_to_it() {
        let options = deployed(&[(1, &["server1", "port1"]), (2, &["server2"]), (3, &["server3"])]);
        let places = cut(
            of(&[
                ("server1", &["port1"]),
                ("port1", &[]),
                ("server2", &[]),
                ("server3", &[]),
                ("server4", &["port1", "port4"]),
                ("port4", &[]),
                ("server5", &["port1"]),
            ]),
            &options,
        );
        for name in ["server4", "port4", "server5"] {
            assert_eq!(places.get(name), Some(Place::Nested(1)), "{name}");
        }
    }

    #[test]
    fn what_a_removed_server_leaves_stays_where_it_is() {
        let options = deployed(&[(0, &["net"]), (1, &["server1", "port1", "late1"]), (2, &["server2"])]);
        let whole = of(&[("net", &[]), ("port1", &["net"]), ("late1", &["server2"]), ("server2", &["net"])]);
        assert_eq!(moved(whole, &options), []);
    }

    #[test]
    fn conditions_and_orders_stay_in_the_parent() {
        let mut whole = of(&[
            ("server1", &["port1"]),
            ("port1", &["port0"]),
            ("port0", &[]),
            ("server2", &[]),
            ("server3", &[]),
            ("server4", &["port4"]),
            ("port4", &[]),
        ]);
        whole.resources["port1"].depends_on.push("server2".into());
        whole.resources["server3"].condition = Some(Box::new(Hot::from("is-large")));
        whole.conditions.insert("is-large".into(), Hot::from("x"));
        let places = cut(whole, &Options { stack_resources: 3, ..Options::default() });
        for name in ["port1", "port0", "server2", "server3"] {
            assert_eq!(places.get(name), Some(Place::Stack), "{name}");
        }
        for name in ["server1", "server4", "port4"] {
            assert_ne!(places.get(name), Some(Place::Stack), "{name}");
        }
    }

    #[test]
    fn only_what_heat_does_not_take_leaves() {
        let names: Vec<(String, String)> = (0..600).map(|i| (format!("server{i}"), format!("port{i}"))).collect();
        let whole = || {
            template(
                names
                    .iter()
                    .flat_map(|(server, port)| [(server.clone(), vec![port.as_str()]), (port.clone(), Vec::new())]),
            )
        };
        let servers: Vec<&str> = names.iter().map(|(server, _)| server.as_str()).collect();
        let options = deployed(&[(0, &servers)]);
        let moved = moved(whole(), &options);
        assert_eq!(moved.len(), 101, "of 1,200 resources, those of 101 servers leave 998");
        assert!(moved.iter().all(|(_, to)| *to != Place::Stack));
        // Where Heat took more, it takes as much.
        let all: Vec<&str> = names.iter().flat_map(|(server, port)| [server.as_str(), port.as_str()]).collect();
        let options = deployed(&[(0, &all)]);
        assert_eq!(super::tests::moved(whole(), &options), []);
    }
}
