//! Chef cookbooks: recipes, attribute files, libraries, resources and ERB templates.
//!
//! Names are node attribute paths joined by `/`: `node['db2']['url']` is `db2/url`. A key that itself contains a `/`
//! cannot be distinguished from two keys.
//!
//! **Writes.** Assignments (`=`, `||=`, `+=`, in parallel ones too) to `node[…]…`, through any precedence level
//! (`node.default`, `override`, `normal`, `automatic`, `force_…`, `…_unless`, `…!`) and, as in attribute files, the
//! bare level; `node.write(:default, …)`, `node.default.write(…)`, `node.default!(…)`, `node.force_override!(…)` and
//! the like; `merge!`, `update`, `store`, `<<` and the like on a path. A hash literal assigned to a path writes what is
//! in it. Keys are strings or symbols, or local variables, constants and block arguments that hold some:
//! `%w(url port).each { |k| node.default['db2'][k] = … }` writes two. Local variables that hold part of the node are
//! followed, in source order. Blocks such as `ruby_block` and `lazy` are recipes like any other text.
//!
//! **Reads.** The same paths where they are not assigned, and `read`, `dig`, `fetch`, `key?`, `attribute?`,
//! `merged_attributes`. Reading a whole such as `node['db2'].to_hash` reads everything below it. Templates are read by
//! their `<% %>`.
//!
//! **Dynamic.** Computed keys (for a read below a known path: that path is read whole); `node` or a part of a level
//! passed to a function; `include_recipe`, `include_attribute` and `require_relative` of what is not given; `eval` and
//! the like; a template that is not given makes reads dynamic.
//!
//! Without the feature `chef`, which brings along a parser of Ruby, all of it is dynamic.
//!
//! **Not recognised.** `node.run_state`, which is not an attribute; custom resources of other cookbooks, which could
//! write attributes but by convention do not; whether code is reached. `node.db2.url`, gone since Chef 13, counts like
//! `node['db2']['url']`.

mod erb;
pub(crate) mod path;
#[cfg(feature = "chef")]
mod place;
#[cfg(feature = "chef")]
mod resource;
#[cfg(feature = "chef")]
mod ruby;
#[cfg(feature = "chef")]
mod shell;
#[cfg(feature = "chef")]
mod visit;
#[cfg(feature = "chef")]
mod visitor;

pub(crate) use erb::template;

use crate::analysis::{FileOutline, SyntaxError};

#[cfg(feature = "chef")]
pub(crate) fn outline(source: &str) -> Result<FileOutline, SyntaxError> {
    ruby::parse(source, visit::visit)
}

/// Without a parser of Ruby, a recipe may read and write anything.
#[cfg(not(feature = "chef"))]
#[expect(clippy::unnecessary_wraps, reason = "with a parser there are errors")]
pub(crate) fn outline(_source: &str) -> Result<FileOutline, SyntaxError> {
    let mut unknown = FileOutline::default();
    unknown.analysis.anything();
    unknown.names.anything = true;
    Ok(unknown)
}
