//! Random strings. They are derived from the stack's key, so they stay the same although none is stored.

use wattle_converge::Thing;
use wattle_heat::desired::Resource;
use wattle_heat::evaluate::Value;
use wattle_model::{IndexMap, Name, Value as Known};

use crate::digest::{Key, canonical};

/// The type of random strings.
pub(crate) const RANDOM: &str = "OS::Heat::RandomString";

/// The thing that a job yields for a random string. Its name in the cloud is a digest; its reference and its `value`
/// are the string.
pub(crate) fn string(properties: &IndexMap<Name, Known>) -> Option<Thing> {
    let value = properties.get("value")?;
    let phys = properties.get("id")?.as_str()?.into();
    let attributes = [("reference".into(), value.clone()), ("value".into(), value.clone())].into_iter().collect();
    Some(Thing { phys, attributes })
}

/// The properties of a random string, together with its value and its name in the cloud.
pub(crate) fn with_value(
    key: &Key,
    name: &str,
    resource: &Resource,
    mut properties: IndexMap<Name, Known>,
) -> Result<IndexMap<Name, Known>, String> {
    let seed = canonical(&Known::Map(properties.clone()));
    let value = value(key, name, resource, &seed)?;
    properties.insert("id".into(), Known::Str(key.digest(&["random string", name, &seed])));
    properties.insert("value".into(), value.into());
    Ok(properties)
}

/// The characters of a class, by Heat's name for it.
fn class(name: &str) -> Option<&'static str> {
    Some(match name {
        "lettersdigits" => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        "letters" => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "lowercase" => "abcdefghijklmnopqrstuvwxyz",
        "uppercase" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "digits" => "0123456789",
        "hexdigits" => "0123456789ABCDEF",
        "octdigits" => "01234567",
        _ => return None,
    })
}

/// Generates a string as Heat does (`password_gen.generate_password`): the minimum of each class, the rest from all of them,
/// shuffled.
fn value(key: &Key, name: &str, resource: &Resource, seed: &str) -> Result<String, String> {
    let length = match resource.property("length") {
        Value::Integer(length) => usize::try_from(length).unwrap_or_default(),
        _ => 32,
    };
    let mut kinds: Vec<(Vec<char>, usize)> = Vec::new();
    for part in maps(&resource.property("character_sequences")) {
        kinds.push((part.get("sequence").and_then(Value::as_text).unwrap_or_default().chars().collect(), least(&part)));
    }
    let sequence = resource.property("sequence");
    let sequence = sequence.as_text().filter(|name| !name.is_empty());
    // Heat adds the older property to the newer one. The newer one's default counts only if neither is given.
    let has_classes = sequence.is_none() || resource.given("character_classes").is_some();
    let classes = if has_classes { maps(&resource.property("character_classes")) } else { Vec::new() };
    let classes =
        classes.iter().map(|part| (part.get("class").and_then(Value::as_text).unwrap_or_default(), least(part)));
    for (name, least) in classes.chain(sequence.map(|name| (name, 1))) {
        let characters = class(name).ok_or_else(|| format!("there is no class of characters `{name}`"))?;
        kinds.push((characters.chars().collect(), least));
    }
    let mut all: Vec<char> = kinds.iter().flat_map(|(characters, _)| characters.iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    if all.is_empty() {
        return Err("it has no characters to choose from".to_owned());
    }
    let mut chance = Chance { key, name, seed, block: 0, bytes: Vec::new() };
    let mut chosen: Vec<char> = Vec::with_capacity(length);
    for (characters, least) in &kinds {
        for _ in 0..*least {
            let at = chance.below(characters.len().max(1));
            chosen.extend(characters.get(at));
        }
    }
    if chosen.len() > length {
        return Err(format!("its length is {length}, but {} characters are required", chosen.len()));
    }
    while chosen.len() < length {
        chosen.push(all[chance.below(all.len())]);
    }
    for at in (1..chosen.len()).rev() {
        chosen.swap(at, chance.below(at + 1));
    }
    Ok(chosen.into_iter().collect())
}

fn maps(value: &Value) -> Vec<IndexMap<String, Value>> {
    let items = if let Value::List(items) = value { items.as_slice() } else { &[] };
    let map = |item: &Value| if let Value::Map(parts) = item { Some(parts.clone()) } else { None };
    items.iter().filter_map(map).collect()
}

fn least(part: &IndexMap<String, Value>) -> usize {
    match part.get("min") {
        Some(Value::Integer(least)) => usize::try_from(*least).unwrap_or_default(),
        _ => 1,
    }
}

/// Pseudorandom numbers that are unpredictable without the key, and the same each time.
struct Chance<'c> {
    key: &'c Key,
    name: &'c str,
    seed: &'c str,
    block: u64,
    bytes: Vec<u8>,
}

impl Chance<'_> {
    fn byte(&mut self) -> u8 {
        if self.bytes.is_empty() {
            let block = self.block.to_string();
            self.bytes = self.key.of(&["random string's value", self.name, self.seed, &block]).to_vec();
            self.block += 1;
        }
        self.bytes.pop().unwrap_or_default()
    }

    /// A uniformly distributed number below `bound`.
    fn below(&mut self, bound: usize) -> usize {
        let bound = u32::try_from(bound).unwrap_or(u32::MAX).max(1);
        let fair = u32::MAX - u32::MAX % bound;
        loop {
            let number = u32::from_be_bytes([self.byte(), self.byte(), self.byte(), self.byte()]);
            if number < fair {
                return (number % bound) as usize;
            }
        }
    }
}
