//! The places of everything that is read.

use wattle_heat::yaml::{Node, Place, Span, Tree, read};

const YAML: &str = "\
map:
  plain: text that
    goes on # not this
  'quoted é': \"a
    b\"
  none:
  number: 0644 # 420
list:
- a
- - {k: v, l: [1, x: y]}
  - &n |
    block
     text

- *n
- !!str 12
? odd
: <<: {m: n}
";

const JSON: &str = "{\"a\": [1, -2.5e3 ,\ttrue],\r\n \"é😀\\u00e9\": {\"b\": null, \"c\": []}}\n";

/// The text between two places.
fn slice(text: &str, span: Span) -> String {
    let mut lines = text
        .split_inclusive('\n')
        .enumerate()
        .flat_map(|(line, text)| text.chars().enumerate().map(move |(column, character)| (line, column, character)));
    let at = |line: usize, column: usize| Place {
        line: u32::try_from(line).expect("a short text"),
        column: u32::try_from(column).expect("a short text"),
    };
    lines
        .by_ref()
        .filter(|(line, column, _)| (span.start..span.end).contains(&at(*line, *column)))
        .map(|(.., character)| character)
        .collect()
}

fn list(text: &str) -> String {
    fn go(node: &Node, text: &str, list: &mut String) {
        let written = node.written().map(|written| format!(" written {written:?}")).unwrap_or_default();
        *list += &format!("{} {}: {:?}{written}\n", node.span.start, node.tree.kind(), slice(text, node.span));
        match &*node.tree {
            Tree::List(items) => items.iter().for_each(|item| go(item, text, list)),
            Tree::Map(pairs) => pairs.iter().for_each(|pair| {
                go(&pair.key, text, list);
                go(&pair.value, text, list);
            }),
            _ => {}
        }
    }
    let mut list = String::new();
    go(&read(text).unwrap_or_else(|error| panic!("{error}")), text, &mut list);
    list
}

#[test]
fn yaml() {
    insta::assert_snapshot!(list(YAML));
}

#[test]
fn json() {
    insta::assert_snapshot!(list(JSON));
}
