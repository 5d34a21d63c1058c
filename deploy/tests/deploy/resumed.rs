//! Late resolution yields the same result as if everything were known from the beginning.

use std::collections::{BTreeMap, HashMap};

use wattle_heat::desired::{Desired, Facts};
use wattle_heat::evaluate::{Answers, Value};

use crate::corpus;

/// The reference of each resource, and its attributes.
#[derive(Debug, Default)]
struct All(Facts);

impl Answers for All {
    fn reference(&self, name: &str) -> Result<Value, String> {
        self.0.references.get(name).cloned().ok_or_else(|| format!("no `{name}`"))
    }

    fn attribute(&self, name: &str, attribute: &str) -> Result<Value, String> {
        let fact = (name.to_owned(), attribute.to_owned());
        self.0.attributes.get(&fact).cloned().ok_or_else(|| format!("no `{attribute}` of `{name}`"))
    }
}

/// Facts of all resources except stacks and values: a text for attributes, and a list in a map.
fn facts(desired: &Desired) -> Facts {
    let mut facts = Facts { references: HashMap::new(), attributes: HashMap::new() };
    for (name, resource) in &desired.resources {
        let Some(schema) = wattle_heat::schema::schema(resource.made_by()).filter(|_| !resource.is_stack) else {
            continue;
        };
        facts.references.insert(name.clone(), Value::Text(format!("id of {name}")));
        if resource.made_by() == "OS::Heat::Value" {
            continue;
        }
        for attribute in schema.attributes.keys() {
            let text = Value::Text(format!("{attribute},of,{name}"));
            let map = [("a".to_owned(), Value::List(vec![text.clone(), Value::Integer(5)]))].into_iter().collect();
            let value = if attribute.len() % 2 == 0 { text } else { Value::Map(map) };
            facts.attributes.insert((name.clone(), attribute.to_string()), value);
        }
    }
    facts
}

#[test]
fn it_is_what_it_would_be_if_it_were_known() {
    let (mut compared, mut wrong) = (0, BTreeMap::new());
    for (name, loaded) in corpus::good().into_iter().chain(corpus::examples()) {
        let unfolded = Desired::unfolded(&loaded);
        let facts = facts(&unfolded);
        let known = Desired::of(&loaded, &facts);
        let answers = All(facts);
        for (full, resource) in unfolded.resources.iter().filter(|(_, resource)| !resource.is_stack) {
            let Some(now) = known.resources.get(full) else { continue };
            let waits = resource.all_given().any(|(_, value)| value.is_open());
            if !waits || now.all_given().any(|(_, value)| !value.is_known()) {
                continue;
            }
            match resource.resolved(&answers) {
                Ok(later) => {
                    for (property, value) in now.all_given() {
                        compared += 1;
                        let later = later.all_given().find(|(name, _)| *name == property).map(|(_, value)| value);
                        if later != Some(value) {
                            wrong.insert(format!("{name}: {full}.{property}"), format!("{value:?} and {later:?}"));
                        }
                    }
                }
                Err(why) => drop(wrong.insert(format!("{name}: {full}"), why)),
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(compared > 300, "{compared}");
}
