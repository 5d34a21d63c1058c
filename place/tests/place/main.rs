//! Hosts files, the solver compared to all placements, and the checker on placements broken on purpose.

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
