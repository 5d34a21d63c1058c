//! Columns of tables: which property of Heat's is which key of a service's.

use serde_json::{Map, Value};

use super::super::find::Sort;
use super::super::json::{agrees, given};
use super::super::stop::Stop;
use super::super::work::Work;

/// Which property of Heat's is which key of a service's.
#[derive(Debug)]
pub(in crate::driver) struct Column {
    pub(in crate::driver) property: &'static str,
    pub(in crate::driver) key: &'static str,
    pub(in crate::driver) form: Form,
    /// Whether it can be changed in place.
    pub(in crate::driver) changes: bool,
    /// What it becomes when it is given no more, as JSON; without one it stays as it is.
    pub(in crate::driver) default: Option<&'static str>,
}

/// How a property becomes what a service takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::driver) enum Form {
    /// As it is. The order of lists does not matter.
    Same,
    /// As it is, and the order of a list matters.
    Ordered,
    /// As it is, if there is anything in it.
    Filled,
    /// A name or an id.
    Id(Sort),
    /// A list of them.
    Ids(Sort),
    /// What has names of networks and subnets in it.
    Nested,
    /// An address, of which Heat writes `~` or nothing where there is none.
    Gateway,
    /// If it is true, no address.
    NoAddress,
}

/// A column that can be changed, and stays as it is if it is given no more.
pub(in crate::driver) const fn free(property: &'static str, key: &'static str, form: Form) -> Column {
    Column { property, key, form, changes: true, default: None }
}

/// A column that can be changed, and goes back to `default`.
pub(in crate::driver) const fn back(property: &'static str, form: Form, default: &'static str) -> Column {
    Column { property, key: property, form, changes: true, default: Some(default) }
}

/// A column that is given when a thing is made, and never again.
pub(in crate::driver) const fn fixed(property: &'static str, key: &'static str, form: Form) -> Column {
    Column { property, key, form, changes: false, default: None }
}

impl Column {
    /// What the service is to have, if anything is said. A property may be written by the service's key as well, as it was in Heat once.
    pub(in crate::driver) async fn wanted(&self, work: &Work<'_>, properties: &Value) -> Result<Option<Value>, Stop> {
        let Some(value) = given(properties, self.property).or_else(|| given(properties, self.key)) else {
            return Ok(None);
        };
        let text = || value.as_str().unwrap_or_default();
        let is_empty = || text().is_empty() && value.as_array().is_none_or(Vec::is_empty);
        Ok(Some(match self.form {
            Form::Filled if is_empty() => return Ok(None),
            Form::Same | Form::Ordered | Form::Filled => value.clone(),
            Form::Id(_) if text().is_empty() => return Ok(None),
            Form::Id(sort) => work.find(sort, text()).await?.into(),
            Form::Ids(sort) => work.find_all(sort, value).await?,
            // Heat says nothing to Neutron of an empty list.
            Form::Nested if value.as_array().is_some_and(Vec::is_empty) => return Ok(None),
            Form::Nested => nested(work, value).await?,
            Form::Gateway => match text() {
                "auto" => return Ok(None),
                "" | "~" => Value::Null,
                address => address.into(),
            },
            Form::NoAddress if *value == true => Value::Array(Vec::new()),
            Form::NoAddress => return Ok(None),
        }))
    }
}

impl Column {
    /// Whether a service has what is wanted.
    pub(in crate::driver) fn agrees(&self, wanted: &Value, current: &Value) -> bool {
        match (self.form, wanted, current) {
            (Form::Ordered, Value::Array(wanted), Value::Array(current)) => {
                wanted.len() == current.len()
                    && wanted.iter().zip(current).all(|(wanted, current)| agrees(wanted, current))
            }
            _ => agrees(wanted, current),
        }
    }
}

/// A map, or a list of maps, with ids under the keys that services have for them. What is null in it is not said.
async fn nested(work: &Work<'_>, value: &Value) -> Result<Value, Stop> {
    match value {
        Value::Array(list) => {
            let mut items = Vec::new();
            for item in list {
                items.push(Box::pin(nested(work, item)).await?);
            }
            Ok(items.into())
        }
        Value::Object(map) => {
            let mut items = Map::new();
            for (key, value) in map.iter().filter(|(_, value)| !value.is_null()) {
                let sort = match key.as_str() {
                    "network" | "network_id" => Some((Sort::Network, "network_id")),
                    "subnet" | "subnet_id" => Some((Sort::Subnet, "subnet_id")),
                    _ => None,
                };
                match (sort, value) {
                    (Some((sort, key)), Value::String(name)) => {
                        items.insert(key.to_owned(), work.find(sort, name).await?.into());
                    }
                    _ => {
                        items.insert(key.clone(), Box::pin(nested(work, value)).await?);
                    }
                }
            }
            Ok(items.into())
        }
        other => Ok(other.clone()),
    }
}
