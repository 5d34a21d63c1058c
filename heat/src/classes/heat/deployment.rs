//! Software that Heat configures on servers.

use crate::evaluate::Value;
use crate::resource::{Class, Ruled, Subject};

use super::super::rule::broken;

pub(super) const CLASSES: &[Class] = &[
    Class { ty: "OS::Heat::SoftwareComponent", validates: &[component], ..Class::PLAIN },
    Class { ty: "OS::Heat::SoftwareDeployment", validates: &[deployment], any_attribute: true, ..Class::PLAIN },
    Class { ty: "OS::Heat::StructuredDeployment", validates: &[deployment], any_attribute: true, ..Class::PLAIN },
];

fn deployment(subject: Subject<'_>) -> Ruled {
    let server = subject.text("server")?;
    let format = subject.all.get(&server).map(|target| target.property("user_data_format"));
    match format {
        Some(Value::Text(format)) if !format.is_empty() && format != "SOFTWARE_CONFIG" => broken(
            format!("`{server}` is not set up for software deployments"),
            "give the server `user_data_format: SOFTWARE_CONFIG`",
        ),
        _ => Ok(None),
    }
}

fn component(subject: Subject<'_>) -> Ruled {
    let mut seen: Vec<Value> = Vec::new();
    for config in subject.maps("configs")? {
        let Some(Value::List(actions)) = config.get("actions") else { continue };
        if actions.iter().any(|action| seen.contains(action)) {
            return broken("more than one of `configs` is for the same action", "combine them");
        }
        seen.extend(actions.iter().cloned());
    }
    Ok(None)
}
