//! Conditions and counts in a blueprint. If one is not known yet, the compiler would only report a type mismatch. So each
//! goes through a function whose bound explains the problem.
//!
//! A negative number that is the only argument of a method or of an associated function goes through one too: if negative
//! numbers are not accepted, the compiler would report that a type has no negation.
//!
//! Only these forms are examined: `if p.tls {`, `if !app.ready && size.big {`, `while ...`, `x if p.tls =>`, `match p.count
//! { 1 => ...`, `-p.count`, `!p.tls`, `0..p.count`, `vec![x; p.count]` and `.port(-1)`. Everything else keeps its tokens. A
//! bare name at the end of a range is left alone if it may be a constant in a pattern: only `in 0..count {` and
//! `(0..count).map(...)` contain no patterns.

use proc_macro2::{Delimiter, Group, Ident, Spacing, Span, TokenStream, TokenTree};
use quote::quote_spanned;

use crate::operated;

/// Marks the conditions and counts in the tokens of a function's body.
pub(crate) fn mark(tokens: TokenStream) -> TokenStream {
    marked(tokens, false)
}

/// Marks counts even if they are bare names, if the tokens are `iterated`.
fn marked(tokens: TokenStream, iterated: bool) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let tokens: Vec<TokenTree> = (0..tokens.len()).map(|at| within(&tokens, at)).collect();
    let mut marked = TokenStream::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if let Some((function, length)) = unary(&tokens, at) {
            marked.extend(call(function, &tokens[at + 1..=at + length]));
            at += 1 + length;
            continue;
        }
        let length = operated::cast(&tokens, at);
        if length > 0 {
            marked.extend(operated::asked("cast", &tokens[at..at + length]));
            at += length;
            continue;
        }
        marked.extend([token.clone()]);
        at += 1;
        if is_word(token, "match") {
            let length = operand(&tokens[at..]);
            if length > 0 && matches!(tokens.get(at + length), Some(block) if is_block(block) && has_literals(block)) {
                marked.extend(call("matched", &tokens[at..at + length]));
                at += length;
            }
        } else if is_word(token, "if") || is_word(token, "while") {
            at += condition(&tokens[at..], &mut marked);
        } else if let Some(operator) = range(&tokens, at - 1) {
            marked.extend(tokens[at..at + operator].iter().cloned());
            at += operator;
            let length = operand(&tokens[at..]);
            let place = &tokens[at..at + length];
            let ends = tokens.get(at + length).is_none_or(is_block);
            let is_value = iterated
                || place.iter().any(|token| is_punct(token, '.'))
                || at.checked_sub(operator + 2).is_some_and(|before| is_word(&tokens[before], "in"));
            if ends && length > 0 && is_value {
                marked.extend(call("counted", place));
                at += length;
            }
        }
    }
    marked
}

/// The token at `at`, with its content marked.
fn within(tokens: &[TokenTree], at: usize) -> TokenTree {
    let TokenTree::Group(group) = &tokens[at] else { return tokens[at].clone() };
    let before = |back: usize| at.checked_sub(back).map(|before| &tokens[before]);
    let is_before = |back, punct| before(back).is_some_and(|token| is_punct(token, punct));
    let is_parenthesis = group.delimiter() == Delimiter::Parenthesis;
    let content = if is_before(1, '!') && before(2).is_some_and(|token| is_word(token, "vec")) {
        repeated(group.stream())
    } else if is_before(1, '!') && before(2).is_some_and(operated::is_assertion) {
        operated::asserted(group.stream(), before(2).is_some_and(operated::compares))
    } else if is_parenthesis
        && matches!(before(1), Some(name) if is_function(name))
        && (is_before(2, '.') || is_before(2, ':'))
    {
        negative(group.stream())
    } else {
        marked(group.stream(), is_parenthesis && tokens.get(at + 1).is_some_and(|next| is_punct(next, '.')))
    };
    let mut inner = Group::new(group.delimiter(), content);
    inner.set_span(group.span());
    TokenTree::Group(inner)
}

/// Whether a name may be a function: one that begins with an upper-case letter may be part of a pattern.
fn is_function(name: &TokenTree) -> bool {
    matches!(name, TokenTree::Ident(name) if name.to_string().starts_with(|first: char| first.is_lowercase()))
}

/// Marks the number of items in a `vec![item; count]`.
fn repeated(tokens: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let Some(end) = tokens.iter().rposition(|token| is_punct(token, ';')) else {
        return mark(tokens.into_iter().collect());
    };
    let (item, count) = (&tokens[..end], &tokens[end + 1..]);
    let mut all = mark(item.iter().cloned().collect());
    all.extend([tokens[end].clone()]);
    let is_operand = !count.is_empty() && operand(count) == count.len();
    all.extend(if is_operand { call("counted", count) } else { mark(count.iter().cloned().collect()) });
    all
}

/// Marks an argument that is a negative whole number.
fn negative(tokens: TokenStream) -> TokenStream {
    let all: Vec<TokenTree> = tokens.clone().into_iter().collect();
    match &all[..] {
        [minus, number @ TokenTree::Literal(literal)] if is_punct(minus, '-') && is_small(&literal.to_string()) => {
            call("negative", std::slice::from_ref(number))
        }
        _ => mark(tokens),
    }
}

