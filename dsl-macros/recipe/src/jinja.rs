//! placeholder
pub(crate) fn template(_: &str, _: &mut crate::Analysis) {}
