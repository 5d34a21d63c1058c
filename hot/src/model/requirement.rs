//! Requirements, as contained in `wattle_model`.

use wattle::extended::TESTS;
use wattle::model::{Expr, Name, Predicate, Requirement, Test, Tested};
use wattle::names::list;

use super::{Reader, items, pairs};
use wattle_heat::yaml::{Node, Span, Tree};

/// The keys that combine several requirements.
const JOINED: [&str; 3] = ["all_of", "any_of", "none_of"];

impl<'l> Reader<'l> {
    pub(super) fn requirements(&mut self) {
        for (name, span, node) in self.stack.and_then(|stack| stack.get("requirements")).into_iter().flat_map(pairs) {
            self.requirement(&name, span, node);
        }
    }

    fn requirement(&mut self, name: &str, span: Span, node: &'l Node) {
        let what = format!("the requirement `{name}`");
        let Some(predicate) = self.predicate(node, &what, false, &["because"]) else { return };
        let mut requirement = Requirement::new(predicate, self.at(span));
        self.text_of(node, "because", &what).unwrap_or_default().clone_into(&mut requirement.because);
        self.model.requirements.insert(name.into(), requirement);
    }

    /// The predicate. `None` if it cannot be read, which is reported.
    fn predicate(&mut self, node: &'l Node, what: &str, of_item: bool, also: &[&str]) -> Option<Predicate<Expr>> {
        if !self.is_map(node, what) {
            return None;
        }
        let own: &[&str] = if of_item { &["secret"] } else { &["value", "secret"] };
        let known: Vec<&str> = [also, own, TESTS, &JOINED].iter().flat_map(|keys| keys.iter().copied()).collect();
        let before = self.diagnostics.len();
        self.only(node, what, &known);
        if self.diagnostics.len() > before {
            return None;
        }
        let mut parts = Vec::new();
        for key in JOINED {
            let Some(joined) = node.get(key) else { continue };
            if !self.is_list(joined, &format!("`{key}` of {what}")) {
                return None;
            }
            let inner = format!("a part of `{key}` of {what}");
            let mut of_key = Vec::with_capacity(items(joined).len());
            for part in items(joined) {
                of_key.push(self.predicate(part, &inner, of_item, &[])?);
            }
            parts.push(match key {
                "all_of" => Predicate::All(of_key),
                "any_of" => Predicate::Any(of_key),
                _ if of_key.len() == 1 => Predicate::Opposite(Box::new(of_key.remove(0))),
                _ => Predicate::Opposite(Box::new(Predicate::Any(of_key))),
            });
        }
        let tests = pairs(node).filter(|(key, ..)| TESTS.contains(&key.as_str())).collect::<Vec<_>>();
        let value = node.get("value").map(|value| self.own_value(value));
        // An unreadable `secret` still means that something is secret.
        let secret = self.flag(node, "secret", what).unwrap_or(node.get("secret").is_some());
        if !tests.is_empty() && value.is_none() && !of_item {
            let help = "add `value: {get_param: NAME}`";
            self.malformed(node.span, format!("{what} tests nothing"), "no `value`", help.into());
            return None;
        }
        if tests.is_empty() && (value.is_some() || parts.is_empty()) {
            let help = format!("write one of {}", list(TESTS.iter().copied(), "or"));
            self.malformed(node.span, format!("{what} does not say what must hold"), "no test", help);
            return None;
        }
        for (key, _, asked) in tests {
            let test = self.test(&key, asked, what)?;
            parts.push(Predicate::Tested(Tested { value: value.clone(), test, secret }));
        }
        Some(if parts.len() == 1 { parts.remove(0) } else { Predicate::All(parts) })
    }

    fn test(&mut self, key: &str, asked: &'l Node, what: &str) -> Option<Test<Expr>> {
        let what = format!("`{key}` of {what}");
        let value = |reader: &Self| reader.own_value(asked);
        Some(match key {
            "is" => Test::Is(value(self)),
            "is_not" => Test::IsNot(value(self)),
            "at_least" => Test::AtLeast(value(self)),
            "at_most" => Test::AtMost(value(self)),
            "more_than" => Test::MoreThan(value(self)),
            "less_than" => Test::LessThan(value(self)),
            "starts_with" => Test::StartsWith(value(self)),
            "ends_with" => Test::EndsWith(value(self)),
            "includes" => Test::Includes(value(self)),
            "between" => {
                let [least, most] = items(asked) else {
                    let help = "write `between: [1, 5]`".to_owned();
                    self.malformed(
                        asked.span,
                        format!("{what} is not a list of two"),
                        "the minimum and the maximum are expected here",
                        help,
                    );
                    return None;
                };
                Test::Between(self.own_value(least), self.own_value(most))
            }
            "one_of" => {
                if !self.is_list(asked, &what) {
                    return None;
                }
                Test::OneOf(items(asked).iter().map(|item| self.own_value(item)).collect())
            }
            "multiple_of" => Test::MultipleOf(self.count(asked, &what)?),
            "matches" => {
                let Some(pattern) = asked.tree.as_text() else {
                    let (found, help) = (asked.tree.kind(), "write a regular expression in quotes".to_owned());
                    self.malformed(asked.span, format!("{what} is {found}, not text"), found, help);
                    return None;
                };
                Test::Matches(Name::from(pattern))
            }
            "length" => {
                if let Tree::Integer(_) = *asked.tree {
                    let length = self.count(asked, &what)?;
                    return Some(Test::Length { min: Some(length), max: Some(length) });
                }
                if !self.is_map(asked, &what) {
                    return None;
                }
                self.only(asked, &what, &["min", "max"]);
                let mut bound = |key: &str| match asked.get(key) {
                    Some(bound) => self.count(bound, &format!("`{key}` of {what}")).map(Some),
                    None => Some(None),
                };
                Test::Length { min: bound("min")?, max: bound("max")? }
            }
            "every" => Test::EveryItem(Box::new(self.predicate(asked, &what, true, &["value"])?)),
            _ => Test::SomeItem(Box::new(self.predicate(asked, &what, true, &["value"])?)),
        })
    }

    fn count(&mut self, node: &Node, what: &str) -> Option<u32> {
        let number = match *node.tree {
            Tree::Integer(number) => u32::try_from(number).ok(),
            _ => None,
        };
        if number.is_none() {
            let help = "write a number, such as 12".to_owned();
            self.malformed(node.span, format!("{what} is not a whole number"), "not a number from 0 on", help);
        }
        number
    }
}
