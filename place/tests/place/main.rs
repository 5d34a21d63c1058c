//! Hosts files, the solver against every placement there is, and the checker against placements that are broken on purpose.

mod files;
mod optimum;
mod refused;
mod small;
mod standing;
mod template;
