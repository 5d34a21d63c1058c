//! Which servers talk to each other and how much, as far as the wiring of the software shows.

use crate::model::{Bandwidth, Component, IndexMap, Model, Name};

use super::reads::{self, Read};

/// Two servers that talk to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Talk<'m> {
    /// The servers, in the order in which they first appear: the writer, and the reader.
    pub between: (&'m Name, &'m Name),
    /// The bandwidth that is expected between them.
    pub bandwidth: Bandwidth,
}

/// The outputs that one component reads from another server.
#[derive(Default)]
struct Exchange<'m> {
    /// The number of reads.
    reads: u32,
    /// The outputs whose bandwidth is known, each once.
    known: IndexMap<&'m Name, Bandwidth>,
}

/// Returns the pairs of servers that talk to each other, each once.
///
/// The bandwidth between a component and one that it reads from is that of the outputs it reads; if they declare none, that
/// of the other component; otherwise, 1 Mbit/s for each read.
pub fn talks(model: &Model) -> Vec<Talk<'_>> {
    let mut all: IndexMap<(&Name, &Name), Bandwidth> = IndexMap::default();
    for component in model.components.values() {
        for ((from, of), exchange) in exchanges(model, component) {
            let declared = of.and_then(|of| model.declaration(of)?.bandwidth);
            let known: Vec<_> = exchange.known.values().copied().map(Some).collect();
            let bandwidth = Bandwidth::sum(&known).or(declared);
            let bandwidth = bandwidth.unwrap_or_else(|| Bandwidth::of_mbit(exchange.reads));
            let to = &component.server;
            let pair = if all.contains_key(&(to, from)) { (to, from) } else { (from, to) };
            let sum = all.entry(pair).or_default();
            *sum = sum.and(bandwidth);
        }
    }
    all.retain(|_, bandwidth| *bandwidth != Bandwidth::default());
    all.into_iter().map(|(between, bandwidth)| Talk { between, bandwidth }).collect()
}

/// The reads of a component from other servers: by server, and by the component there, unless it is the server's own
/// attribute.
fn exchanges<'m>(model: &'m Model, component: &'m Component) -> Vec<((&'m Name, Option<&'m Component>), Exchange<'m>)> {
    let mut all: IndexMap<(&Name, Option<&Name>), Exchange<'_>> = IndexMap::default();
    for binding in component.inputs.values() {
        reads::each(model, &binding.value, &mut |read| {
            let (from, of, output) = match read {
                Read::Output { component, output } => match model.components.get_key_value(component) {
                    Some((key, of)) => (&of.server, Some(key), Some(output)),
                    None => return,
                },
                Read::Attribute(attribute) => match model.resources.get_key_value(attribute.resource) {
                    Some((name, of)) if of.is_server() => (name, None, None),
                    _ => return,
                },
                _ => return,
            };
            if *from == component.server {
                return;
            }
            let exchange = all.entry((from, of)).or_default();
            exchange.reads = exchange.reads.saturating_add(1);
            let declared = of.and_then(|of| model.declaration(model.components.get(of)?)?.outputs.get(output?));
            if let (Some(output), Some(bandwidth)) = (output, declared.and_then(|declared| declared.bandwidth)) {
                exchange.known.insert(output, bandwidth);
            }
        });
    }
    let component = |key: &Name| model.components.get(key);
    all.into_iter().map(|((from, of), exchange)| ((from, of.and_then(component)), exchange)).collect()
}

/// Whether anything in the model declares a bandwidth.
pub(crate) fn is_said(model: &Model) -> bool {
    let mut used = model.components.values().filter_map(|component| model.declaration(component));
    let outputs = |of: &crate::model::Declaration| of.outputs.values().any(|output| output.bandwidth.is_some());
    used.any(|of| of.bandwidth.is_some() || outputs(of))
}

#[cfg(test)]
mod tests {
    use crate::author::{Exports, RawResource, Topology};
    use crate::model::{
        Binding, Component, Declaration, Expr, OutputDeclaration, Recipe, Reference, Source, Tool, Type,
    };

    use super::*;

    /// `db` has the component `x` with these outputs, and each of `readers` reads the outputs listed for it.
    fn model(own: Option<u32>, outputs: &[(&str, Option<u32>)], readers: &[(&str, &[&str])]) -> Model {
        let mut t = Topology::new("demo");
        t.add("db", RawResource::new("OS::Nova::Server"));
        for (server, _) in readers {
            t.add(*server, RawResource::new("OS::Nova::Server"));
        }
        let mut model = t.finish(Exports::new());
        let output = |bandwidth: Option<u32>| OutputDeclaration {
            ty: Type::STR,
            bandwidth: bandwidth.map(Bandwidth::of_mbit),
            dynamic: false,
            early: false,
            doc: String::new(),
            path: Vec::new(),
            at: Source::default(),
        };
        let declaration = Declaration {
            name: "K".into(),
            doc: String::new(),
            recipe: Recipe { tool: Tool::Shell, entry: "k.sh".into(), teardown: None, files: Vec::new() },
            inputs: IndexMap::default(),
            outputs: outputs.iter().map(|(name, bandwidth)| (Name::from(*name), output(*bandwidth))).collect(),
            listens: Vec::new(),
            deadline: None,
            wait: None,
            bandwidth: own.map(Bandwidth::of_mbit),
            at: Source::default(),
        };
        model.declarations.insert("K".into(), declaration);
        let component =
            |server: &str, kind: &str| Component::new("x".into(), server.into(), kind.into(), Source::default());
        model.components.insert("db/x".into(), component("db", "K"));
        for (server, reads) in readers {
            let mut reader = component(server, "R");
            for (number, output) in reads.iter().enumerate() {
                let value = Expr::Leaf(Reference::Output { component: "db/x".into(), output: (*output).into() });
                reader.inputs.insert(format!("i{number}").into(), Binding { value, at: Source::default() });
            }
            model.components.insert(format!("{server}/x").into(), reader);
        }
        model
    }

    fn said(model: &Model) -> Vec<(String, u32)> {
        talks(model)
            .into_iter()
            .map(|talk| (format!("{}-{}", talk.between.0, talk.between.1), talk.bandwidth.mbit()))
            .collect()
    }

    #[test]
    fn what_is_said_takes_the_place_of_what_is_counted() {
        let readers: &[(&str, &[&str])] = &[("web", &["url", "port"]), ("app", &["share", "share", "url"])];
        let of = |own, share| said(&model(own, &[("url", None), ("port", None), ("share", share)], readers));
        let expected = |web, app| vec![("db-web".to_owned(), web), ("db-app".to_owned(), app)];
        assert_eq!(of(None, None), expected(2, 3), "each read counts");
        assert_eq!(of(Some(200), None), expected(200, 200), "once for all that one component reads of another");
        assert_eq!(of(Some(200), Some(2000)), expected(200, 2000), "the output is closer, and is read once");
        assert_eq!(of(None, Some(2000)), expected(2, 2000));
        assert_eq!(of(None, Some(0)), vec![("db-web".to_owned(), 2)], "nothing is exchanged");
    }

    #[test]
    fn several_outputs_and_several_readers_add_up() {
        let mut model = model(None, &[("a", Some(100)), ("b", Some(30))], &[("web", &["a", "b"])]);
        let again = Component { name: "y".into(), ..model.components["web/x"].clone() };
        model.components.insert("web/y".into(), again);
        assert_eq!(said(&model), [("db-web".to_owned(), 260)]);
    }
}
