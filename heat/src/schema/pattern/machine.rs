//! Matches a text by backtracking, as Python does.

use super::parser::{Item, Node, One, Pattern};
use crate::schema::digits::is_digit;

/// The maximum number of steps.
const STEPS: u32 = 400_000;
/// The maximum recursion depth, because matching uses the caller's stack.
const DEPTH: u32 = 600;

/// The step or depth limit is exceeded.
#[derive(Debug)]
struct Spent;

/// The continuation after a part.
type Next<'n> = &'n mut dyn FnMut(&mut Machine, usize) -> Result<bool, Spent>;

/// Whether the first match of the pattern consumes all of the text; `None` if a limit is exceeded.
pub(super) fn matches(pattern: &Pattern, text: &str) -> Option<bool> {
    let text: Vec<char> = text.chars().collect();
    let mut machine = Machine { text, groups: vec![None; pattern.groups], steps: 0, depth: 0 };
    let mut end = None;
    let found = machine.run(&pattern.node, 0, &mut |_, at| {
        end = Some(at);
        Ok(true)
    });
    match found {
        Ok(found) => Some(found && end == Some(machine.text.len())),
        Err(Spent) => None,
    }
}

struct Machine {
    text: Vec<char>,
    /// The ranges that groups have captured.
    groups: Vec<Option<(usize, usize)>>,
    steps: u32,
    depth: u32,
}

impl Machine {
    fn run(&mut self, node: &Node, at: usize, next: Next<'_>) -> Result<bool, Spent> {
        self.steps += 1;
        self.depth += 1;
        if self.steps > STEPS || self.depth > DEPTH {
            return Err(Spent);
        }
        let found = self.step(node, at, next);
        self.depth -= 1;
        found
    }

