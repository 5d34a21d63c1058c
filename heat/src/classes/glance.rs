//! Glance's types.

use crate::resource::{Class, Ruled, Subject};

use super::rule::broken;

pub(super) const CLASSES: &[Class] = &[Class { ty: "OS::Glance::WebImage", validates: &[image], ..Class::PLAIN }];

fn image(subject: Subject<'_>) -> Ruled {
    let container = subject.text("container_format")?;
    if matches!(&*container, "ami" | "ari" | "aki") && subject.text("disk_format")? != container {
        return broken(format!("`disk_format` must be {container} too"), "make both equal");
    }
    if subject.is("members")? && subject.text("visibility")? != "shared" {
        return broken("`members` are only for shared images", "set `visibility: shared`");
    }
    Ok(None)
}
