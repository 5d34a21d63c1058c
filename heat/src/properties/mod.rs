//! Properties as Heat reads them: converted to their types, including those set under another name.
//!
//! What lives here: the value of a property according to its schema, and everything that Heat would refuse about the given
//! value. What must not: the results of functions (`evaluate`), and the wording of diagnostics (`check`).
//!
//! Heat reads leniently while a value refers to a resource that does not exist yet: it converts the value and checks nothing
//! else. An attribute is null before its resource exists, and null becomes empty text, zero, false, or the schema's default.

mod convert;
mod translation;
mod wrong;

use wattle_model::{IndexMap, Name, PropertySchema, PropertyType};

use crate::evaluate::Value;
use crate::yaml::{Node, Pair, Span, Tree};

pub use convert::takes;
pub(crate) use convert::{null, shown};
pub(crate) use translation::{Addition, Translation, translation};
pub use translation::{Renamed, renamed};
pub(crate) use wrong::{What, Wrong};

/// A property as given.
#[derive(Clone, Debug)]
pub(crate) struct Property {
    /// Its value. `None` if a function in it fails, which is reported elsewhere.
    pub(crate) value: Option<Value>,
    /// Whether it refers to a resource.
    pub(crate) pending: bool,
    /// The name and value as written, if they are.
    pub(crate) pair: Option<Pair>,
}

/// The properties of a resource.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Properties<'p> {
    pub(crate) schema: &'p IndexMap<Name, PropertySchema>,
    pub(crate) translations: &'static [Translation],
    pub(crate) given: &'p IndexMap<String, Property>,
}

/// The value cannot be read. The fault has been recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refused;

type Read = Result<Value, Refused>;

impl Properties<'_> {
    /// The value of the property `key`. Null if the schema does not have it.
    pub(crate) fn get(self, key: &str) -> Read {
        Reader::new(self, false).property(key)
    }

    /// The value that the user set, without defaults. `None` if it is null.
    pub(crate) fn user_value(self, key: &str) -> Result<Option<Value>, Refused> {
        let Some(schema) = self.schema.get(key) else { return Ok(None) };
        Reader::new(self, false).user_value(key, schema)
    }

    /// The given properties, under the names that Heat reads and in the types of the schema. No defaults are added, neither
    /// for a property nor within one.
    ///
    /// # Errors
    ///
    /// Why Heat does not accept it, with the path to it.
    pub(crate) fn only_given(self) -> Result<IndexMap<Name, Value>, String> {
        if let Some(name) = self.given.keys().find(|name| !self.schema.contains_key(&***name)) {
            return Err(format!("`{name}`: its type has no such property"));
        }
        let mut reader = Reader { fills: false, ..Reader::new(self, false) };
        let mut given = IndexMap::default();
        for (key, schema) in self.schema {
            match reader.only(key, schema) {
                Ok(Some(value)) => drop(given.insert(key.clone(), value)),
                Ok(None) => {}
                Err(Refused) => {
                    return Err(match reader.wrongs.pop() {
                        Some(wrong) => format!("`{}`: {}", wrong.path, wrong.what.why()),
                        None => format!("`{key}`: it cannot be read"),
                    });
                }
            }
        }
        Ok(given)
    }

    /// The same without values that are the schema's default anyway, including within properties: a plan treats both as
    /// equal.
    ///
    /// # Errors
    ///
    /// Why Heat does not accept it, with the path to it.
    pub(crate) fn beyond_defaults(self) -> Result<IndexMap<Name, Value>, String> {
        let mut given = self.only_given()?;
        given.retain(|name, value| {
            let schema = &self.schema[name];
            *value = beyond_defaults(schema, value);
            !is_default(schema, value)
        });
        Ok(given)
    }

    /// All given values and names that Heat refuses. Without `values`, only names are checked, as in a nested template.
    pub(crate) fn wrongs(self, values: bool) -> Vec<Wrong> {
        let mut reader = Reader::new(self, true);
        for (key, property) in self.given {
            if !self.schema.contains_key(&**key) {
                let what = What::Unknown { name: key.clone(), known: names(self.schema) };
                reader.wrongs.push(Wrong { path: String::new(), span: name_span(property.pair.as_ref()), what });
            }
        }
        for (key, schema) in self.schema {
            let given = self.given.get(&**key);
            if values && !reader.is_replaced(&[key]) {
                // The fault has been recorded.
                let _ = reader.property(key);
            }
            if let Some(property) = given.filter(|_| schema.hidden) {
                let what = What::Hidden(key.to_string());
                reader.wrongs.push(Wrong { path: String::new(), span: name_span(property.pair.as_ref()), what });
            }
        }
        reader.wrongs
    }
}