    fn step(&mut self, node: &Node, at: usize, next: Next<'_>) -> Result<bool, Spent> {
        match node {
            Node::One(one) => {
                if self.is_one(one, at) {
                    next(self, at + 1)
                } else {
                    Ok(false)
                }
            }
            Node::Start { of_lines } => {
                let holds = at == 0 || *of_lines && self.text[at - 1] == '\n';
                if holds { next(self, at) } else { Ok(false) }
            }
            Node::End { of_lines, before_break } => {
                let is_break = self.text.get(at) == Some(&'\n');
                let is_last = at + 1 == self.text.len();
                let holds = at == self.text.len() || is_break && (*of_lines || *before_break && is_last);
                if holds { next(self, at) } else { Ok(false) }
            }
            Node::Boundary(holds) => {
                let is_word = |sign: Option<&char>| sign.is_some_and(|sign| is_word(*sign));
                let before = at.checked_sub(1).and_then(|before| self.text.get(before));
                let is_boundary = is_word(before) != is_word(self.text.get(at));
                // Before Python 3.14, neither matches in an empty text.
                if is_boundary == *holds && !self.text.is_empty() { next(self, at) } else { Ok(false) }
            }
            Node::Group(inner, None) => self.run(inner, at, next),
            Node::Group(inner, Some(number)) => self.run(inner, at, &mut |machine, end| {
                let before = machine.groups[*number].replace((at, end));
                let found = next(machine, end)?;
                if !found {
                    machine.groups[*number] = before;
                }
                Ok(found)
            }),
            Node::Back { group, ignores_case } => {
                let Some((start, end)) = self.groups[*group] else { return Ok(false) };
                let behind = at + (end - start);
                let is_same = behind <= self.text.len()
                    && (0..end - start).all(|n| is_same(self.text[start + n], self.text[at + n], *ignores_case));
                if is_same { next(self, behind) } else { Ok(false) }
            }
            Node::Look { inner, behind, holds } => {
                let found = match behind {
                    None => self.run(inner, at, &mut |_, _| Ok(true))?,
                    Some(width) => match at.checked_sub(*width) {
                        Some(start) => self.run(inner, start, &mut |_, end| Ok(end == at))?,
                        None => false,
                    },
                };
                if found == *holds { next(self, at) } else { Ok(false) }
            }
            Node::Atomic(inner) => {
                let mut end = None;
                let found = self.run(inner, at, &mut |_, behind| {
                    end = Some(behind);
                    Ok(true)
                })?;
                match end.filter(|_| found) {
                    Some(end) => next(self, end),
                    None => Ok(false),
                }
            }
            Node::Row(row) => self.row(row, at, next),
            Node::Either(branches) => {
                for branch in branches {
                    if self.run(branch, at, next)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Node::If(group, branches) => {
                let branch = usize::from(self.groups[*group].is_none());
                self.run(&branches[branch], at, next)
            }
            Node::Repeat { inner, least, most, is_lazy } => match &**inner {
                Node::One(one) => self.signs(one, [*least, *most], *is_lazy, at, next),
                inner => self.again(inner, [*least, *most], *is_lazy, 0, at, next),
            },
        }
    }

    fn row(&mut self, row: &[Node], at: usize, next: Next<'_>) -> Result<bool, Spent> {
        match row {
            [] => next(self, at),
            [last] => self.run(last, at, next),
            [first, rest @ ..] => self.run(first, at, &mut |machine, end| machine.row(rest, end, next)),
        }
    }

    /// A repetition of single characters, which needs no recursion for each.
    fn signs(
        &mut self,
        one: &One,
        [least, most]: [u32; 2],
        is_lazy: bool,
        at: usize,
        next: Next<'_>,
    ) -> Result<bool, Spent> {
        let bound = |count: u32| usize::try_from(count).unwrap_or(usize::MAX);
        let (least, most) = (bound(least), bound(most));
        let mut count = 0;
        let first = if is_lazy { least } else { most };
        while count < first && self.is_one(one, at + count) {
            count += 1;
        }
        if count < least {
            return Ok(false);
        }
        loop {
            self.steps += 1;
            if self.steps > STEPS {
                return Err(Spent);
            }
            if next(self, at + count)? {
                return Ok(true);
            }
            if is_lazy {
                if count >= most || !self.is_one(one, at + count) {
                    return Ok(false);
                }
                count += 1;
            } else {
                if count == least {
                    return Ok(false);
                }
                count -= 1;
            }
        }
    }

    /// A repetition, `count` of which are done.
    fn again(
        &mut self,
        inner: &Node,
        bounds: [u32; 2],
        is_lazy: bool,
        count: u32,
        at: usize,
        next: Next<'_>,
    ) -> Result<bool, Spent> {
        let [least, most] = bounds;
        if is_lazy && count >= least && next(self, at)? {
            return Ok(true);
        }
        if count < most {
            let found = self.run(inner, at, &mut |machine, end| {
                // An empty iteration would repeat forever.
                if end == at && count >= least {
                    return next(machine, end);
                }
                machine.again(inner, bounds, is_lazy, count + 1, end, next)
            })?;
            if found {
                return Ok(true);
            }
        }
        if !is_lazy && count >= least { next(self, at) } else { Ok(false) }
    }

    fn is_one(&self, one: &One, at: usize) -> bool {
        let Some(&sign) = self.text.get(at) else { return false };
        let is_any = |sign: char| one.items.iter().any(|item| is_item(item, sign));
        let found =
            is_any(sign) || one.ignores_case && (sign.to_lowercase().any(is_any) || sign.to_uppercase().any(is_any));
        found != one.is_not
    }
}

fn is_item(item: &Item, sign: char) -> bool {
    match item {
        Item::Range(low, high) => (*low..=*high).contains(&sign),
        Item::Digit(holds) => is_digit(sign) == *holds,
        Item::Space(holds) => (sign.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&sign)) == *holds,
        Item::Word(holds) => is_word(sign) == *holds,
        Item::Dot => sign != '\n',
    }
}

fn is_word(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_'
}

fn is_same(one: char, other: char, ignores_case: bool) -> bool {
    one == other || ignores_case && one.to_lowercase().eq(other.to_lowercase())
}
