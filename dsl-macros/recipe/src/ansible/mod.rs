//! Ansible playbooks, roles and task files.
//!
//! **Writes.** The keys of `set_stats: data:` (also under its collection names, or by `action:`), and
//! `{{ heat_outputs_path }}.NAME` in any argument of a module that does not only look (`copy`, `template`, `lineinfile`,
//! `get_url`, …), as text or written `heat_outputs_path ~ '.NAME'`, `lookup('env', 'heat_outputs_path')`. The texts of
//! `shell`, `command`, `raw` and of `cmd:` are analysed as shell scripts, so `wattle set` counts too. `{{ item }}` and
//! `{{ item.key }}` are followed to the constants of `loop:` and `with_items:`, other variables to those of `vars:` and
//! `set_fact:`.
//!
//! **Reads.** Every name in `{{ }}` and `{% %}`, and in the bare expressions of `when:`, `that:`, `until:` and their like.
//!
//! **Dynamic.** Names that do not resolve to constants; the bare prefix given to a module; roles, task files, playbooks
//! and scripts that are not given; `vars[…]` of a computed name, `inputs.json`.
//!
//! **Not recognised.** Outputs written by modules of one's own in another way; the values of `vars_files`, group and
//! host variables.

mod play;
mod scope;
mod tree;
mod value;

use crate::analysis::{Findings, SyntaxError};

pub(crate) fn findings(source: &str) -> Result<Findings, SyntaxError> {
    let documents = tree::parse(source)?;
    // What is marked as unsafe is no template.
    play::judge(&documents, !source.contains("!unsafe"))
}

/// Refuses what is not YAML.
pub(crate) fn is_yaml(source: &str) -> Result<(), SyntaxError> {
    tree::parse(source).map(drop)
}
