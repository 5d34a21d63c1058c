//! Any bytes yield a tree whose places are in the text, or an error with such a place; never a panic, and never a tree that
//! exceeds the limits of depth or size.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wattle_heat::yaml::{self, DEPTH, NODES, Node, Place, Span, Tree};

fuzz_target!(|bytes: &[u8]| {
    // No text of this length has places beyond it.
    let end = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    let is_within = |span: Span| {
        let last = Place { line: end, column: end };
        span.start <= span.end && span.end <= last || span.end.line == span.start.line && span.end.column <= end + 1
    };
    match yaml::read_bytes(bytes) {
        Ok(root) => check(&root, &is_within),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert!(is_within(error.span), "{error:?}");
            assert!(error.context.is_none_or(|(_, span)| is_within(span)));
        }
    }
});

fn check(root: &Node, is_within: &dyn Fn(Span) -> bool) {
    let mut nodes = 0;
    let mut left = vec![(root, 0)];
    while let Some((node, depth)) = left.pop() {
        nodes += 1;
        assert!(nodes <= NODES && depth <= DEPTH);
        assert!(is_within(node.span), "{node:?}");
        match &*node.tree {
            Tree::List(items) => left.extend(items.iter().map(|item| (item, depth + 1))),
            Tree::Map(pairs) => {
                left.extend(pairs.iter().flat_map(|pair| [(&pair.key, depth + 1), (&pair.value, depth + 1)]))
            }
            Tree::Text { .. } => assert_eq!(node.written(), None),
            _ => {}
        }
    }
}
