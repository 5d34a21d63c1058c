//! Chef cookbooks: recipes, attribute files, libraries, resources and ERB templates.
//!
//! Names are node attribute paths joined by `/`: `node['db2']['url']` is `db2/url`. A key that itself contains a `/`
//! cannot be distinguished from two keys.
//!
//! **Writes.** Assignments (`=`, `||=`, `+=`, including parallel ones) to `node[…]…`, through any precedence level
//! (`node.default`, `override`, `normal`, `automatic`, `force_…`, `…_unless`, `…!`) and, as in attribute files, the bare
//! level; `node.write(:default, …)`, `node.default.write(…)`, `node.default!(…)`, `node.force_override!(…)` and similar
//! calls; `merge!`, `update`, `store`, `<<` and similar methods on a path. A hash literal assigned to a path writes its
//! content. Keys are strings or symbols, or local variables, constants and block arguments with such values: `%w(url
//! port).each { |k| node.default['db2'][k] = … }` writes two. Local variables that hold part of the node are followed, in
//! source order. Blocks such as `ruby_block` and `lazy` are analysed like any other code.
//!
//! **Reads.** The same paths where they are not assigned, and `read`, `dig`, `fetch`, `key?`, `attribute?`,
//! `merged_attributes`. Reading a hash as a whole, such as `node['db2'].to_hash`, reads everything below it. The code in
//! `<% %>` of templates is analysed as well.
//!
//! **Dynamic.** Computed keys (for a read below a known path: the whole path); `node` or a part of a level as an argument
//! of a function; `include_recipe`, `include_attribute` and `require_relative` of files that are not available; `eval` and
//! similar functions; a template that is not available makes reads dynamic.
//!
//! Without the feature `chef`, which includes a Ruby parser, everything is dynamic.
//!
//! **Not recognised.** `node.run_state`, which is not an attribute; custom resources of other cookbooks, which could write
//! attributes but by convention do not; unreachable code. `node.db2.url`, removed in Chef 13, counts like
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

/// Without a Ruby parser, a recipe may read and write anything.
#[cfg(not(feature = "chef"))]
#[expect(clippy::unnecessary_wraps, reason = "with a parser there are errors")]
pub(crate) fn outline(_source: &str) -> Result<FileOutline, SyntaxError> {
    let mut unknown = FileOutline::default();
    unknown.analysis.anything();
    unknown.names.anything = true;
    Ok(unknown)
}
