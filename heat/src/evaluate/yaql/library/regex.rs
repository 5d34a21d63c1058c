//! Regular expressions.

use std::rc::Rc;

use regex_lite::Captures;

use super::super::context::{Context, Lambda};
use super::super::item::{Item, Map};
use super::super::machine::{Given, Machine, Stop, unknown};
use super::super::overload::{Default, overloads};
use super::super::regex::Pattern;

overloads! { TABLE:
    Function "regex" (pattern: Text, ignoreCase: BooleanOrNull = Default::Boolean(false),
        multiLine: BooleanOrNull = Default::Boolean(false), dotAll: BooleanOrNull = Default::Boolean(false)) => |_, given| {
        let mut flags = String::new();
        for (at, flag) in [(1, "i"), (2, "m"), (3, "s")] {
            flags.push_str(if given.flag(at)? { flag } else { "" });
        }
        Ok(Item::Regex(Rc::new(Pattern::of(&given.text(0)?, &flags)?)))
    };
    Function "isRegex" (value: Any) => |_, given| super::math::is(&given, |item| matches!(item, Item::Regex(_)));
    Function "escapeRegex" (string: Text) => |_, given| Ok(Item::text(escaped(&given.text(0)?)));
    Method "matches" (regexp: Regex, string: Text) => |machine, given| is_in(machine, &given, (0, 1), true);
    Method "matches" (string: Text, regexp: Text) => |machine, given| is_in(machine, &given, (1, 0), true);
    Function "#operator_=~" (string: Text, regexp: Regex) => |machine, given| is_in(machine, &given, (1, 0), true);
    Function "#operator_=~" (string: Text, pattern: Text) => |machine, given| is_in(machine, &given, (1, 0), true);
    Function "#operator_!~" (string: Text, regexp: Regex) => |machine, given| is_in(machine, &given, (1, 0), false);
    Function "#operator_!~" (string: Text, pattern: Text) => |machine, given| is_in(machine, &given, (1, 0), false);
    Method "search" (regexp: Regex, string: Text, selector: Lambda = Default::Null) => |machine, given| {
        let text = given.text(1)?;
        match pattern(&given, 0)?.first(machine, &text)? {
            Some(found) => selected(machine, given.lambda_or_none(2)?.as_deref(), &given.context, &found),
            None => Ok(Item::Null),
        }
    };
    Method "searchAll" (regexp: Regex, string: Text, selector: Lambda = Default::Null) => |machine, given| {
        let text = given.text(1)?;
        let selector = given.lambda_or_none(2)?;
        let all = pattern(&given, 0)?.all(machine, &text, usize::MAX)?;
        let all = all.iter().map(|found| selected(machine, selector.as_deref(), &given.context, found));
        let mut all = all.collect::<Result<Vec<_>, _>>()?.into_iter();
        given.over(move |_| Ok(all.next()))
    };
    Method "split" (regexp: Regex, string: Text, maxSplit: Integer = Default::Integer(0)) =>
        |machine, given| split(machine, &given, 0, 1);
    Method "split" (string: Text, regexp: Regex, maxSplit: Integer = Default::Integer(0)) =>
        |machine, given| split(machine, &given, 1, 0);
    Method "replace" (regexp: Regex, string: Text, repl: Text, count: Integer = Default::Integer(0)) =>
        |machine, given| replaced(machine, &given, 0, 1);
    Method "replace" (string: Text, regexp: Regex, repl: Text, count: Integer = Default::Integer(0)) =>
        |machine, given| replaced(machine, &given, 1, 0);
    Method "replaceBy" (regexp: Regex, string: Text, repl: Lambda, count: Integer = Default::Integer(0)) =>
        |_, _| unknown();
    Method "replaceBy" (string: Text, regexp: Regex, repl: Lambda, count: Integer = Default::Integer(0)) =>
        |_, _| unknown();
}

fn pattern(given: &Given, at: usize) -> Result<Rc<Pattern>, Stop> {
    match given.item(at) {
        Item::Regex(pattern) => Ok(pattern.clone()),
        _ => Pattern::of(&given.text(at)?, "").map(Rc::new),
    }
}

/// Whether a regular expression matches somewhere in a text. Both are given by argument position.
fn is_in(machine: &Machine<'_>, given: &Given, (regex, text): (usize, usize), expected: bool) -> Result<Item, Stop> {
    Ok(Item::Boolean(pattern(given, regex)?.is_in(machine, &given.text(text)?)? == expected))
}

/// Escapes text like Python's `re.escape`.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for sign in text.chars() {
        if "()[]{}?*+-|^$\\.&~# \t\n\r\u{b}\u{c}".contains(sign) {
            out.push('\\');
        }
        out.push(sign);
    }
    out
}

/// The matched text, or the result of a selector for it and its groups.
fn selected(
    machine: &Machine<'_>,
    selector: Option<&Lambda>,
    context: &Context,
    found: &Captures<'_>,
) -> Result<Item, Stop> {
    let Some(selector) = selector else { return Ok(Item::text(&found[0])) };
    let mut values = Vec::new();
    for (number, group) in (1..).zip(found.iter()) {
        let (text, start, end) = match group {
            Some(group) => (Item::text(group.as_str()), group.start() as i128, group.end() as i128),
            None => (Item::Null, -1, -1),
        };
        let mut map = Map::new();
        map.insert(Item::text("value"), text)?;
        map.insert(Item::text("start"), Item::Integer(start))?;
        map.insert(Item::text("end"), Item::Integer(end))?;
        values.push((format!("${number}").into(), map.item(true)));
    }
    machine.evaluate(&selector.expression, None, &context.with(values)?)
}

/// The maximum count. Zero means unlimited.
fn most(given: &Given, at: usize) -> Result<usize, Stop> {
    Ok(match usize::try_from(given.integer(at)?) {
        Ok(0) => usize::MAX,
        Ok(most) => most,
        Err(_) => 0,
    })
}

fn split(machine: &Machine<'_>, given: &Given, regex: usize, text: usize) -> Result<Item, Stop> {
    let text = given.text(text)?;
    let (mut parts, mut at) = (Vec::new(), 0);
    for found in pattern(given, regex)?.all(machine, &text, most(given, 2)?)? {
        // Python inserts the groups between the parts.
        let mut groups = found.iter();
        if let Some(Some(whole)) = groups.next() {
            parts.push(Item::text(&text[at..whole.start()]));
            at = whole.end();
        }
        parts.extend(groups.map(|group| group.map_or(Item::Null, |group| Item::text(group.as_str()))));
    }
    parts.push(Item::text(&text[at..]));
    Item::list(parts)
}

fn replaced(machine: &Machine<'_>, given: &Given, regex: usize, text: usize) -> Result<Item, Stop> {
    let (text, by) = (given.text(text)?, given.text(2)?);
    // In Python, backslashes refer to groups.
    if by.contains('\\') {
        return unknown();
    }
    let (mut out, mut at) = (String::new(), 0);
    for found in pattern(given, regex)?.all(machine, &text, most(given, 3)?)? {
        machine.step(1 + by.len() / 64)?;
        let Some(whole) = found.get(0) else { continue };
        out.push_str(&text[at..whole.start()]);
        out.push_str(&by);
        at = whole.end();
        if out.len() > 1_000_000 {
            return unknown();
        }
    }
    out.push_str(&text[at..]);
    Ok(Item::text(out))
}