/// A value without the parts that are the schema's default.
fn beyond_defaults(schema: &PropertySchema, value: &Value) -> Value {
    match (value, &schema.item) {
        (Value::List(items), Some(item)) => {
            Value::List(items.iter().map(|value| beyond_defaults(item, value)).collect())
        }
        (Value::Map(items), _) if !schema.keys.is_empty() => {
            let mut left = IndexMap::default();
            for (key, value) in items {
                let Some(schema) = schema.keys.get(&**key) else { continue };
                let value = beyond_defaults(schema, value);
                if !is_default(schema, &value) {
                    left.insert(key.clone(), value);
                }
            }
            Value::Map(left)
        }
        _ => value.clone(),
    }
}

/// Whether a value is the schema's default.
fn is_default(schema: &PropertySchema, value: &Value) -> bool {
    let default = match &schema.default {
        Some(default) => Value::of_model(default),
        None => return *value == Value::Null,
    };
    let default = match schema.ty {
        PropertyType::List | PropertyType::Map => default,
        ty => convert::scalar(ty, None, &default).unwrap_or(default),
    };
    value.equals(&default) == Some(true)
}

fn names(schema: &IndexMap<Name, PropertySchema>) -> Vec<String> {
    schema.keys().map(ToString::to_string).collect()
}

fn name_span(pair: Option<&Pair>) -> Option<Span> {
    pair.map(|pair| pair.key.span)
}

/// The state of reading properties.
struct Reader<'p> {
    properties: Properties<'p>,
    /// Whether everything is judged, or only read.
    judges: bool,
    /// The names on the path to what is being read, without indices.
    names: Vec<String>,
    /// The path to it, as written by people.
    path: String,
    /// Its place.
    span: Option<Span>,
    /// Whether names are translated to others.
    translates: bool,
    /// Whether defaults are filled in within a property.
    fills: bool,
    wrongs: Vec<Wrong>,
}

impl<'p> Reader<'p> {
    fn new(properties: Properties<'p>, judges: bool) -> Self {
        Self {
            properties,
            judges,
            names: Vec::new(),
            path: String::new(),
            span: None,
            translates: true,
            fills: true,
            wrongs: Vec::new(),
        }
    }

    fn refuse(&mut self, what: What) -> Refused {
        self.wrongs.push(Wrong { path: self.path.clone(), span: self.span, what });
        Refused
    }

    fn is_replaced(&self, names: &[impl AsRef<str>]) -> bool {
        let is = |rule: &Translation| {
            let beside = if rule.to.len() > 1 { &rule.to[..rule.to.len() - 1] } else { &[] };
            beside.iter().chain(rule.from).copied().eq(names.iter().map(AsRef::as_ref))
                // Something that contains only such values is not read either.
                || rule.from.len() > 1
                    && beside.iter().chain(&rule.from[..1]).copied().eq(names.iter().map(AsRef::as_ref))
        };
        self.translates && self.properties.translations.iter().any(is)
    }

