//! Templates with a single change in each.

use wattle_heat::template::FUNCTIONS;
use wattle_tests::chance::Chance;

use crate::document::Document::{self, List, Map, Raw, Text};

type Change = fn(&mut Document, &mut Chance) -> Option<()>;

/// The possible changes, by name.
const CHANGES: &[(&str, Change)] = &[
    ("dropped-key", dropped_key),
    ("misspelt-key", misspelt_key),
    ("misspelt-text", misspelt_text),
    ("other-kind", other_kind),
    ("other-version", other_version),
    ("wrong-arity", wrong_arity),
    ("other-reference", other_reference),
    ("key-twice", key_twice),
    ("yaml-trap", yaml_trap),
    ("unknown-property", unknown_property),
    ("unknown-attribute", unknown_attribute),
    ("other-default", other_default),
    ("missing-property", missing_property),
    ("other-order", other_order),
    ("called", called),
    ("renamed", renamed),
    ("other-condition", other_condition),
    ("other-type", other_type),
    ("unknown-key", unknown_key),
    ("other-parameter", other_parameter),
    ("missing-value", missing_value),
    ("nothing", nothing),
    ("other-value", other_value),
    ("other-constraint", other_constraint),
    ("missing-resource", missing_resource),
];

/// A change to the text itself.
type Damage = fn(&str, &mut Chance) -> String;

/// Changes to the text itself, by name.
const DAMAGES: &[(&str, Damage)] = &[("truncated", truncated), ("tab", tab), ("indented", indented)];

/// A template with one thing changed, and the name of the change, for any `number`.
pub(crate) fn mutant(number: usize, document: &Document, dice: &mut Chance) -> (&'static str, String) {
    loop {
        // Every twelfth template is damaged as text.
        if number % 12 == 11 {
            let (name, damage) = DAMAGES[number / 12 % DAMAGES.len()];
            return (name, damage(&document.template(), dice));
        }
        let (name, change) = CHANGES[dice.below(CHANGES.len())];
        let mut changed = document.clone();
        if change(&mut changed, dice).is_some() && changed != *document {
            return (name, changed.template());
        }
    }
}

/// A random value that `fits`.
fn any<'d>(
    document: &'d mut Document,
    dice: &mut Chance,
    fits: impl Fn(&mut Document) -> bool,
) -> Option<&'d mut Document> {
    let ways: Vec<_> = document.ways().into_iter().filter(|way| fits(document.at(way))).collect();
    let way = dice.of(&ways)?;
    Some(document.at(way))
}

/// A random entry of a section.
fn entry<'d>(document: &'d mut Document, section: &str, dice: &mut Chance) -> Option<&'d mut (String, Document)> {
    let entries = document.get_mut(section)?.pairs_mut()?;
    if entries.is_empty() {
        return None;
    }
    let index = dice.below(entries.len());
    entries.get_mut(index)
}

fn names(document: &mut Document, section: &str) -> Vec<String> {
    let pairs = document.get_mut(section).and_then(Document::pairs_mut);
    pairs.map(|pairs| pairs.iter().map(|(name, _)| name.clone()).collect()).unwrap_or_default()
}

fn misspell(text: &str, dice: &mut Chance) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    if letters.is_empty() {
        return "x".to_owned();
    }
    let index = dice.below(letters.len());
    match dice.below(3) {
        0 => drop(letters.remove(index)),
        1 => letters.insert(index, 'x'),
        _ => letters.swap(index, 0),
    }
    letters.into_iter().collect()
}

fn has_pairs(document: &mut Document) -> bool {
    matches!(document, Map(pairs) if !pairs.is_empty())
}

fn dropped_key(document: &mut Document, dice: &mut Chance) -> Option<()> {
    let pairs = any(document, dice, has_pairs)?.pairs_mut()?;
    pairs.remove(dice.below(pairs.len()));
    Some(())
}

fn misspelt_key(document: &mut Document, dice: &mut Chance) -> Option<()> {
    let pairs = any(document, dice, has_pairs)?.pairs_mut()?;
    let index = dice.below(pairs.len());
    pairs[index].0 = misspell(&pairs[index].0, dice);
    Some(())
}

