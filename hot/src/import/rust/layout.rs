//! Line breaking by the rules of rustfmt's default settings.

use super::{Expr, Method};

/// The maximum width of a line.
pub(in super::super) const WIDTH: usize = 100;

/// The maximum width of the arguments of a call, the items of an array or the methods of a chain on one line.
const NARROW: usize = 60;

/// The maximum width of the fields of a struct on one line.
const FIELDS: usize = 18;

/// The maximum width of array items of which as many as fit go on one line.
const SHORT: usize = 10;

const TAB: usize = 4;

/// The position of an expression.
#[derive(Clone, Copy)]
struct Place {
    /// The indentation of the block.
    indent: usize,
    /// The column of the first line's start.
    column: usize,
    /// The width of the text after it on the last line.
    after: usize,
    /// The last usable column.
    width: usize,
    /// Whether this is part of a chain that must not be broken between its methods, and so must not be broken either.
    straight: bool,
}

impl Place {
    fn line(indent: usize, column: usize) -> Self {
        Self { indent, column, after: 1, width: WIDTH, straight: false }
    }

    fn room(self) -> usize {
        self.width.saturating_sub(self.column + self.after)
    }

    /// The position one level deeper, on its own line and followed by a comma.
    fn item(self) -> Self {
        let indent = self.indent + TAB;
        Self { straight: self.straight, ..Self::line(indent, indent) }
    }
}

/// `EXPRESSION;` in a block.
pub(in super::super) fn statement(expr: &Expr, indent: usize) -> String {
    format!("{}{};\n", blanks(indent), written(expr, Place::line(indent, indent)))
}

/// `let NAME = EXPRESSION;` in a block, or `const NAME: &str = EXPRESSION;`.
pub(in super::super) fn assigned(to: &str, expr: &Expr, indent: usize) -> String {
    let column = indent + len(to) + 3;
    let here = written(expr, Place::line(indent, column));
    let start = format!("{}{to} =", blanks(indent));
    if !here.contains('\n') && column + len(&here) < WIDTH {
        return format!("{start} {here};\n");
    }
    let below = written(expr, Place::line(indent + TAB, indent + TAB));
    let lines = |text: &str| text.matches('\n').count();
    let first_ends = |text: &str, with| text.lines().next().is_some_and(|line| line.ends_with(with));
    let fits = below.lines().enumerate().all(|(i, line)| {
        let indent = if i == 0 { indent + TAB } else { 0 };
        indent + len(line) <= WIDTH - usize::from(i == lines(&below))
    });
    let better = lines(&below) == 0
        || lines(&here) > lines(&below) + 1
        || ['(', '{', '['].iter().any(|open| first_ends(&here, *open) && !first_ends(&below, *open));
    if fits && better { format!("{start}\n{}{below};\n", blanks(indent + TAB)) } else { format!("{start} {here};\n") }
}

fn blanks(count: usize) -> String {
    " ".repeat(count)
}

fn len(text: &str) -> usize {
    text.chars().count()
}

/// The expression on one line, if rustfmt keeps it on one regardless of its width.
fn flat(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Atom(text) => Some(text.clone()),
        Expr::Call(name, arguments) => Some(format!("{name}({})", flat_items(arguments)?)),
        Expr::Array(items) => Some(format!("[{}]", flat_items(items)?)),
        Expr::Tuple(items) => Some(format!("({})", flat_items(items)?)),
        Expr::Struct(name, fields) => {
            let fields: Vec<String> = fields.iter().map(field).collect::<Option<_>>()?;
            let fields = fields.join(", ");
            (len(&fields) <= FIELDS).then(|| format!("{name} {{ {fields} }}"))
        }
        Expr::Chain(root, methods) => {
            let mut text = flat(root)?;
            for method in methods {
                text += &flat_method(method)?;
            }
            (methods.len() == 1 || len(&text) <= NARROW).then_some(text)
        }
    }
}

fn field((name, value): &(String, Expr)) -> Option<String> {
    let value = flat(value)?;
    Some(if *name == value { value } else { format!("{name}: {value}") })
}

fn flat_items(items: &[Expr]) -> Option<String> {
    let texts: Vec<String> = items.iter().map(flat).collect::<Option<_>>()?;
    let text = texts.join(", ");
    // rustfmt gives a nested call less space than other single items.
    let has_room = matches!(items, [only] if !matches!(only, Expr::Call(..)));
    (has_room || len(&text) <= NARROW).then_some(text)
}

fn flat_method(method: &Method) -> Option<String> {
    Some(format!(".{}({})", method.name, flat_items(&method.arguments)?))
}

/// The expression, free to be broken anywhere.
fn written(expr: &Expr, place: Place) -> String {
    write(expr, place).expect("INVARIANT: only what must be straight may have no form")
}

