//! Heat's own types.

use indexmap::IndexMap;
use wattle_model::{Name, PropertySchema};

use crate::evaluate::Value;
use crate::properties::is_true;
use crate::yaml;

use super::super::class::map;
use super::super::{Judge, Subject};
use super::{Ruled, broken, first};

impl Judge<'_, '_> {
    pub(super) fn heat(&self, subject: Subject<'_>, ty: &str) -> Ruled {
        match ty {
            "OS::Heat::RandomString" => random_string(subject),
            "OS::Heat::SoftwareDeployment" | "OS::Heat::StructuredDeployment" => self.deployment(subject),
            "OS::Heat::SoftwareComponent" => component(subject),
            "OS::Heat::AccessPolicy" => self.access_policy(subject),
            "OS::Heat::ScalingPolicy" => {
                step(subject, "adjustment_type", "min_adjustment_step", "percent_change_in_capacity")
            }
            "OS::Heat::AutoScalingGroup" => {
                first!(sizes(subject, ["min_size", "max_size", "desired_capacity"]), member(subject, "resource"),)
            }
            "OS::Heat::InstanceGroup" => self.launch_configuration(subject),
            "OS::Heat::Stack" => remote_template(subject),
            "OS::Heat::Delay" => delay(subject, self.strict),
            _ => Ok(None),
        }
    }

    fn deployment(&self, subject: Subject<'_>) -> Ruled {
        let server = subject.text("server")?;
        let Some(target) = self.stack.resources.get(&server) else { return Ok(None) };
        let format = target.properties().get("user_data_format");
        match format {
            Ok(Value::Text(format)) if !format.is_empty() && format != "SOFTWARE_CONFIG" => broken(
                format!("`{server}` is not made for software deployments"),
                "give the server `user_data_format: SOFTWARE_CONFIG`",
            ),
            _ => Ok(None),
        }
    }

    fn access_policy(&self, subject: Subject<'_>) -> Ruled {
        let Value::List(names) = subject.own("AllowedResources")? else { return Ok(None) };
        let unknown = names.iter().map(Value::python).find(|name| !self.stack.resources.contains_key(name));
        match unknown {
            Some(name) => broken(format!("there is no resource `{}`", name.escape_debug()), "name one that there is"),
            None => Ok(None),
        }
    }
}

fn random_string(subject: Subject<'_>) -> Ruled {
    let mut least = 0;
    for key in ["character_classes", "character_sequences"] {
        for part in subject.maps(key)? {
            if let Some(Value::Integer(min)) = part.get("min") {
                least += *min;
            }
        }
    }
    match subject.own("length")? {
        Value::Integer(length) if least > length => {
            broken(format!("`length` is less than the {least} characters that are asked for"), "make it longer")
        }
        _ => Ok(None),
    }
}

fn component(subject: Subject<'_>) -> Ruled {
    let mut seen: Vec<Value> = Vec::new();
    for config in subject.maps("configs")? {
        let Some(Value::List(actions)) = config.get("actions") else { continue };
        if actions.iter().any(|action| seen.contains(action)) {
            return broken("more than one of `configs` is for the same action", "put them together");
        }
        seen.extend(actions.iter().cloned());
    }
    Ok(None)
}

/// A step is of percentages.
pub(super) fn step(subject: Subject<'_>, ty: &str, step: &str, percent: &str) -> Ruled {
    if subject.text(ty)? != percent && subject.has(step)? {
        return broken(format!("`{step}` is only for `{ty}: {percent}`"), "take it away");
    }
    Ok(None)
}

