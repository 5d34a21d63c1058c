//! Parses the text of a pattern.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::str::Chars;

/// The maximum nesting of groups.
const DEPTH: usize = 50;
/// The maximum supported count of a repetition.
const LARGEST: u32 = 100_000;

/// A part of a pattern.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    /// One character.
    One(One),
    /// The beginning of the text; with `(?m)`, of any line.
    Start {
        of_lines: bool,
    },
    /// The end of the text; with `before_break`, also before its last line feed; with `(?m)`, of any line.
    End {
        of_lines: bool,
        before_break: bool,
    },
    /// A word boundary, or the absence of one.
    Boundary(bool),
    /// A group, with its number if it captures.
    Group(Box<Self>, Option<usize>),
    /// A backreference to the capture of a group.
    Back {
        group: usize,
        ignores_case: bool,
    },
    /// A lookahead or lookbehind, possibly negative.
    Look {
        inner: Box<Self>,
        behind: Option<usize>,
        holds: bool,
    },
    Repeat {
        inner: Box<Self>,
        least: u32,
        most: u32,
        is_lazy: bool,
    },
    /// An atomic group, which is not retried.
    Atomic(Box<Self>),
    Row(Vec<Self>),
    Either(Vec<Self>),
    /// One of two alternatives, depending on whether a group has captured something.
    If(usize, Box<[Self; 2]>),
}

/// The characters that one position can match.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct One {
    pub(super) items: Vec<Item>,
    pub(super) is_not: bool,
    pub(super) ignores_case: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Item {
    Range(char, char),
    Digit(bool),
    Space(bool),
    Word(bool),
    /// Everything except a line feed.
    Dot,
}

/// A pattern, and the number of its groups.
pub(super) struct Pattern {
    pub(super) node: Node,
    pub(super) groups: usize,
}

#[derive(Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate flag of a pattern")]
struct Flags {
    ignores_case: bool,
    of_lines: bool,
    dot_is_all: bool,
    is_verbose: bool,
}

/// The pattern, if it is supported.
pub(super) fn parse(text: &str) -> Option<Pattern> {
    let names = BTreeMap::new();
    let mut parser = Parser { signs: text.chars().peekable(), flags: Flags::default(), groups: 0, names, depth: 0 };
    let node = parser.either()?;
    parser.signs.next().is_none().then_some(Pattern { node, groups: parser.groups + 1 })
}

struct Parser<'p> {
    signs: Peekable<Chars<'p>>,
    flags: Flags,
    groups: usize,
    names: BTreeMap<String, usize>,
    depth: usize,
}