fn misspelt_text(document: &mut Document, dice: &mut Chance) -> Option<()> {
    let text = any(document, dice, |value| matches!(value, Text(_)))?.text_mut()?;
    *text = misspell(text, dice);
    Some(())
}

fn other_kind(document: &mut Document, dice: &mut Chance) -> Option<()> {
    let value = any(document, dice, |_| true)?;
    *value = match dice.below(6) {
        0 => List(vec![value.clone()]),
        1 => Map(vec![("a".to_owned(), value.clone())]),
        2 => Text("other".to_owned()),
        3 => Raw("7".to_owned()),
        4 => List(Vec::new()),
        _ => Map(Vec::new()),
    };
    Some(())
}

fn other_version(document: &mut Document, dice: &mut Chance) -> Option<()> {
    const VERSIONS: &[&str] = &[
        "2013-05-23",
        "2014-10-16",
        "2015-04-30",
        "2015-10-15",
        "2016-04-08",
        "2016-10-14",
        "2017-02-24",
        "2017-09-01",
        "2018-03-02",
        "2018-08-31",
        "2021-04-16",
        "newton",
        "wallaby",
        "2021-04-61",
        "",
        "2012-12-12",
    ];
    let version = document.get_mut("heat_template_version")?;
    *version = Text((*dice.of(VERSIONS)?).to_owned());
    Some(())
}

fn is_call(value: &mut Document) -> bool {
    let Map(pairs) = value else { return false };
    pairs.len() == 1 && FUNCTIONS.iter().any(|function| function.name() == pairs[0].0)
}

fn wrong_arity(document: &mut Document, dice: &mut Chance) -> Option<()> {
    let argument = &mut any(document, dice, is_call)?.pairs_mut()?[0].1;
    match argument {
        List(items) if !items.is_empty() => match dice.below(2) {
            0 => drop(items.pop()),
            _ => items.push(Text("more".to_owned())),
        },
        other => *other = List(vec![other.clone(), other.clone()]),
    }
    Some(())
}

fn other_reference(document: &mut Document, dice: &mut Chance) -> Option<()> {
    let mut candidates = names(document, "resources");
    candidates.extend(names(document, "parameters"));
    candidates.push("nowhere".to_owned());
    let name = dice.of(&candidates)?.clone();
    let call =
        any(document, dice, |value| is_call(value) && matches!(value, Map(pairs) if pairs[0].0.starts_with("get_")))?;
    match &mut call.pairs_mut()?[0].1 {
        List(items) => *items.first_mut()? = Text(name),
        argument => *argument = Text(name),
    }
    Some(())
}

fn key_twice(document: &mut Document, dice: &mut Chance) -> Option<()> {
    let pairs = any(document, dice, has_pairs)?.pairs_mut()?;
    let (name, value) = dice.of(pairs)?.clone();
    let value = if dice.below(2) == 0 { value } else { Text("again".to_owned()) };
    pairs.insert(dice.below(pairs.len() + 1), (name, value));
    Some(())
}

fn yaml_trap(document: &mut Document, dice: &mut Chance) -> Option<()> {
    const TRAPS: &[&str] = &[
        "on",
        "No",
        "0644",
        "0o644",
        "22:22",
        "1e3",
        "1.0e+3",
        "2001-01-01",
        "0x1F",
        ".inf",
        "~",
        "=",
        "1_000",
        "0b11",
        "!!str 7",
        "- a",
        "*a",
        "&a b",
        "@a",
        "190:20:30.15",
        "-.5",
        "08",
    ];
    let value = any(document, dice, |value| matches!(value, Text(_) | Raw(_)))?;
    *value = Raw((*dice.of(TRAPS)?).to_owned());
    Some(())
}

fn unknown_property(document: &mut Document, dice: &mut Chance) -> Option<()> {
    let (_, resource) = entry(document, "resources", dice)?;
    let pairs = resource.get_mut("properties")?.pairs_mut()?;
    pairs.push(("colour".to_owned(), Text("red".to_owned())));
    Some(())
}

