//! Rules that several classes share.

use crate::resource::values::integer;
use crate::resource::{Broken, Resource, Ruled, Subject};

#[expect(clippy::unnecessary_wraps, reason = "the return type of all rules")]
pub(super) fn broken(what: impl Into<String>, help: &'static str) -> Ruled {
    Ok(Some(Broken { what: what.into(), help }))
}

/// Two properties are mutually exclusive.
pub(super) fn not_both(subject: Subject<'_>, one: &str, other: &str) -> Ruled {
    if subject.is(one)? && subject.is(other)? {
        return broken(format!("`{one}` and `{other}` exclude each other"), "remove one of them");
    }
    Ok(None)
}

/// At least one of these properties must be given.
pub(super) fn one_of<'k>(subject: Subject<'_>, keys: impl IntoIterator<Item = &'k str>) -> Ruled {
    let mut names = Vec::new();
    for key in keys {
        if subject.has(key)? {
            return Ok(None);
        }
        names.push(format!("`{key}`"));
    }
    broken(format!("one of {} is required", names.join(", ")), "set one of them")
}

/// A quota must limit something.
pub(super) fn quota(subject: Subject<'_>) -> Ruled {
    one_of(subject, subject.keys().filter(|key| *key != "project"))
}

/// The minimum step of a scaling policy applies only to percentages.
pub(super) fn step(subject: Subject<'_>, ty: &str, step: &str, percent: &str) -> Ruled {
    if subject.text(ty)? != percent && subject.has(step)? {
        return broken(format!("`{step}` is only for `{ty}: {percent}`"), "remove it");
    }
    Ok(None)
}

/// The sizes of a group must be consistent.
pub(super) fn sizes(subject: Subject<'_>, [min_key, max_key, desired_key]: [&str; 3]) -> Ruled {
    let number = |key: &str| subject.own(key).map(|value| integer(&value));
    let (min, max) = (number(min_key)?, number(max_key)?);
    let (Some(min), Some(max)) = (min, max) else { return Ok(None) };
    if max < min {
        return broken(format!("`{min_key}` is greater than `{max_key}`"), "swap them");
    }
    if min < 0 {
        return broken(format!("`{min_key}` is less than 0"), "make it 0");
    }
    match number(desired_key)? {
        Some(desired) if desired < min || desired > max => {
            broken(format!("`{desired_key}` is not between `{min_key}` and `{max_key}`"), "choose a value between them")
        }
        _ => Ok(None),
    }
}

/// A group's launch configuration must be a resource that it refers to.
pub(super) fn launch_configuration(subject: Subject<'_>) -> Ruled {
    let key = "LaunchConfigurationName";
    let name = subject.text(key)?;
    if name.is_empty() {
        return Ok(None);
    }
    let refers = subject.resource.references.iter().any(|reference| reference.name == name);
    let target = subject.all.get(&name).map(Resource::made_by);
    if refers && target == Some("AWS::AutoScaling::LaunchConfiguration") {
        return Ok(None);
    }
    broken(format!("`{key}` must refer to a launch configuration of this template"), "write `{get_resource: NAME}`")
}