impl Parser<'_> {
    fn either(&mut self) -> Option<Node> {
        let mut branches = vec![self.row()?];
        while self.signs.next_if_eq(&'|').is_some() {
            branches.push(self.row()?);
        }
        if branches.len() > 1 { Some(Node::Either(branches)) } else { branches.pop() }
    }

    fn row(&mut self) -> Option<Node> {
        let mut row = Vec::new();
        while let Some(sign) = self.signs.next_if(|sign| !matches!(sign, '|' | ')')) {
            if self.flags.is_verbose && sign.is_whitespace() {
                continue;
            }
            if self.flags.is_verbose && sign == '#' {
                while self.signs.next_if(|sign| *sign != '\n').is_some() {}
                continue;
            }
            if let Some(node) = self.item(sign)? {
                let node = self.repeated(node)?;
                row.push(node);
            }
        }
        Some(Node::Row(row))
    }

    /// The item that begins with `sign`, or `None` inside if it only sets flags.
    #[expect(clippy::option_option, reason = "an item may be unsupported, or only set flags")]
    fn item(&mut self, sign: char) -> Option<Option<Node>> {
        let node = match sign {
            '.' if self.flags.dot_is_all => self.one(Vec::new(), true),
            '.' => self.one(vec![Item::Dot], false),
            '^' => Node::Start { of_lines: self.flags.of_lines },
            '$' => Node::End { of_lines: self.flags.of_lines, before_break: true },
            '[' => self.class()?,
            '(' => return self.group(),
            '\\' => self.escape()?,
            '*' | '+' | '?' => return None,
            sign => self.one(vec![Item::Range(sign, sign)], false),
        };
        Some(Some(node))
    }

    fn one(&self, items: Vec<Item>, is_not: bool) -> Node {
        Node::One(One { items, is_not, ignores_case: self.flags.ignores_case })
    }

    fn repeated(&mut self, node: Node) -> Option<Node> {
        let (least, most) = match self.signs.peek() {
            Some('*') => (0, u32::MAX),
            Some('+') => (1, u32::MAX),
            Some('?') => (0, 1),
            Some('{') => match self.bounds()? {
                Some(bounds) => bounds,
                None => return Some(node),
            },
            _ => return Some(node),
        };
        self.signs.next();
        let is_lazy = self.signs.next_if_eq(&'?').is_some();
        let is_atomic = !is_lazy && self.signs.next_if_eq(&'+').is_some();
        // Python rejects a repetition of a repetition.
        if matches!(self.signs.peek(), Some('*' | '+' | '?')) || least > most {
            return None;
        }
        let node = Node::Repeat { inner: Box::new(node), least, most, is_lazy };
        Some(if is_atomic { Node::Atomic(Box::new(node)) } else { node })
    }

    /// The bounds of a repetition in braces, before the closing one; `None` inside if the brace is literal.
    #[expect(clippy::option_option, reason = "a bound may be unsupported, or the brace literal")]
    fn bounds(&mut self) -> Option<Option<(u32, u32)>> {
        let mut ahead = self.signs.clone();
        ahead.next();
        let inside: String = ahead.by_ref().take_while(|sign| *sign != '}').collect();
        let rest: String = self.signs.clone().skip(1 + inside.chars().count()).take(1).collect();
        let (least, most) = inside.split_once(',').unwrap_or((&inside, &inside));
        let is_number = |text: &str| text.bytes().all(|sign| sign.is_ascii_digit());
        if rest != "}" || inside.is_empty() || !is_number(least) || !is_number(most) {
            return Some(None);
        }
        let bound = |text: &str, otherwise| match text {
            "" => Some(otherwise),
            text => text.parse().ok().filter(|number| *number <= LARGEST),
        };
        let bounds = (bound(least, 0)?, bound(most, u32::MAX)?);
        for _ in 0..=inside.chars().count() {
            self.signs.next();
        }
        Some(Some(bounds))
    }

    #[expect(clippy::option_option, reason = "a group may be unsupported, or only set flags")]
    fn group(&mut self) -> Option<Option<Node>> {
        self.depth += 1;
        if self.depth > DEPTH {
            return None;
        }
        let outer = self.flags;
        let node = if self.signs.next_if_eq(&'?').is_none() {
            self.groups += 1;
            let number = self.groups;
            Node::Group(Box::new(self.either()?), Some(number))
        } else if let Some(node) = self.special(outer)? {
            node
        } else {
            // Flags for the whole pattern remain.
            self.depth -= 1;
            return Some(None);
        };
        self.signs.next_if_eq(&')')?;
        self.flags = outer;
        self.depth -= 1;
        Some(Some(node))
    }

    /// A group after `(?`.
    #[expect(clippy::option_option, reason = "a group may be unsupported, or only set flags")]
    fn special(&mut self, outer: Flags) -> Option<Option<Node>> {
        let node = match self.signs.next()? {
            ':' => Node::Group(Box::new(self.either()?), None),
            '>' => Node::Atomic(Box::new(self.either()?)),
            '=' => Node::Look { inner: Box::new(self.either()?), behind: None, holds: true },
            '!' => Node::Look { inner: Box::new(self.either()?), behind: None, holds: false },
            '<' => {
                let holds = match self.signs.next()? {
                    '=' => true,
                    '!' => false,
                    _ => return None,
                };
                let inner = self.either()?;
                let behind = Some(width(&inner)?);
                Node::Look { inner: Box::new(inner), behind, holds }
            }
            '#' => {
                while self.signs.next_if(|sign| *sign != ')').is_some() {}
                Node::Row(Vec::new())
            }
            '(' => {
                let name = self.until(')');
                let group = self.number(&name)?;
                let first = self.row()?;
                let second = if self.signs.next_if_eq(&'|').is_some() { self.row()? } else { Node::Row(Vec::new()) };
                Node::If(group, Box::new([first, second]))
            }
            'P' => match self.signs.next()? {
                '<' => {
                    self.groups += 1;
                    let number = self.groups;
                    let name = self.until('>');
                    self.names.insert(name, number);
                    Node::Group(Box::new(self.either()?), Some(number))
                }
                '=' => {
                    let mut name = String::new();
                    while let Some(sign) = self.signs.next_if(|sign| *sign != ')') {
                        name.push(sign);
                    }
                    let group = *self.names.get(&name)?;
                    Node::Back { group, ignores_case: outer.ignores_case }
                }
                _ => return None,
            },
            sign => return self.with_flags(sign),
        };
        Some(Some(node))
    }

    /// `(?i)` for the whole pattern, or `(?i:...)` and `(?-i:...)` for a group.
    #[expect(clippy::option_option, reason = "a group may be unsupported, or only set flags")]
    fn with_flags(&mut self, first: char) -> Option<Option<Node>> {
        let (mut sign, mut is_on) = (first, true);
        loop {
            match sign {
                'i' => self.flags.ignores_case = is_on,
                'm' => self.flags.of_lines = is_on,
                's' => self.flags.dot_is_all = is_on,
                'x' => self.flags.is_verbose = is_on,
                'u' => {}
                '-' => is_on = false,
                ')' => return Some(None),
                ':' => return Some(Some(Node::Group(Box::new(self.either()?), None))),
                _ => return None,
            }
            sign = self.signs.next()?;
        }
    }

    fn until(&mut self, end: char) -> String {
        self.signs.by_ref().take_while(|sign| *sign != end).collect()
    }

    fn number(&self, name: &str) -> Option<usize> {
        let number = name.parse().ok().or_else(|| self.names.get(name).copied())?;
        (1..=self.groups).contains(&number).then_some(number)
    }

    fn escape(&mut self) -> Option<Node> {
        let sign = self.signs.next()?;
        Some(match sign {
            'A' => Node::Start { of_lines: false },
            'Z' => Node::End { of_lines: false, before_break: false },
            'b' => Node::Boundary(true),
            'B' => Node::Boundary(false),
            '1'..='9' => {
                let mut name = String::from(sign);
                if let Some(digit) = self.signs.next_if(char::is_ascii_digit) {
                    name.push(digit);
                }
                // Three digits may be an octal number.
                if self.signs.peek().is_some_and(char::is_ascii_digit) {
                    return None;
                }
                Node::Back { group: self.number(&name)?, ignores_case: self.flags.ignores_case }
            }
            sign => {
                let item = self.escaped(sign)?;
                self.one(vec![item], false)
            }
        })
    }

    /// An escape in a class or outside of one.
    fn escaped(&mut self, sign: char) -> Option<Item> {
        let single = |sign| Some(Item::Range(sign, sign));
        match sign {
            'd' | 'D' => Some(Item::Digit(sign == 'd')),
            's' | 'S' => Some(Item::Space(sign == 's')),
            'w' | 'W' => Some(Item::Word(sign == 'w')),
            'n' => single('\n'),
            't' => single('\t'),
            'r' => single('\r'),
            'f' => single('\u{c}'),
            'v' => single('\u{b}'),
            'a' => single('\u{7}'),
            'x' => single(self.code(2)?),
            'u' => single(self.code(4)?),
            'U' => single(self.code(8)?),
            sign if sign.is_ascii_alphanumeric() => None,
            sign => single(sign),
        }
    }

    fn code(&mut self, digits: usize) -> Option<char> {
        let text: String = self.signs.by_ref().take(digits).collect();
        char::from_u32(u32::from_str_radix(&text, 16).ok().filter(|_| text.chars().count() == digits)?)
    }

    fn class(&mut self) -> Option<Node> {
        let is_not = self.signs.next_if_eq(&'^').is_some();
        let mut items = Vec::new();
        loop {
            let sign = self.signs.next()?;
            if sign == ']' && !items.is_empty() {
                return Some(self.one(items, is_not));
            }
            let item = self.of_class(sign)?;
            let mut ahead = self.signs.clone();
            let is_range = ahead.next() == Some('-') && ahead.next().is_some_and(|sign| sign != ']');
            if let (Item::Range(low, _), true) = (&item, is_range) {
                let low = *low;
                self.signs.next();
                let sign = self.signs.next()?;
                let Item::Range(high, _) = self.of_class(sign)? else { return None };
                items.push(Item::Range(low, high));
            } else {
                items.push(item);
            }
        }
    }

    fn of_class(&mut self, sign: char) -> Option<Item> {
        match sign {
            '\\' => match self.signs.next()? {
                'b' => Some(Item::Range('\u{8}', '\u{8}')),
                escaped => self.escaped(escaped),
            },
            sign => Some(Item::Range(sign, sign)),
        }
    }
}

/// The number of characters that a part consumes, if it is constant: a lookbehind must have a fixed length.
fn width(node: &Node) -> Option<usize> {
    match node {
        Node::One(_) => Some(1),
        Node::Start { .. } | Node::End { .. } | Node::Boundary(_) | Node::Look { .. } => Some(0),
        Node::Group(inner, _) | Node::Atomic(inner) => width(inner),
        Node::Repeat { inner, least, most, .. } => {
            (least == most).then(|| width(inner)?.checked_mul(usize::try_from(*least).ok()?)).flatten()
        }
        Node::Row(row) => row.iter().map(width).sum(),
        Node::Either(branches) => same(branches),
        Node::If(_, branches) => same(&**branches),
        Node::Back { .. } => None,
    }
}

fn same(branches: &[Node]) -> Option<usize> {
    let first = width(branches.first()?)?;
    branches.iter().all(|branch| width(branch) == Some(first)).then_some(first)
}