/// The expression at this position. It exceeds the width if nothing can be broken. `None` if it must not be broken but does
/// not fit.
fn write(expr: &Expr, place: Place) -> Option<String> {
    if let Some(text) = flat(expr).filter(|text| len(text) <= place.room()) {
        return Some(text);
    }
    match expr {
        Expr::Atom(text) => Some(text.clone()),
        Expr::Call(name, arguments) => {
            let items = delimited(arguments, Place { column: place.column + len(name), ..place }, ('(', ')'), name)?;
            Some(format!("{name}{items}"))
        }
        Expr::Array(items) => delimited(items, place, ('[', ']'), ""),
        Expr::Tuple(items) => delimited(items, place, ('(', ')'), ""),
        Expr::Struct(name, fields) => {
            let item = place.item();
            let mut lines = String::new();
            for (field, value) in fields {
                let column = item.column + len(field) + 2;
                let value = write(value, Place { column, ..item })?;
                let start = blanks(item.indent);
                lines +=
                    &if value == *field { format!("{start}{value},\n") } else { format!("{start}{field}: {value},\n") };
            }
            Some(format!("{name} {{\n{lines}{}}}", blanks(place.indent)))
        }
        Expr::Chain(root, methods) => chain(root, methods, place),
    }
}

/// Items between delimiters, after `name`.
fn delimited(items: &[Expr], place: Place, (open, close): (char, char), name: &str) -> Option<String> {
    let inner = Place { column: place.column + 1, after: place.after + 1, ..place };
    if let Some(text) = flat_items(items).filter(|text| len(text) <= inner.room()) {
        return Some(format!("{open}{text}{close}"));
    }
    if let [only] = items
        && let Some(text) = overflowing(only, inner, len(name) < TAB)
    {
        return Some(format!("{open}{text}{close}"));
    }
    let item = place.item();
    if open == '[' && items.len() > 1 {
        let texts: Option<Vec<String>> = items.iter().map(flat).collect();
        if let Some(texts) = texts.filter(|texts| texts.iter().all(|text| len(text) <= SHORT)) {
            return Some(format!("{open}\n{}{}{close}", mixed(&texts, item), blanks(place.indent)));
        }
    }
    let mut lines = String::new();
    for expr in items {
        lines += &format!("{}{},\n", blanks(item.indent), write(expr, item)?);
    }
    Some(format!("{open}\n{lines}{}{close}", blanks(place.indent)))
}

