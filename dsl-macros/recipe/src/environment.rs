//! Variables that a recipe's environment has already.

use crate::names::OUTPUTS_PATH;

/// Variables by which programs, shells and recipes find their way (POSIX, glibc, Heat's hook convention).
const VARIABLES: [&str; 14] = [
    "PATH",
    "HOME",
    "IFS",
    "ENV",
    "BASH_ENV",
    "SHELL",
    "USER",
    "PWD",
    "TMPDIR",
    "LANG",
    "LC_ALL",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    OUTPUTS_PATH,
];

/// Whether no input can be given to a recipe in a variable of this name. Names that begin with `WATTLE_` are the agent's.
pub fn is_taken(name: &str) -> bool {
    VARIABLES.contains(&name) || name.starts_with("WATTLE_")
}
