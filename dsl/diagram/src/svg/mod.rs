//! Pictures as images that need nothing but what shows SVG.
//!
//! What lives here: boxes with what is in them (`scene`), the layout of one level (`level`) and of levels within levels
//! (`layout`), and how it looks (`draw`). Modules are laid out from the inside outwards, so that a box has its size before
//! it is placed.

mod draw;
mod layout;
mod level;
mod measure;
mod scene;

use super::Diagram;

/// As SVG. Its colours follow what the reader prefers, light or dark.
pub fn svg(picture: &Diagram) -> String {
    let mut scene = scene::Scene::of(picture);
    let wires = layout::layout(&mut scene);
    draw::draw(picture, &scene, &wires)
}
