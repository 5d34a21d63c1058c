//! Columns of tables, which map Heat's properties to a service's keys.

use serde_json::{Map, Value};

use super::super::find::Sort;
use super::super::json::{agrees, given};
use super::super::stop::Stop;
use super::super::work::Work;

/// Maps a Heat property to a key of a service.
#[derive(Debug)]
pub(in crate::driver) struct Column {
    pub(in crate::driver) property: &'static str,
    pub(in crate::driver) key: &'static str,
    pub(in crate::driver) form: Form,
    /// Whether it can be changed in place.
    pub(in crate::driver) changes: bool,
    /// The value, as JSON, to which it reverts when it is no longer given. Without a default, it keeps its value.
    pub(in crate::driver) default: Option<&'static str>,
}

/// How a property is converted for a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::driver) enum Form {
    /// Unchanged. The order of lists does not matter.
    Same,
    /// Unchanged, and the order of a list matters.
    Ordered,
    /// Unchanged, unless it is empty.
    Filled,
    /// A name or an id.
    Id(Sort),
    /// A list of names or ids.
    Ids(Sort),
    /// A value that contains names of networks and subnets.
    Nested,
    /// An address. In Heat, `~` or an empty text means none.
    Gateway,
    /// A flag; if it is true, there is no address.
    NoAddress,
}

/// A column that can be changed, and keeps its value when it is no longer given.
pub(in crate::driver) const fn free(property: &'static str, key: &'static str, form: Form) -> Column {
    Column { property, key, form, changes: true, default: None }
}

/// A column that can be changed, and reverts to `default` when it is no longer given.
pub(in crate::driver) const fn back(property: &'static str, form: Form, default: &'static str) -> Column {
    Column { property, key: property, form, changes: true, default: Some(default) }
}

/// A column that can be set only at creation.
pub(in crate::driver) const fn fixed(property: &'static str, key: &'static str, form: Form) -> Column {
    Column { property, key, form, changes: false, default: None }
}

impl Column {
    /// The wanted value of the service's key, if given. A property may also be written under the service's key, as Heat
    /// once allowed.
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
            // Heat does not send an empty list to Neutron.
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
    /// Whether a service's value matches the wanted one.
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

/// Converts a map, or a list of maps, to ids under the service's keys. Omits nulls.
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