fn unknown_attribute(document: &mut Document, dice: &mut Chance) -> Option<()> {
    let call = any(document, dice, |value| {
        is_call(value)
            && matches!(value, Map(pairs) if pairs[0].0 == "get_attr" && matches!(&pairs[0].1, List(items) if items.len() > 1))
    })?;
    let List(items) = &mut call.pairs_mut()?[0].1 else { return None };
    items[1] = Text("flavour".to_owned());
    Some(())
}

fn scalar(dice: &mut Chance) -> Document {
    const SCALARS: &[&str] =
        &["-1", "0", "70000", "1.5", "true", "null", "\"\"", "\"a b\"", "\"10.0.0.300\"", "[1, 2]", "{}"];
    Raw((*dice.of(SCALARS).expect("some")).to_owned())
}

fn other_default(document: &mut Document, dice: &mut Chance) -> Option<()> {
    *entry(document, "parameters", dice)?.1.get_mut("default")? = scalar(dice);
    Some(())
}

fn missing_property(document: &mut Document, dice: &mut Chance) -> Option<()> {
    let pairs = entry(document, "resources", dice)?.1.get_mut("properties")?.pairs_mut()?;
    if pairs.is_empty() {
        return None;
    }
    pairs.remove(dice.below(pairs.len()));
    Some(())
}

fn other_order(document: &mut Document, dice: &mut Chance) -> Option<()> {
    let names = names(document, "resources");
    let on = if dice.below(5) == 0 { "nowhere".to_owned() } else { dice.of(&names)?.clone() };
    let pairs = entry(document, "resources", dice)?.1.pairs_mut()?;
    pairs.retain(|(name, _)| name != "depends_on");
    let value = if dice.below(2) == 0 { Text(on) } else { List(vec![Text(on)]) };
    pairs.push(("depends_on".to_owned(), value));
    Some(())
}

fn called(document: &mut Document, dice: &mut Chance) -> Option<()> {
    let function = dice.of(FUNCTIONS)?.name();
    let value = any(document, dice, |_| true)?;
    *value = Map(vec![(function.to_owned(), value.clone())]);
    Some(())
}

fn renamed(document: &mut Document, dice: &mut Chance) -> Option<()> {
    const SECTIONS: &[&str] = &["resources", "parameters", "conditions", "outputs"];
    let others: Vec<String> = ["parameters", "resources"].iter().flat_map(|section| names(document, section)).collect();
    let name = match dice.below(5) {
        0 => "a/b".to_owned(),
        1 => String::new(),
        2 => "a b".to_owned(),
        _ => dice.of(&others)?.clone(),
    };
    entry(document, dice.of(SECTIONS)?, dice)?.0 = name;
    Some(())
}

fn other_condition(document: &mut Document, dice: &mut Chance) -> Option<()> {
    const CONDITIONS: &[&str] =
        &["nowhere", "true", "false", "7", "{not: true}", "{equals: [1]}", "null", "[]", "{and: [true]}"];
    let condition = Raw((*dice.of(CONDITIONS)?).to_owned());
    if dice.below(2) == 0
        && let Some((_, value)) = entry(document, "conditions", dice)
    {
        *value = condition;
        return Some(());
    }
    let section = if dice.below(4) == 0 { "outputs" } else { "resources" };
    let pairs = entry(document, section, dice)?.1.pairs_mut()?;
    pairs.retain(|(name, _)| name != "condition");
    pairs.push(("condition".to_owned(), condition));
    Some(())
}

fn other_type(document: &mut Document, dice: &mut Chance) -> Option<()> {
    const TYPES: &[&str] = &[
        "OS::Nova::Sever",
        "OS::Heat::None",
        "OS::Heat::Value",
        "OS::Nova::Server",
        "OS::Neutron::Port",
        "nowhere.yaml",
        "",
        "OS::Heat::ResourceGroup",
    ];
    *entry(document, "resources", dice)?.1.get_mut("type")? = Text((*dice.of(TYPES)?).to_owned());
    Some(())
}

