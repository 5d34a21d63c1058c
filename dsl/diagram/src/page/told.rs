//! What the page takes from the rules that images follow too, so that both draw one diagram alike.

use serde::Serialize;
use wattle_model::IndexMap;

use crate::fold::{Band, Folded};
use crate::legend::{Sign, legend};
use crate::svg::{Placed, placed};
use crate::{Diagram, Role};

/// Boxes up to which the page begins with everything unfolded and is given where that is.
const PLACED: usize = 120;

/// The page's second piece of data, beside the diagram.
#[derive(Serialize)]
pub(super) struct Told<'p> {
    bands: Vec<Band<'p>>,
    /// By subnet its network, and by port its server, in whose boxes they are told.
    within: IndexMap<&'p str, &'p str>,
    /// What servers say of themselves.
    about: IndexMap<&'p str, String>,
    legend: Vec<(Sign, &'static str)>,
    /// Where everything is while nothing is folded.
    #[serde(skip_serializing_if = "Option::is_none")]
    placed: Option<Placed>,
}

impl<'p> Told<'p> {
    pub(super) fn of(picture: &'p Diagram) -> Self {
        let folded = Folded::of(picture);
        let within = picture.resources.iter().filter_map(|one| {
            let name = &*one.name;
            Some((name, *folded.subnets.get(name).or_else(|| folded.ports.get(name))?))
        });
        let servers = picture.resources.iter().filter(|one| one.role == Role::ServerBox);
        let about = servers.map(|one| (&*one.name, folded.about_server(one))).filter(|(_, about)| !about.is_empty());
        Self {
            bands: folded.bands(picture),
            within: within.collect(),
            about: about.collect(),
            legend: legend(picture),
            placed: (picture.resources.len() <= PLACED).then(|| placed(picture)),
        }
    }
}