/// Whether a literal is a whole number without a suffix that every signed type contains if it contains its negative.
fn is_small(literal: &str) -> bool {
    let number = literal.replace('_', "").parse::<i64>();
    number.is_ok_and(|number| ![1 << 7, 1 << 15, 1 << 31].contains(&number))
}

/// Marks the operands of a condition up to its block; returns the number of their tokens.
fn condition(tokens: &[TokenTree], marked: &mut TokenStream) -> usize {
    let mut at = 0;
    loop {
        while tokens.get(at).is_some_and(|token| is_punct(token, '!')) {
            marked.extend([tokens[at].clone()]);
            at += 1;
        }
        let length = operand(&tokens[at..]);
        let joined = is_joined(&tokens[at + length..]);
        let ends = tokens.get(at + length).is_some_and(is_block) || is_arrow(&tokens[at + length..]);
        if length == 0 || !(joined || ends) {
            return at;
        }
        marked.extend(call("decided", &tokens[at..at + length]));
        at += length;
        if !joined {
            return at;
        }
        marked.extend(tokens[at..at + 2].iter().cloned());
        at += 2;
    }
}

/// The function for a sign in front of an operand, and the number of tokens of the operand.
fn unary(tokens: &[TokenTree], at: usize) -> Option<(&'static str, usize)> {
    let function = match &tokens[at] {
        sign if is_punct(sign, '-') => "negated",
        sign if is_punct(sign, '!') => "inverted",
        _ => return None,
    };
    let is_free = match at.checked_sub(1).map(|before| &tokens[before]) {
        None => true,
        Some(TokenTree::Punct(before)) => before.as_char() != '?' && before.as_char() != '\'',
        Some(TokenTree::Ident(before)) => is_keyword(before) || before == "in" || before == "else",
        Some(TokenTree::Literal(_) | TokenTree::Group(_)) => false,
    };
    let length = operand(&tokens[at + 1..]);
    let is_field = tokens[at + 1..at + 1 + length].iter().any(|token| is_punct(token, '.'));
    let goes_on = matches!(tokens.get(at + 1 + length), Some(next) if is_punct(next, '?') || is_punct(next, ':'));
    (is_free && is_field && !goes_on).then_some((function, length))
}

/// Whether an arm of a `match` has a literal as its pattern.
fn has_literals(block: &TokenTree) -> bool {
    let TokenTree::Group(block) = block else { return false };
    let tokens: Vec<TokenTree> = block.stream().into_iter().collect();
    (0..tokens.len()).any(|at| {
        let is_literal = match &tokens[at] {
            // Other literals have other types.
            TokenTree::Literal(literal) => !literal.to_string().starts_with(['b', 'c', 'r']),
            TokenTree::Ident(word) => word == "true" || word == "false",
            _ => false,
        };
        let begins = match at.checked_sub(1).map(|before| &tokens[before]) {
            None => true,
            Some(before) => is_punct(before, ',') || is_block(before),
        };
        is_literal && begins && is_arrow(&tokens[at + 1..])
    })
}

/// Whether `=>` comes next.
fn is_arrow(tokens: &[TokenTree]) -> bool {
    matches!(tokens, [one, other, ..] if is_punct(one, '=') && is_punct(other, '>'))
}

/// The number of tokens of a name followed by fields, methods, calls and indices; 0 if the tokens are something else.
pub(crate) fn operand(tokens: &[TokenTree]) -> usize {
    let is_name = |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Ident(name)) if !is_keyword(name));
    if !is_name(tokens.first()) {
        return 0;
    }
    let mut length = 1;
    loop {
        length += match tokens.get(length) {
            Some(TokenTree::Group(group))
                if matches!(group.delimiter(), Delimiter::Parenthesis | Delimiter::Bracket) =>
            {
                1
            }
            Some(dot) if is_punct(dot, '.') => match tokens.get(length + 1) {
                Some(TokenTree::Literal(_) | TokenTree::Ident(_)) => 2,
                _ => return length,
            },
            _ => return length,
        };
    }
}

/// The number of tokens of the operator, if a range that begins with a number is at `at`.
fn range(tokens: &[TokenTree], at: usize) -> Option<usize> {
    let before = at.checked_sub(1).map(|before| &tokens[before]);
    let is_number = matches!(&tokens[at], TokenTree::Literal(literal) if literal.to_string().starts_with(|first: char| first.is_ascii_digit()));
    let dots = tokens.get(at + 1..at + 3)?.iter().all(|token| is_punct(token, '.'));
    if !is_number || !dots || before.is_some_and(|before| is_punct(before, '.')) {
        return None;
    }
    Some(if tokens.get(at + 3).is_some_and(|token| is_punct(token, '=')) { 3 } else { 2 })
}

