//! The grammar of YAQL, as defined by `yaql.language.parser` and the operators of `yaql.language.factory`.

use std::rc::Rc;

use super::expression::Expression;
use super::lexer::{Broken, Lexer, Token};

/// The maximum nesting of expressions. Python's own recursion limit stops Heat's parser not much later.
const DEPTH: usize = 60;

/// The precedence of binary operators, and whether they are left-associative.
fn binary(sign: &str) -> Option<(u8, bool)> {
    Some(match sign {
        "." | "?." => (10, true),
        "=~" | "!~" => (7, true),
        "*" | "/" | "mod" => (6, true),
        "+" | "-" => (5, true),
        ">" | "<" | ">=" | "<=" | "!=" | "=" | "in" => (4, true),
        "and" => (2, true),
        "or" => (1, true),
        "->" => (0, false),
        _ => return None,
    })
}

/// The precedence of an index.
const INDEX: u8 = 9;

fn prefix(sign: &str) -> Option<u8> {
    match sign {
        "+" | "-" => Some(8),
        "not" => Some(3),
        _ => None,
    }
}

/// Reads an expression.
pub(super) fn parse(text: &str) -> Result<Rc<Expression>, Broken> {
    let mut lexer = Lexer::new(text);
    let next = lexer.next()?;
    let mut parser = Parser { lexer, next };
    let (expression, _) = parser.value(0, 0)?;
    match parser.next {
        None => Ok(expression),
        Some(_) => Err(parser.unexpected()),
    }
}

#[derive(Debug)]
struct Parser<'t> {
    lexer: Lexer<'t>,
    next: Option<(usize, Token)>,
}

/// An expression and its depth.
type Deep = (Rc<Expression>, usize);

type Arguments = (Vec<Option<Rc<Expression>>>, usize);

