//! Cuts a template that is too large for one stack into nested stacks.
//!
//! No server depends on another, so a server can go into a nested stack together with everything that only it needs: its
//! ports and its volumes. Resources that several servers need stay in the parent, and reach the parts as parameters. Values
//! that the parent needs from a part are outputs of that part.
//!
//! Deployed resources stay where they are ([`Places`](super::Places)), and new ones go where there is room. If nothing is
//! deployed, servers are distributed by the digests of their names, so that one server more or less leaves most others
//! where they are.
//!
//! This module decides which resources belong together (`home`) and which part takes which servers (`fill`), makes the
//! cut (`cut`), and writes what crosses it (`crossing`). It does not read what is deployed.

mod crossing;
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
    if is_one || !options.deployed.is_cut() && computes_references(&whole) {
        return (whole, IndexMap::default());
    }
    let places = places(&whole, requires, &sizes, options);
    Cut::new(model, whole, &places).cut()
}

/// Whether Heat must compute which resource a reference is to, so that it cannot be known beforehand. A computed path is
/// harmless.
fn computes_references(whole: &Template) -> bool {
    let computes = |value: &Hot| {
        let mut computes = false;
        value.visit(&mut |part| {
            let Hot::Function(name, _) = part else { return };
            let refers = Function::of(name).filter(|function| function.refers() && *function != Function::GetParam);
            computes |= refers.is_some() && part.resource().is_none() && !crossing::is_facade(part);
        });
        computes
    };
    whole.resources.values().flat_map(HotResource::values).any(computes)
        || whole.outputs.values().any(|output| computes(&output.value))
}

/// The destination of each resource.
fn places(whole: &Template, requires: &[Vec<usize>], sizes: &[usize], options: &Options) -> Vec<Place> {
    let mut homes = Homes::of(whole, requires, &options.deployed);
    // In each part, its own root takes one place.
    let most = Load { resources: options.stack_resources.saturating_sub(1), bytes: options.stack_bytes };
    // A deployed stack may outgrow its intended limit, but not Heat's own. An eighth is left for everything that is not a
    // resource.
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

/// The approximate size of a resource as JSON, in bytes.
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
    // A value that JSON cannot express is reported when the template is emitted, not here.
    let _ = serde_json::to_writer(&mut count, resource);
    count.0
}

#[cfg(test)]
mod tests;