    fn rule(&self, names: &[impl AsRef<str>]) -> Option<&'static Translation> {
        let is = |rule: &&Translation| rule.to.iter().copied().eq(names.iter().map(AsRef::as_ref));
        self.properties.translations.iter().find(is).filter(|_| self.translates)
    }

    /// A property of the resource itself.
    fn property(&mut self, key: &str) -> Read {
        let Some(schema) = self.properties.schema.get(key) else { return Ok(Value::Null) };
        let pair = self.properties.given.get(key).and_then(|property| property.pair.as_ref());
        let before = (std::mem::replace(&mut self.path, key.to_owned()), self.span);
        self.span = pair.map(|pair| pair.value.span);
        self.names.push(key.to_owned());
        let read = self.own(key, schema);
        self.names.pop();
        (self.path, self.span) = before;
        read
    }

    /// A property of the resource itself, if it is given.
    fn only(&mut self, key: &str, schema: &PropertySchema) -> Result<Option<Value>, Refused> {
        key.clone_into(&mut self.path);
        self.names = vec![key.to_owned()];
        if let Some(value) = self.user_value(key, schema)? {
            return Ok(Some(value));
        }
        let Some(rule) = self.rule(&[key]) else { return Ok(None) };
        let value = self.replacement(rule, None)?;
        if matches!(value, Value::Null) { Ok(None) } else { self.value(schema, &value, None, false).map(Some) }
    }

    fn own(&mut self, key: &str, schema: &PropertySchema) -> Read {
        if let Some(value) = self.user_value(key, schema)? {
            return Ok(value);
        }
        let judges = self.judges;
        if let Some(rule) = self.rule(&[key]) {
            let value = self.replacement(rule, None)?;
            if !matches!(value, Value::Null) || schema.default.is_some() {
                return self.value(schema, &value, None, false);
            }
        }
        self.default(key, schema, judges)
    }

    fn default(&mut self, key: &str, schema: &PropertySchema, judges: bool) -> Read {
        if schema.default.is_some() {
            return self.value(schema, &Value::Null, None, judges);
        }
        if schema.required { Err(self.refuse(What::Missing(key.to_owned()))) } else { Ok(Value::Null) }
    }

    /// The given value of a property of the resource itself, if any.
    fn user_value(&mut self, key: &str, schema: &PropertySchema) -> Result<Option<Value>, Refused> {
        let Some(property) = self.properties.given.get(key) else { return Ok(None) };
        if self.is_replaced(&[key]) {
            return Ok(None);
        }
        let Some(value) = &property.value else { return Err(Refused) };
        if matches!(value, Value::Absent) {
            return Ok(None);
        }
        let judges = self.judges && !property.pending;
        let node = property.pair.as_ref().map(|pair| &pair.value);
        if let Some(rule) = self.rule(&[key]) {
            let replacement = self.replacement(rule, Some(value))?;
            if !matches!(replacement, Value::Null) {
                return self.value(schema, &replacement, None, judges).map(Some);
            }
        }
        self.value(schema, value, node, judges).map(Some)
    }

    /// The value set under another name for a property of the resource itself, in addition to its own `value`.
    fn replacement(&mut self, rule: &Translation, value: Option<&Value>) -> Read {
        self.translates = false;
        let replacement = self.property(rule.from[0]);
        self.translates = true;
        let replacement = replacement?;
        if is_true(&replacement) && value.is_some_and(is_true) {
            return Err(self.refuse(What::Both(rule.to[0].to_owned(), rule.from[0].to_owned())));
        }
        Ok(replacement)
    }

    /// Converts `value`, which is written in `node`, according to `schema`.
    fn value(&mut self, schema: &PropertySchema, value: &Value, node: Option<&Node>, judges: bool) -> Read {
        let value = match schema.ty {
            _ if matches!(value, Value::Open(_)) => return Ok(value.clone()),
            PropertyType::Map => self.map(schema, value, node, judges),
            PropertyType::List => self.list(schema, value, node, judges),
            ty => convert::scalar(ty, schema.default.as_ref(), value).map_err(|what| self.refuse(what)),
        }?;
        if judges && !matches!(value, Value::Unknown) {
            let known = value.to_model();
            let broken: Vec<_> = schema
                .constraints
                .iter()
                .filter_map(|constraint| crate::schema::broken(constraint, schema.ty, &known))
                .collect();
            for why in broken {
                self.refuse(What::Constraint(why));
            }
        }
        Ok(value)
    }

    fn map(&mut self, schema: &PropertySchema, value: &Value, node: Option<&Node>, judges: bool) -> Read {
        let default;
        let items = match value {
            Value::Map(items) => items,
            Value::Null | Value::Unknown => {
                default = convert::default(schema.default.as_ref());
                match &default {
                    Value::Map(items) => items,
                    _ => &IndexMap::default(),
                }
            }
            Value::Text(_) if schema.converts => return Ok(value.clone()),
            Value::List(_) if schema.converts => return Ok(Value::Text(crate::value::json::dumps(value))),
            _ => return Err(self.refuse(What::Kind(PropertyType::Map, value.clone()))),
        };
        if schema.keys.is_empty() {
            return Ok(Value::Map(items.clone()));
        }
        let pairs = literal(node).map(|node| match &*node.tree {
            Tree::Map(pairs) => pairs.as_slice(),
            _ => &[],
        });
        let pair =
            |key: &str| pairs.and_then(|pairs| pairs.iter().rev().find(|pair| pair.key.tree.as_text() == Some(key)));
        if judges {
            for key in items.keys().filter(|key| !schema.keys.contains_key(&***key)) {
                let what = What::Unknown { name: key.clone(), known: names(&schema.keys) };
                let span = name_span(pair(key)).or(self.span);
                self.wrongs.push(Wrong { path: self.path.clone(), span, what });
            }
        }
        let mut read = IndexMap::default();
        let mut refused = false;
        for (key, schema) in &schema.keys {
            let length = self.path.len();
            let span = self.span;
            let pair = pair(key);
            self.path.push('.');
            self.path.push_str(key);
            self.span = pair.map(|pair| pair.value.span).or(span);
            self.names.push(key.to_string());
            match self.child(key, schema, items, pair.map(|pair| &pair.value), judges) {
                Ok(Some(value)) => drop(read.insert(key.to_string(), value)),
                Ok(None) => {}
                Err(Refused) => refused = true,
            }
            self.names.pop();
            self.span = span;
            self.path.truncate(length);
        }
        if refused { Err(Refused) } else { Ok(Value::Map(read)) }
    }

    /// The value of one key of a map. `None` if it is not given and nothing is filled in.
    fn child(
        &mut self,
        key: &str,
        schema: &PropertySchema,
        items: &IndexMap<String, Value>,
        node: Option<&Node>,
        judges: bool,
    ) -> Result<Option<Value>, Refused> {
        let replaced = self.is_replaced(&self.names);
        let own = items.get(key).filter(|_| !replaced);
        let beside = self.rule(&self.names).and_then(|rule| {
            let first = items.get(rule.from[0])?;
            rule.from[1..].iter().try_fold(first, |value, key| match value {
                Value::Map(items) => items.get(*key),
                _ => None,
            })
        });
        let beside = beside.filter(|value| !matches!(value, Value::Null | Value::Unknown));
        if let Some(beside) = beside {
            if is_true(beside) && own.is_some_and(is_true) {
                let from = self.rule(&self.names).map_or("", |rule| rule.from[0]);
                return Err(self.refuse(What::Both(key.to_owned(), from.to_owned())));
            }
            return self.value(schema, beside, None, judges && own.is_some()).map(Some);
        }
        match own {
            Some(Value::Absent) | None if schema.hidden && items.contains_key(key) && judges => {
                Err(self.refuse(What::Hidden(key.to_owned())))
            }
            Some(Value::Absent) | None if !self.fills => Ok(None),
            Some(Value::Absent) | None => self.default(key, schema, judges).map(Some),
            Some(value) => {
                if judges && schema.hidden {
                    self.refuse(What::Hidden(key.to_owned()));
                }
                self.value(schema, value, node, judges).map(Some)
            }
        }
    }

    fn list(&mut self, schema: &PropertySchema, value: &Value, node: Option<&Node>, judges: bool) -> Read {
        let default;
        let items = match value {
            Value::List(items) => items.as_slice(),
            Value::Null | Value::Unknown => {
                default = convert::default(schema.default.as_ref());
                match &default {
                    Value::List(items) => items.as_slice(),
                    _ => &[],
                }
            }
            Value::Text(text) if schema.converts => {
                default = convert::split(text);
                match &default {
                    Value::List(items) => items.as_slice(),
                    _ => &[],
                }
            }
            _ => return Err(self.refuse(What::Kind(PropertyType::List, value.clone()))),
        };
        let Some(item) = &schema.item else { return Ok(Value::List(items.to_vec())) };
        let nodes = literal(node).map(|node| match &*node.tree {
            Tree::List(nodes) if nodes.len() == items.len() => nodes.as_slice(),
            _ => &[],
        });
        let mut read = Vec::with_capacity(items.len());
        let mut refused = false;
        for (index, value) in items.iter().enumerate() {
            let node = nodes.and_then(|nodes| nodes.get(index));
            let length = self.path.len();
            let span = self.span;
            self.path.push_str(&format!("[{index}]"));
            self.span = node.map(|node| node.span).or(span);
            if judges && item.hidden {
                self.refuse(What::Hidden(index.to_string()));
            }
            match self.value(item, value, node, judges) {
                Ok(value) => read.push(value),
                Err(Refused) => refused = true,
            }
            self.span = span;
            self.path.truncate(length);
        }
        if refused { Err(Refused) } else { Ok(Value::List(read)) }
    }
}

/// The node, if its parts correspond to those of its value. Those of a call do not, and a map with one key may be a call,
/// so it counts as one.
fn literal(node: Option<&Node>) -> Option<&Node> {
    node.filter(|node| match &*node.tree {
        Tree::Map(pairs) => {
            pairs.len() != 1 || pairs[0].key.tree.as_text().and_then(crate::template::Function::of).is_none()
        }
        _ => true,
    })
}

/// Python's truth value. An unknown value counts as null.
pub(crate) fn is_true(value: &Value) -> bool {
    value.truth() == Some(true)
}