/// Short items, as many per line as fit.
fn mixed(items: &[String], place: Place) -> String {
    let mut lines = String::new();
    let mut line = String::new();
    for item in items {
        if !line.is_empty() && place.indent + len(&line) + 1 + len(item) + 1 > place.width {
            lines += &format!("{}{line}\n", blanks(place.indent));
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line += &format!("{item},");
    }
    lines + &format!("{}{line}\n", blanks(place.indent))
}

/// A single argument whose own delimiters join those of the call: `f([` ... `])`. After a `short` name, a chain can be
/// broken between its methods.
fn overflowing(expr: &Expr, place: Place, short: bool) -> Option<String> {
    let text = match expr {
        Expr::Atom(_) => None,
        Expr::Array(_) | Expr::Tuple(_) | Expr::Struct(..) => write(expr, place),
        Expr::Call(..) => {
            let width = place.width.min(place.column + NARROW + place.after);
            write(expr, Place { width, ..place })
        }
        Expr::Chain(root, methods) => chain(root, methods, Place { straight: place.straight || !short, ..place }),
    }?;
    let first = text.lines().next().map_or(0, len);
    (text.contains('\n') && place.column + first <= place.width && first <= NARROW).then_some(text)
}

/// A method chain: one method per line, unless all but the last fit on the first line.
fn chain(root: &Expr, methods: &[Method], place: Place) -> Option<String> {
    let count = methods.len();
    let mut rest = methods;
    let mut begun = write(root, Place { after: 0, ..place })?;
    // A root no wider than one level of indentation, at the start of a line, keeps its first method on that line.
    let tab = TAB.saturating_sub(place.column.saturating_sub(place.indent));
    while len(&begun) <= tab && !begun.contains('\n') && !rest.is_empty() {
        let column = place.column + len(&begun);
        let after = if rest.len() == 1 { place.after } else { 0 };
        begun += &method(&rest[0], Place { column, after, ..place })?;
        rest = &rest[1..];
    }
    let Some((last, others)) = rest.split_last() else { return Some(begun) };
    let below = Place { after: 0, ..place.item() };
    // Methods after a call that was broken go below its end.
    let is_whole = rest.len() == count;
    let closes = || begun.lines().last().is_some_and(|line| line.trim_start().starts_with([')', ']', '}']));
    let ends = begun.contains('\n') && (is_whole || closes());
    let below = if ends { Place { indent: place.indent, column: place.indent, ..below } } else { below };
    let lines: Vec<String> = others.iter().map(|one| method(one, below)).collect::<Option<_>>()?;
    let total = len(&begun) + lines.iter().map(|line| len(line)).sum::<usize>();
    let space = place.width.saturating_sub(place.column + place.after);
    let budget = if count == 1 { space } else { space.min(NARROW) }.saturating_sub(total);
    let in_one_line = !begun.contains('\n') && lines.iter().all(|line| !line.contains('\n')) && budget > 0;
    let on_its_own = method(last, Place { after: place.after, ..below });
    if in_one_line && let Some(text) = method(last, Place { column: place.column + total, ..place }) {
        let first = text.lines().next().map_or(0, len);
        let lines_of = |text: &str| text.matches('\n').count() + 1;
        let better = on_its_own.as_ref().is_none_or(|other| lines_of(other) >= lines_of(&text));
        if first <= budget && (lines_of(&text) >= 5 || better) {
            return Some(begun + &lines.concat() + &text);
        }
    }
    if place.straight {
        return None;
    }
    let on_its_own = on_its_own?;
    let start = format!("\n{}", blanks(below.indent));
    let mut text = begun;
    for line in lines.iter().chain([&on_its_own]) {
        text += &start;
        text += line;
    }
    Some(text)
}

fn method(method: &Method, place: Place) -> Option<String> {
    let name = format!(".{}", method.name);
    if method.arguments.is_empty() {
        return Some(name + "()");
    }
    let place = Place { column: place.column + len(&name), ..place };
    let arguments = delimited(&method.arguments, place, ('(', ')'), &name)?;
    Some(name + &arguments)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::process::{Command, Stdio};

    use super::*;

    fn rustfmt(text: &str) -> String {
        let mut child = Command::new("rustfmt")
            .args(["--edition", "2024"])
            // Keeps rustfmt from using the settings of this workspace.
            .current_dir(std::env::temp_dir())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("rustfmt starts");
        child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("rustfmt reads");
        let output = child.wait_with_output().expect("rustfmt ends");
        assert!(output.status.success(), "{text}");
        String::from_utf8(output.stdout).expect("text")
    }

    /// rustfmt changes nothing in random expressions.
    #[test]
    fn rustfmt_changes_nothing() {
        let mut seed = 7_u64;
        let mut next = move |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        let mut body = String::from("fn f() {\n");
        for n in 0..400 {
            let expr = random(&mut next, 3);
            body += &if n % 3 == 0 { statement(&expr, 4) } else { assigned("let some_name", &expr, 4) };
        }
        body += "}\n";
        let formatted = rustfmt(&body);
        if body != formatted {
            let (ours, theirs) = (std::env::temp_dir().join("ours.rs"), std::env::temp_dir().join("rustfmt.rs"));
            std::fs::write(&ours, &body).expect("a file");
            std::fs::write(&theirs, &formatted).expect("a file");
            panic!("diff {} {}", ours.display(), theirs.display());
        }
    }

    fn random(next: &mut dyn FnMut(u64) -> u64, depth: u64) -> Expr {
        let words =
            ["p.image", "\"some text\"", "net", "hot::null()", "\"a somewhat longer text that needs room\"", "8080"];
        let word = |next: &mut dyn FnMut(u64) -> u64| Expr::atom(words[usize::try_from(next(6)).expect("small")]);
        let items = |next: &mut dyn FnMut(u64) -> u64, most: u64| -> Vec<Expr> {
            (0..=next(most)).map(|_| if depth == 0 { Expr::atom("x") } else { random(next, depth - 1) }).collect()
        };
        match next(if depth == 0 { 1 } else { 7 }) {
            0 => word(next),
            1 => Expr::call(
                ["hot::value", "hot::str_replace", "text!"][usize::try_from(next(3)).expect("small")],
                items(next, 3),
            ),
            2 => {
                let methods = 1 + next(4);
                let mut chain = Expr::call("nova::Server::new", []);
                for _ in 0..methods {
                    chain = chain.method(
                        ["image", "flavor", "property", "at"][usize::try_from(next(4)).expect("small")],
                        items(next, 2),
                    );
                }
                chain
            }
            3 => Expr::Array(items(next, 4)),
            4 => Expr::Tuple(vec![Expr::text("key"), items(next, 1).remove(0)]),
            5 => Expr::atom("t").method("add", [Expr::text("name"), items(next, 1).remove(0)]),
            _ => {
                let mut chain = Expr::atom(["web", "node", "t", "servers"][usize::try_from(next(4)).expect("small")]);
                for _ in 0..=next(5) {
                    chain = chain.method("property", items(next, 2));
                }
                chain
            }
        }
    }
}