impl Parser<'_> {
    fn advance(&mut self) -> Result<Option<Token>, Broken> {
        let next = self.lexer.next()?;
        Ok(std::mem::replace(&mut self.next, next).map(|(_, token)| token))
    }

    fn is_next(&self, sign: &str) -> bool {
        matches!(&self.next, Some((_, Token::Sign(next))) if *next == sign)
    }

    fn unexpected(&self) -> Broken {
        let Some((at, token)) = &self.next else {
            return Broken::Wrong { at: usize::MAX, why: "it ends too early".to_owned() };
        };
        let what = match token {
            Token::Null => "`null`".to_owned(),
            Token::Boolean(value) => format!("`{value}`"),
            Token::Integer(value) => format!("`{value}`"),
            Token::Float(value) => format!("`{value}`"),
            Token::Text(_) => "a string".to_owned(),
            Token::Keyword(name) | Token::Variable(name) => format!("`{name}`"),
            Token::Function(name) => format!("`{name}(`"),
            Token::Sign(sign) => format!("`{sign}`"),
        };
        Broken::Wrong { at: *at, why: format!("{what} is not allowed here") }
    }

    fn expect(&mut self, sign: &str) -> Result<(), Broken> {
        if !self.is_next(sign) {
            return Err(match &self.next {
                None => Broken::Wrong { at: usize::MAX, why: format!("`{sign}` is missing at the end") },
                Some(_) => self.unexpected(),
            });
        }
        self.advance().map(drop)
    }

    /// A value with operators of at least this precedence. `outer` is the number of values around it.
    fn value(&mut self, least: u8, outer: usize) -> Result<Deep, Broken> {
        if outer > DEPTH {
            return Err(Broken::Unknown);
        }
        let (mut left, mut depth) = self.first(outer)?;
        while let Some((_, Token::Sign(sign))) = &self.next {
            let sign = *sign;
            if sign == "[" && least <= INDEX {
                self.advance()?;
                let (mut arguments, deep) = self.arguments("]", outer)?;
                arguments.insert(0, Some(left));
                left = Rc::new(Expression::Call { name: "#indexer".into(), arguments });
                depth = deep.max(depth) + 1;
            } else if let Some((tight, from_left)) = binary(sign).filter(|(tight, _)| *tight >= least) {
                self.advance()?;
                let (right, deep) = self.value(if from_left { tight + 1 } else { tight }, outer + 1)?;
                let name = match sign {
                    "=" => "#equal".to_owned(),
                    "!=" => "#not_equal".to_owned(),
                    sign => format!("#operator_{sign}"),
                };
                left = Rc::new(Expression::operator(&name, vec![left, right]));
                depth = deep.max(depth) + 1;
            } else {
                break;
            }
            if depth > DEPTH {
                return Err(Broken::Unknown);
            }
        }
        Ok((left, depth))
    }

    /// The first part of a value.
    fn first(&mut self, outer: usize) -> Result<Deep, Broken> {
        let is_prefix = |sign: &str| prefix(sign).is_some() || matches!(sign, "(" | "[" | "{");
        match &self.next {
            None => return Err(self.unexpected()),
            Some((_, Token::Sign(sign))) if !is_prefix(sign) => return Err(self.unexpected()),
            Some(_) => {}
        }
        let Some(token) = self.advance()? else { return Err(self.unexpected()) };
        let simple = |expression| Ok((Rc::new(expression), 1));
        match token {
            Token::Null => simple(Expression::Null),
            Token::Boolean(value) => simple(Expression::Boolean(value)),
            Token::Integer(value) => simple(Expression::Integer(value)),
            Token::Float(value) => simple(Expression::Float(value)),
            Token::Text(text) => simple(Expression::Text(text)),
            Token::Keyword(name) => simple(Expression::Keyword(name)),
            Token::Variable(name) => simple(Expression::Variable(name)),
            Token::Function(name) => self.call(name, ")", outer),
            Token::Sign("[") => self.call("#list".into(), "]", outer),
            Token::Sign("{") => self.call("#map".into(), "}", outer),
            Token::Sign("(") => {
                let (inside, depth) = self.value(0, outer + 1)?;
                self.expect(")")?;
                Ok((Rc::new(Expression::Wrapped(inside)), depth + 1))
            }
            Token::Sign(sign) => {
                let (of, depth) = self.value(prefix(sign).unwrap_or(0), outer + 1)?;
                Ok((Rc::new(Expression::operator(&format!("#unary_operator_{sign}"), vec![of])), depth + 1))
            }
        }
    }

    fn call(&mut self, name: Rc<str>, end: &str, outer: usize) -> Result<Deep, Broken> {
        let (arguments, depth) = self.arguments(end, outer)?;
        Ok((Rc::new(Expression::Call { name, arguments }), depth + 1))
    }

    /// Arguments up to the end: positional ones, which can be omitted, then rules. The last argument cannot be omitted.
    fn arguments(&mut self, end: &str, outer: usize) -> Result<Arguments, Broken> {
        let (mut arguments, mut depth) = (Vec::new(), 0);
        if self.is_next(end) {
            self.advance()?;
            return Ok((arguments, depth));
        }
        let (mut rules, mut holes) = (false, 0);
        loop {
            if self.is_next(",") && !rules {
                self.advance()?;
                arguments.push(None);
                holes += 1;
                continue;
            }
            if self.next.is_none() {
                self.expect(end)?;
            }
            let (value, deep) = self.value(0, outer + 1)?;
            depth = depth.max(deep);
            if self.is_next("=>") {
                // Before the first rule, at most one argument can be omitted, and only after another one.
                let only_holes = arguments.iter().all(Option::is_none);
                if !rules && (holes > 1 || holes == 1 && only_holes) {
                    return Err(self.unexpected());
                }
                self.advance()?;
                let (of, deep) = self.value(0, outer + 1)?;
                depth = depth.max(deep + 1);
                arguments.push(Some(Rc::new(Expression::Rule(value, of))));
                rules = true;
            } else if rules {
                return Err(self.unexpected());
            } else {
                arguments.push(Some(value));
            }
            holes = 0;
            if self.is_next(",") {
                self.advance()?;
            } else {
                self.expect(end)?;
                return Ok((arguments, depth));
            }
        }
    }
}
