//! The form of references and conditions that cross from one template to another.

use sha2::{Digest, Sha256};
use wattle_heat::template::Function;

use crate::model::{Name, ParameterType, Value};

use super::super::RESERVED;
use super::super::hot::{Hot, HotParameter};
use super::cut::Part;

/// The key of a value that is passed in a map, so that it keeps its type and can be null.
const VALUE: &str = "value";

/// The name under which a reference crosses: `backbone`, `fip:floating_ip_address`. A reference with a part that Heat
/// computes is named by its content.
pub(super) fn crossing(reference: &Hot) -> String {
    match reference {
        Hot::GetResource(name) => name.to_string(),
        Hot::GetAttr { resource, attribute, path } => {
            path.iter().fold(format!("{resource}:{attribute}"), |name, step| name + "." + &crossing(step))
        }
        Hot::Value(Value::Str(text)) => text.to_string(),
        Hot::Value(value) => value.to_string(),
        Hot::Function(function, _) => {
            let of = reference.resource().unwrap_or(function);
            format!("{of}:{}", content(reference))
        }
        _ => String::new(),
    }
}

/// Twelve digits that identify a value.
fn content(value: &Hot) -> String {
    // A value that JSON cannot express is reported when the template is emitted, not here.
    let digest = Sha256::digest(serde_json::to_vec(value).unwrap_or_default());
    digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

/// A value within a map.
pub(super) fn wrapped(value: Hot) -> Hot {
    Hot::Map(vec![(VALUE.into(), value)])
}

/// The value within the map that a parameter holds.
pub(super) fn unwrapped(parameter: Name) -> Hot {
    Hot::GetParam { parameter, path: vec![Hot::from(VALUE)] }
}

/// The first argument of a function, if it is a name, such as the parameter of `get_param`.
pub(super) fn first(argument: &Hot) -> Option<&Name> {
    match argument {
        Hot::Value(Value::Str(name)) => Some(name),
        Hot::Value(Value::List(items)) => match items.first()? {
            Value::Str(name) => Some(name),
            _ => None,
        },
        Hot::List(items) => match items.first()? {
            Hot::Value(Value::Str(name)) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a value comes from the resource in the grandparent (`resource_facade`).
pub(super) fn is_facade(value: &Hot) -> bool {
    let Hot::Function(name, _) = value else { return false };
    matches!(Function::of(name), Some(Function::ResourceFacade | Function::FnResourceFacade))
}

/// The value if the condition holds, otherwise null.
pub(super) fn only_if(condition: &Hot, value: Hot) -> Hot {
    either(condition.clone(), value, Hot::Value(Value::Null))
}

fn either(condition: Hot, holds: Hot, fails: Hot) -> Hot {
    Hot::Function("if".into(), Box::new(Hot::List(vec![condition, holds, fails])))
}

/// The form of a condition in a part. The parent evaluates it and passes the result as a parameter. A condition of the part
/// itself is unchanged.
pub(super) fn condition_in(condition: &Hot, part: &mut Part) -> Hot {
    let name: Name = match condition {
        Hot::Value(Value::Boolean(_)) => return condition.clone(),
        Hot::Value(Value::Str(name)) => name.clone(),
        condition => format!("{RESERVED}condition_{}", content(condition)).into(),
    };
    if !part.template.conditions.contains_key(&name) {
        let parameter: Name = format!("{RESERVED}if:{name}").into();
        let truth = |truth| Hot::Value(Value::Boolean(truth));
        part.template.parameters.insert(parameter.clone(), HotParameter::new(ParameterType::Boolean));
        part.given.insert(parameter.clone(), either(condition.clone(), truth(true), truth(false)));
        let holds = Hot::List(vec![Hot::parameter(parameter), truth(true)]);
        part.template.conditions.insert(name.clone(), Hot::Function("equals".into(), Box::new(holds)));
    }
    Hot::Value(Value::Str(name))
}

/// Makes each `if` in a value use a condition of the part.
pub(super) fn decide_in(value: &mut Hot, part: &mut Part) {
    value.rewrite(&mut |function| {
        let Hot::Function(name, argument) = function else { return None };
        if Function::of(name) != Some(Function::If) {
            return None;
        }
        let mut arguments = match &**argument {
            Hot::List(items) => items.clone(),
            Hot::Value(Value::List(items)) => items.iter().cloned().map(Hot::Value).collect(),
            _ => return None,
        };
        let (condition, branches) = arguments.split_first_mut()?;
        *condition = condition_in(condition, part);
        branches.iter_mut().for_each(|branch| decide_in(branch, part));
        Some(Hot::Function(name.clone(), Box::new(Hot::List(arguments))))
    });
}