fn call(function: &str, operand: &[TokenTree]) -> TokenStream {
    let span = operand.first().map_or_else(Span::call_site, TokenTree::span);
    let function = Ident::new(function, span);
    let operand = operand.iter().cloned();
    quote_spanned!(span=> ::wattle::author::#function(#(#operand)*))
}

fn is_keyword(name: &Ident) -> bool {
    ["if", "match", "loop", "while", "for", "unsafe", "let", "return", "break", "continue", "async", "const", "move"]
        .iter()
        .any(|keyword| name == keyword)
}

pub(crate) fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == word)
}

pub(crate) fn is_punct(token: &TokenTree, punct: char) -> bool {
    matches!(token, TokenTree::Punct(found) if found.as_char() == punct)
}

fn is_block(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}

/// Whether `&&` or `||` comes next.
fn is_joined(tokens: &[TokenTree]) -> bool {
    let [TokenTree::Punct(one), TokenTree::Punct(other), ..] = tokens else { return false };
    matches!((one.as_char(), one.spacing(), other.as_char()), ('&', Spacing::Joint, '&') | ('|', Spacing::Joint, '|'))
}

#[cfg(test)]
mod tests {
    use super::mark;

    fn marked(text: &str) -> String {
        let tokens = mark(text.parse().expect("tokens"));
        tokens.to_string().replace(":: wattle :: author :: ", "")
    }

    fn same(text: &str) -> bool {
        marked(text) == text.parse::<proc_macro2::TokenStream>().expect("tokens").to_string()
    }

    fn becomes(text: &str, other: &str) -> bool {
        marked(text) == other.parse::<proc_macro2::TokenStream>().expect("tokens").to_string()
    }

    #[test]
    fn conditions_are_marked() {
        assert!(becomes("if p.on {}", "if decided(p.on) {}"));
        assert!(becomes("if !p.on && app.is(3) {}", "if !decided(p.on) && decided(app.is(3)) {}"));
        assert!(becomes("{ while on || x.0 { f() } }", "{ while decided(on) || decided(x.0) { f() } }"));
        assert!(becomes("if a == b && p.on {}", "if a == b && p.on {}"));
        assert!(becomes(
            "f(|| if on { 1 } else if off { 2 } else { 3 })",
            "f(|| if decided(on) { 1 } else if decided(off) { 2 } else { 3 })"
        ));
    }

    #[test]
    fn matches_and_guards_are_marked() {
        assert!(becomes("match p.count { 1 => a, _ => b }", "match matched(p.count) { 1 => a, _ => b }"));
        assert!(becomes("match on { _ => {} true => {} }", "match matched(on) { _ => {} true => {} }"));
        assert!(becomes(
            "match n { x if p.on => {} y if z => {} }",
            "match n { x if decided(p.on) => {} y if decided(z) => {} }"
        ));
    }

    #[test]
    fn signs_are_marked() {
        assert!(becomes("f(-p.count)", "f(negated(p.count))"));
        assert!(becomes("let on = !p.on; 1 * -p.x(2)", "let on = inverted(p.on); 1 * negated(p.x(2))"));
    }

    #[test]
    fn counts_are_marked() {
        assert!(becomes("for n in 0..p.count {}", "for n in 0..counted(p.count) {}"));
        assert!(becomes("(1..=p.count).map(f)", "(1..=counted(p.count)).map(f)"));
        assert!(becomes("for n in 0..count {}", "for n in 0..counted(count) {}"));
        assert!(becomes("(1..=count).map(f)", "(1..=counted(count)).map(f)"));
        assert!(becomes("vec![\"a\"; p.count]", "vec![\"a\"; counted(p.count)]"));
        assert!(becomes("vec![0..p.a; count]", "vec![0..counted(p.a); counted(count)]"));
    }

    #[test]
    fn negative_numbers_are_marked() {
        assert!(becomes("App::new().port(-1).name(x)", "App::new().port(negative(1)).name(x)"));
        assert!(becomes("Volume::new(-1)", "Volume::new(negative(1))"));
    }

    #[test]
    fn all_else_stays() {
        for text in [
            "if let Some(x) = y.z {}",
            "if a == b {}",
            "if match x { _ => true } {}",
            "if loop { break true } {}",
            "if unsafe { f() } {}",
            "if *on {}",
            "if a::B {}",
            "if matches!(a, b) {}",
            "match n { 0..MAX => {} x if y == 1 => {} }",
            "match n.x { Level::Low => {} x => f(1) }",
            "match n.x { b\"a\" => {} _ => {} }",
            "a - b.c",
            "f(a) - b.c",
            "a != b.c",
            "-b.c?",
            "-MAX",
            "x -= b.c",
            "|a| -> b::C {}",
            "vec!(a.b)",
            "let Some(0..=MAX) = n else { return };",
            "t.0..n.len()",
            "&list[0..p.n - 1]",
            "vec![a, b]",
            "vec![a; 2 * n]",
            "f(-1)",
            "match x { Level::Low(-1) => {} }",
            "x.f(-1.5)",
            "x.f(-128)",
            "x.f(-1_i8)",
            "x.f(-1, 2)",
            "(0..MAX, 1)",
            "0..n",
            "f(x.if_not(y))",
        ] {
            assert!(same(text), "{text}: {}", marked(text));
        }
    }
}