/// The sizes of a group fit each other.
pub(super) fn sizes(subject: Subject<'_>, keys: [&str; 3]) -> Ruled {
    let [min_key, max_key, desired_key] = keys;
    let number = |value: Value| match value {
        Value::Integer(number) => Some(number),
        _ => None,
    };
    let (min, max) = (number(subject.own(min_key)?), number(subject.own(max_key)?));
    let (Some(min), Some(max)) = (min, max) else { return Ok(None) };
    if max < min {
        return broken(format!("`{min_key}` is greater than `{max_key}`"), "swap them");
    }
    if min < 0 {
        return broken(format!("`{min_key}` is less than 0"), "make it 0");
    }
    match number(subject.own(desired_key)?) {
        Some(desired) if desired < min || desired > max => {
            broken(format!("`{desired_key}` is not between `{min_key}` and `{max_key}`"), "make it so")
        }
        _ => Ok(None),
    }
}

/// Members have a type. Heat does not look at other keys.
fn member(subject: Subject<'_>, key: &str) -> Ruled {
    if map(subject.own(key)?).get("type").is_some_and(is_true) {
        return Ok(None);
    }
    broken(format!("`{key}` has no `type`"), "say what its members are")
}

/// What is sent to another Heat is a template of some version.
fn remote_template(subject: Subject<'_>) -> Ruled {
    let text = subject.text("template")?;
    let versions = ["heat_template_version", "HeatTemplateFormatVersion", "AWSTemplateFormatVersion"];
    let is_template = yaml::read(&text).is_ok_and(|root| versions.iter().any(|version| root.get(version).is_some()));
    if is_template { Ok(None) } else { broken("`template` is no template of any version", "begin it with its version") }
}

fn delay(subject: Subject<'_>, strict: bool) -> Ruled {
    if !strict {
        return Ok(None);
    }
    let number = |value: &Value| match value {
        Value::Integer(number) => u32::try_from(*number).map_or(f64::MAX, f64::from),
        Value::Float(number) => *number,
        _ => 0.0,
    };
    let (least, jitter) = (number(&subject.own("min_wait")?), number(&subject.own("max_jitter")?));
    let factor = match subject.own("jitter_multiplier")? {
        Value::Null | Value::Unknown => 1.0,
        value => number(&value),
    };
    // A stack's own limit of time is an hour.
    if least + jitter * factor > 3600.0 {
        return broken("it may wait longer than the hour that a stack has", "make it shorter");
    }
    Ok(None)
}

/// The schemas of `update_policy`.
pub(super) fn update_policy(ty: &str) -> IndexMap<Name, PropertySchema> {
    let count =
        |min: u32, default: u32| format!(r#"{{"t": "integer", "def": {default}, "c": [{{"range": [{min}, null]}}]}}"#);
    let pause = r#"{"t": "number", "def": 0, "c": [{"range": [0, null]}]}"#;
    let batch = format!(r#"{{"t": "map", "keys": {{"max_batch_size": {}, "pause_time": {pause}}}}}"#, count(1, 1));
    let amazon = |most: &str| {
        format!(
            r#"{{"{most}": {{"t": "map", "keys": {{"MinInstancesInService": {}, "MaxBatchSize": {}, "PauseTime": {{"t": "string", "def": "PT0S"}}}}}}}}"#,
            count(0, 0),
            count(1, 1)
        )
    };
    let text = match ty {
        "OS::Heat::ResourceGroup" => format!(
            r#"{{"rolling_update": {{"t": "map", "keys": {{"min_in_service": {}, "max_batch_size": {}, "pause_time": {pause}}}}}, "batch_create": {batch}}}"#,
            count(0, 0),
            count(1, 1)
        ),
        "OS::Heat::SoftwareDeploymentGroup"
        | "OS::Heat::SoftwareDeployments"
        | "OS::Heat::StructuredDeploymentGroup"
        | "OS::Heat::StructuredDeployments" => format!(r#"{{"rolling_update": {batch}, "batch_create": {batch}}}"#),
        "AWS::AutoScaling::AutoScalingGroup" => amazon("AutoScalingRollingUpdate"),
        "OS::Heat::InstanceGroup" => amazon("RollingUpdate"),
        _ => "{}".to_owned(),
    };
    serde_json::from_str(&text).expect("INVARIANT: the schemas are JSON")
}
