//! What the page takes from the rules of images, so that both draw a diagram alike.

use serde::Serialize;
use wattle_model::IndexMap;

use crate::fold::{Band, Folded};
use crate::legend::{Sign, legend};
use crate::svg::{Placed, placed};
use crate::{Diagram, Role};

/// Up to this many boxes, the page starts with everything unfolded and receives the layout of the image.
const PLACED: usize = 120;

/// The page's second piece of data, besides the diagram.
#[derive(Serialize)]
pub(super) struct PageData<'p> {
    bands: Vec<Band<'p>>,
    /// For each subnet its network, and for each port its server: the box in which it is shown.
    within: IndexMap<&'p str, &'p str>,
    /// The descriptions of servers.
    about: IndexMap<&'p str, String>,
    legend: Vec<(Sign, &'static str)>,
    /// The layout while nothing is folded.
    #[serde(skip_serializing_if = "Option::is_none")]
    placed: Option<Placed>,
}

impl<'p> PageData<'p> {
    pub(super) fn of(diagram: &'p Diagram) -> Self {
        let folded = Folded::of(diagram);
        let within = diagram.resources.iter().filter_map(|one| {
            let name = &*one.name;
            Some((name, *folded.subnets.get(name).or_else(|| folded.ports.get(name))?))
        });
        let servers = diagram.resources.iter().filter(|one| one.role == Role::ServerBox);
        let about = servers.map(|one| (&*one.name, folded.about_server(one))).filter(|(_, about)| !about.is_empty());
        Self {
            bands: folded.bands(diagram),
            within: within.collect(),
            about: about.collect(),
            legend: legend(diagram),
            placed: (diagram.resources.len() <= PLACED).then(|| placed(diagram)),
        }
    }
}
