//! The outcomes of the deployment engine's jobs in a cloud, for each type, with faults of all kinds.

mod bare;
mod behind;
mod boot;
mod cases;
mod engine;
mod faults;
mod found;
mod fresh;
mod jobs;
mod leaves;
mod leaving;
mod life;
mod near;
mod refusals;
mod release;
mod schemas;
mod stage;
