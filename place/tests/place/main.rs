//! Hosts files, the solver against every placement there is, and the checker against placements that are broken on purpose.

mod crowded;
mod files;
mod given;
mod members;
mod numbers;
mod optimum;
mod refused;
mod small;
mod standing;
mod template;
