//! Neutron's types that are rows of a table: a collection, columns, and a mark in the description.

mod column;
mod group;
mod left;
mod quirk;
mod unsaid;

use std::collections::BTreeSet;

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use wattle_converge::Outcome;
use wattle_model::Name;

use super::json::{agrees, differs, encoded, given, items, text};
use super::mark::{Mark, half, is_half, is_mark, mark_in, with, without};
use super::stop::Stop;
use super::work::{Collection, Work, delete, get, post, put};
use super::{Driver, Found, Lists, Made, State, cannot_be_released};

pub(super) use column::{Column, Form, back, fixed, free};
pub(super) use group::NOTED;
pub(super) use quirk::{FLOATING, Quirk};

use unsaid::Asked;

/// A type that is a row of the table.
#[derive(Debug)]
pub(super) struct Plain {
    pub(super) collection: &'static Collection,
    /// The key of a single item.
    pub(super) one: &'static str,
    pub(super) columns: &'static [Column],
    /// Whether templates give it a description and tags.
    pub(super) described: bool,
    pub(super) tagged: bool,
    /// Heat's attributes, and the keys that hold them.
    pub(super) attributes: &'static [(&'static str, &'static str)],
    pub(super) quirk: Quirk,
}

impl Plain {
    /// Whether a property is implemented.
    pub(super) fn takes(&self, property: &str) -> bool {
        self.columns.iter().any(|column| column.property == property || column.key == property)
            || (property == "name" && self.quirk != Quirk::Floating)
            || (property == "value_specs" && self.quirk != Quirk::Group)
            || (self.described && property == "description")
            || (self.tagged && property == "tags")
            || self.quirk.takes(property)
    }

    fn path(&self, id: &str) -> String {
        format!("{}/{}", self.collection.path, encoded(id))
    }

    /// The wanted state from a template: each column with its value.
    async fn wanted(&self, work: &Work<'_>, properties: &Value) -> Result<Vec<(&Column, Value)>, Stop> {
        let mut wanted = Vec::new();
        for column in self.columns {
            if let Some(value) = column.wanted(work, properties).await? {
                wanted.push((column, value));
            }
        }
        Ok(wanted)
    }

    /// Whether creating it completely takes more than one request.
    fn needs_more(&self, properties: &Value) -> bool {
        (self.tagged && given(properties, "tags").is_some_and(|tags| !items(tags).is_empty()))
            || self.quirk.needs_more(properties)
    }

    /// The wanted name of a thing, if it differs from the present one.
    fn other_name(&self, work: &Work<'_>, item: &Value, properties: &Value) -> Option<Value> {
        let wanted = work.called(properties);
        (self.takes("name") && wanted != item["name"]).then_some(wanted)
    }

    async fn put(&self, work: &Work<'_>, id: &str, body: Value) -> Result<Value, Stop> {
        let mut answer = work.change(put(self.collection.service, self.path(id), self.one, body)).await?;
        Ok(answer.get_mut(self.one).map(Value::take).unwrap_or_default())
    }

    /// Sets its tags if they differ, keeping our own.
    async fn tag(&self, work: &Work<'_>, item: &mut Value, properties: &Value) -> Result<(), Stop> {
        if !self.tagged {
            return Ok(());
        }
        let wanted = own_tags(properties);
        let current = foreign_tags(item);
        if agrees(&wanted, &current) {
            return Ok(());
        }
        let ours = items(&item["tags"]).iter().filter(|tag| tag.as_str().is_some_and(is_mark)).cloned();
        let tags: Value = items(&wanted).iter().cloned().chain(ours).collect::<Vec<_>>().into();
        let path = format!("{}/tags", self.path(text(item, "id")));
        work.change(put(self.collection.service, path, "tags", tags.clone())).await?;
        item["tags"] = tags;
        Ok(())
    }
}

fn seen(item: Value, marks: &Mark) -> Found {
    Found::new(marks.row_in(text(&item, "description")), text(&item, "id"), item.clone())
}

/// The description of a finished thing.
fn description(work: &Work<'_>, properties: &Value) -> String {
    with(own_description(properties), &work.mark)
}

/// The template's description, as a property or in `value_specs`.
fn own_description(properties: &Value) -> &str {
    let said = given(properties, "description").or_else(|| properties["value_specs"].get("description"));
    said.and_then(Value::as_str).unwrap_or_default()
}

