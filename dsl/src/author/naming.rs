//! The types that names can have.

/// Text that names a part, a component, or another item of a topology.
#[diagnostic::on_unimplemented(
    message = "a name was expected here, not `{Self}`",
    label = "not a name",
    note = "the name comes first: `t.add(\"name\", part)`, `t.on(server).run(\"name\", component)`"
)]
pub trait NameText: AsRef<str> {}

#[diagnostic::do_not_recommend]
impl<T: AsRef<str>> NameText for T {}