fn unknown_key(document: &mut Document, dice: &mut Chance) -> Option<()> {
    const SECTIONS: &[&str] = &["resources", "parameters", "outputs", "parameter_groups", "conditions"];
    let added = ("colour".to_owned(), Text("red".to_owned()));
    match dice.of(&[0, 1, 1, 1])? {
        0 => document.pairs_mut()?.push(added),
        _ => entry(document, dice.of(SECTIONS)?, dice)?.1.pairs_mut()?.push(added),
    }
    Some(())
}

fn other_parameter(document: &mut Document, dice: &mut Chance) -> Option<()> {
    const TYPES: &[&str] =
        &["string", "number", "json", "boolean", "comma_delimited_list", "String", "Number", "text", ""];
    let parameter = &mut entry(document, "parameters", dice)?.1;
    *parameter.get_mut("type")? = Text((*dice.of(TYPES)?).to_owned());
    Some(())
}

fn missing_value(document: &mut Document, dice: &mut Chance) -> Option<()> {
    let (section, key) =
        *dice.of(&[("parameters", "default"), ("parameters", "type"), ("outputs", "value"), ("resources", "type")])?;
    let pairs = entry(document, section, dice)?.1.pairs_mut()?;
    let before = pairs.len();
    pairs.retain(|(name, _)| name != key);
    (pairs.len() < before).then_some(())
}

fn nothing(document: &mut Document, dice: &mut Chance) -> Option<()> {
    *any(document, dice, |_| true)? = Raw("null".to_owned());
    Some(())
}

fn other_value(document: &mut Document, dice: &mut Chance) -> Option<()> {
    let (_, resource) = entry(document, "resources", dice)?;
    let value = any(resource.get_mut("properties")?, dice, |value| !matches!(value, Map(_)))?;
    *value = scalar(dice);
    Some(())
}

fn other_constraint(document: &mut Document, dice: &mut Chance) -> Option<()> {
    const CONSTRAINTS: &[&str] = &[
        "{length: {min: 3, max: 1}}",
        "{length: {min: a}}",
        "{range: {min: 100}}",
        "{range: {}}",
        "{allowed_values: []}",
        "{allowed_values: [a]}",
        "{allowed_pattern: \"[a\"}",
        "{allowed_pattern: 7}",
        "{custom_constraint: nowhere}",
        "{custom_constraint: ip_addr}",
        "{modulo: {step: 0, offset: 0}}",
        "{modulo: {step: 2}}",
        "{length: 3}",
        "{}",
        "{range: {min: 1, max: 2}, length: {min: 1}}",
        "text",
        "null",
        "{length: {min: 1}, description: 7}",
    ];
    let constraint = Raw((*dice.of(CONSTRAINTS)?).to_owned());
    let pairs = entry(document, "parameters", dice)?.1.pairs_mut()?;
    pairs.retain(|(name, _)| name != "constraints");
    pairs.push(("constraints".to_owned(), List(vec![constraint])));
    Some(())
}

fn missing_resource(document: &mut Document, dice: &mut Chance) -> Option<()> {
    let pairs = document.get_mut("resources")?.pairs_mut()?;
    if pairs.is_empty() {
        return None;
    }
    pairs.remove(dice.below(pairs.len()));
    Some(())
}

fn truncated(text: &str, dice: &mut Chance) -> String {
    let ends: Vec<usize> = text.char_indices().map(|(index, _)| index).collect();
    text[..*dice.of(&ends).expect("a text")].to_owned()
}

fn line(text: &str, dice: &mut Chance, damage: impl Fn(&str) -> String) -> String {
    let chosen = dice.below(text.lines().count());
    text.lines()
        .enumerate()
        .map(|(at, line)| if at == chosen { damage(line) } else { line.to_owned() } + "\n")
        .collect()
}

fn tab(text: &str, dice: &mut Chance) -> String {
    line(text, dice, |line| format!("\t{line}"))
}

fn indented(text: &str, dice: &mut Chance) -> String {
    line(text, dice, |line| format!(" {line}"))
}
