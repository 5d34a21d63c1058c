//! Variables of a state's Jinja. They are separate from the pillar, and inputs are only in the pillar.

use crate::jinja;
use crate::lookup::Names;

/// Variables that Salt provides to each state.
const OWN: [&str; 22] = [
    "salt",
    "grains",
    "pillar",
    "opts",
    "env",
    "saltenv",
    "pillarenv",
    "sls",
    "slspath",
    "sls_path",
    "slsdotpath",
    "slscolonpath",
    "tpldir",
    "tplfile",
    "tpldot",
    "tplroot",
    "tplpath",
    "proxy",
    "context",
    "source",
    "data",
    "tag",
];

/// Records the variables that nothing in the file sets. In Salt, a missing variable is an error.
pub(super) fn note(source: &str, into: &mut Names) {
    let mut own = Names::default();
    OWN.into_iter().for_each(|name| own.set(name));
    jinja::names::template(source, 1, &mut own);
    if !own.anything {
        own.missing().for_each(|(name, line)| into.miss(name, line));
    }
}