/// Tags that are not marks.
fn foreign_tags(item: &Value) -> Value {
    items(&item["tags"]).iter().filter(|tag| !tag.as_str().is_some_and(is_mark)).cloned().collect::<Vec<_>>().into()
}

/// The template's tags.
fn own_tags(properties: &Value) -> Value {
    given(properties, "tags").cloned().unwrap_or_else(|| json!([]))
}

/// The template's values for keys without a Heat property.
fn besides(properties: &Value) -> impl Iterator<Item = (&String, &Value)> {
    properties["value_specs"].as_object().into_iter().flatten().filter(|(key, _)| *key != "description")
}

#[async_trait]
impl Driver for Plain {
    fn collections(&self) -> Vec<&'static Collection> {
        vec![self.collection]
    }

    fn found(&self, lists: &Lists, marks: &Mark) -> Vec<Found> {
        lists.of(self.collection).iter().map(|item| seen(item.clone(), marks)).collect()
    }

    fn state(&self, found: &Found) -> State {
        match text(&found.item, "status") {
            "ERROR" => State::Broken("Neutron says that it is in the state ERROR".into()),
            "" | "ACTIVE" | "DOWN" | "ALLOCATING" | "N/A" => State::Ready,
            _ => State::Busy,
        }
    }

    fn attributes(&self, found: &Found) -> Map<String, Value> {
        let known = self.attributes.iter().filter_map(|(attribute, key)| Some((*attribute, found.item.get(*key)?)));
        let known = known.map(|(attribute, value)| (attribute.to_owned(), value.clone()));
        known.chain(self.quirk.attributes(&found.item).map(|(name, value)| (name.to_owned(), value))).collect()
    }

    async fn differs(&self, work: &Work<'_>, found: &Found, properties: &Value) -> Result<Option<String>, Stop> {
        let item = &found.item;
        for asked in self.asked(work, item, properties).await? {
            let (column, current) = (asked.column, &item[asked.column.key]);
            if !column.agrees(&asked.wanted, current) && !self.is_as_given(work, &asked, current) {
                return Ok(Some(differs(column.property, &asked.wanted, current)));
            }
        }
        for (key, wanted) in besides(properties) {
            if item.get(key).is_some_and(|current| !agrees(wanted, current)) {
                return Ok(Some(differs(key, wanted, &item[key])));
            }
        }
        if let Some(wanted) = self.other_name(work, item, properties) {
            return Ok(Some(differs("name", &wanted, &item["name"])));
        }
        let (wanted, current) = (own_description(properties), without(text(item, "description")));
        if (self.described || !wanted.is_empty()) && wanted != current {
            return Ok(Some(differs("description", &wanted.into(), &current.into())));
        }
        let wanted = own_tags(properties);
        if self.tagged && !agrees(&wanted, &foreign_tags(item)) {
            return Ok(Some(differs("tags", &wanted, &foreign_tags(item))));
        }
        self.quirk.differs(work, item, properties).await
    }

    async fn look(&self, work: &Work<'_>, properties: Option<&Value>) -> Result<Option<Found>, Stop> {
        let collection = self.collection;
        let is_ours = |item: &Value| work.marks.row_in(text(item, "description")) == work.marks.row(&work.mark);
        let Some(properties) = properties else {
            let path = format!("{}?fields=id&fields=description", collection.path);
            let all = work.listed(get(collection.service, path), collection.key).await?;
            return match all.into_iter().find(is_ours) {
                Some(found) => self.get(work, text(&found, "id")).await,
                None => Ok(None),
            };
        };
        let both = [description(work, properties), half(&work.mark)];
        let query = both.map(|description| format!("description={}", encoded(&description))).join("&");
        let found =
            work.listed(get(collection.service, format!("{}?{query}", collection.path)), collection.key).await?;
        Ok(found.into_iter().find(is_ours).map(|item| seen(item, work.marks)))
    }

    async fn get(&self, work: &Work<'_>, phys: &str) -> Result<Option<Found>, Stop> {
        let read = work.read(get(self.collection.service, self.path(phys)), self.one).await?;
        Ok(read.map(|item| seen(item, work.marks)))
    }

    async fn make(&self, work: &Work<'_>, properties: &Value) -> Result<Made, Stop> {
        let mut body: Map<String, Value> =
            besides(properties).map(|(key, value)| (key.clone(), value.clone())).collect();
        body.insert("name".into(), work.called(properties));
        for (column, value) in self.wanted(work, properties).await? {
            body.insert(column.key.into(), value);
        }
        let description = if self.needs_more(properties) { half(&work.mark) } else { description(work, properties) };
        body.insert("description".into(), description.into());
        self.quirk.making(&mut body);
        let collection = self.collection;
        let mut made = work.make(post(collection.service, collection.path, self.one, body.into())).await?;
        let item = made.get_mut(self.one).map(Value::take).unwrap_or_default();
        if text(&item, "id").is_empty() {
            return Err(Stop::Outcome(Outcome::Unknown));
        }
        Ok(Made::Thing(seen(item, work.marks)))
    }

    fn is_half(&self, found: &Found) -> bool {
        is_half(text(&found.item, "description"))
    }

    async fn finish(&self, work: &Work<'_>, mut found: Found, properties: &Value) -> Result<Found, Stop> {
        if !self.is_half(&found) {
            return Ok(found);
        }
        self.tag(work, &mut found.item, properties).await?;
        self.quirk.follow(work, &mut found.item, properties).await?;
        let item = self.put(work, &found.phys, json!({ "description": description(work, properties) })).await?;
        Ok(seen(item, work.marks))
    }

    async fn update(&self, work: &Work<'_>, mut found: Found, properties: &Value) -> Result<Outcome, Stop> {
        let item = &found.item;
        let mut body = Map::new();
        for Asked { column, wanted, .. } in self.asked(work, item, properties).await? {
            let current = &item[column.key];
            if column.agrees(&wanted, current) {
                continue;
            }
            if !column.changes {
                return Err(Stop::refused(format!(
                    "{}, which cannot be changed in place",
                    differs(column.property, &wanted, current)
                )));
            }
            body.insert(column.key.into(), wanted);
        }
        for (key, wanted) in besides(properties) {
            if item.get(key).is_some_and(|current| !agrees(wanted, current)) {
                body.insert(key.clone(), wanted.clone());
            }
        }
        if let Some(wanted) = self.other_name(work, item, properties) {
            body.insert("name".into(), wanted);
        }
        // An adopted thing has a description of its own, to which the mark is appended.
        let current = text(item, "description");
        let own = own_description(properties);
        let is_left = work.has_left("value_specs.description");
        let own = if own.is_empty() && !self.described && !is_left { without(current) } else { own };
        let description = with(own, &work.mark);
        if description != current {
            body.insert("description".into(), description.into());
        }
        self.quirk.changing(&mut body, item);
        if !body.is_empty() {
            found.item = self.put(work, &found.phys, body.into()).await?;
        }
        self.tag(work, &mut found.item, properties).await?;
        self.quirk.follow(work, &mut found.item, properties).await?;
        Ok(self.outcome(&found))
    }

    fn adopts(&self) -> bool {
        true
    }

    fn mark<'f>(&self, found: &'f Found) -> Option<&'f str> {
        mark_in(text(&found.item, "description"))
    }

    async fn cannot_be(&self, work: &Work<'_>, found: &Found, properties: &Value) -> Result<Option<String>, Stop> {
        let asked = self.asked(work, &found.item, properties).await?;
        let fixed = asked.into_iter().filter(|asked| !asked.column.changes);
        let other = |asked: &Asked<'_>| !asked.column.agrees(&asked.wanted, &found.item[asked.column.key]);
        let mut others = fixed.filter(other);
        Ok(others.next().map(|asked| differs(asked.column.property, &asked.wanted, &found.item[asked.column.key])))
    }

    async fn release(&self, work: &Work<'_>, found: Found, exclusive: &BTreeSet<Name>) -> Result<Outcome, Stop> {
        let Some(body) = self.quirk.released(&found.item, exclusive) else { return Err(cannot_be_released(exclusive)) };
        let item = if body.is_empty() { found.item } else { self.put(work, &found.phys, body.into()).await? };
        Ok(self.outcome(&seen(item, work.marks)))
    }

    async fn delete(&self, work: &Work<'_>, phys: &str) -> Result<Outcome, Stop> {
        let gone = work.remove(delete(self.collection.service, self.path(phys))).await?;
        Ok(if gone.is_some() { Outcome::Done(None) } else { Outcome::Absent })
    }
}
