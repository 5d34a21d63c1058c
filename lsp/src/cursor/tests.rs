use super::*;

/// Describes the cursor, which `|` marks: the path, the place and the word.
#[track_caller]
fn at(marked: &str) -> Option<String> {
    let offset = marked.find('¦').expect("a cursor");
    let text = marked.replace('¦', "");
    let found = cursor(&text, offset)?;
    let steps: Vec<String> = found
        .path
        .iter()
        .map(|step| match step {
            Step::Key(key) => key.clone(),
            Step::Item(before) => format!("[{}]", before.join(" ")),
        })
        .collect();
    let colon = if found.is_key { ":" } else { "" };
    Some(format!("{} {:?} `{}`{colon}", steps.join("."), found.place, &text[found.word]))
}

#[track_caller]
fn is(marked: &str, expected: &str) {
    assert_eq!(at(marked).as_deref(), Some(expected), "{marked}");
}

#[test]
fn keys_are_found_by_their_columns() {
    is("¦", " Start ``");
    is("reso¦", " Start `reso`");
    is("resources:\n  ¦", "resources Start ``");
    is("resources:\n  a:\n    ty¦", "resources.a Start `ty`");
    is("resources:\n  a:\n    ty¦pe: X\n", "resources.a Start `type`:");
    is("resources:\n  a:\n    type: X\n    ¦\n  b:\n", "resources.a Start ``");
    is("resources:\n  a:\n    properties:\n      n: 1\n  ¦", "resources Start ``");
    is("resources:\n  a:\n    type: OS::No¦va\n", "resources.a.type Value `OS::Nova`");
    is("resources:\n  a:\n    type: ¦\n    x: 1", "resources.a.type Value ``");
    is("resources:\n  a:\n    type:\n      ¦\n", "resources.a.type Start ``");
    is("a:\n  'b c': \"x¦\"\n", "a.b c Value `x`");
    is("a: # why\n  b: ¦", "a.b Value ``");
    is("a: &x !!map\n  b: ¦", "a.b Value ``");
}

#[test]
fn items_know_what_comes_before_them() {
    is("a:\n- x\n- y¦", "a.[x] Start `y`");
    is("a:\n  - x\n  -  ¦", "a.[x] Start ``");
    is("a:\n  - k: 1\n    l¦", "a.[] Start `l`");
    is("a:\n  - k: 1\n  - ¦\nb: 2", "a.[] Start ``");
    is("get_attr:\n  - db\n  - net\n  - ¦", "get_attr.[db net] Start ``");
    is("a:\n- x\nb¦", " Start `b`");
    is("a:\n  - - x\n    - ¦", "a.[].[x] Start ``");
}

#[test]
fn brackets_need_not_be_closed() {
    is("a: {get_param: ¦", "a.get_param Value ``");
    is("a: {get_param: s¦}\nb: 1", "a.get_param Value `s`");
    is("a: {get_p¦", "a Key `get_p`");
    is("a: {b: 1, ¦}", "a Key ``");
    is("a: {b: {c: d}, e¦: 1}", "a Key `e`:");
    is("a: {get_attr: [db, ¦\nb: 1\n", "a.get_attr.[db] Value ``");
    is("a: {get_attr: [db, net¦, 0]}", "a.get_attr.[db] Value `net`");
    is("a: {if: [c, {get_resource: ¦}, null]}", "a.if.[c].get_resource Value ``");
    is("a: {get_attr: ['db', \"n¦\"]}", "a.get_attr.[db] Value `n`");
    is("a: [\n  x,\n  ¦\n]\n", "a.[x] Value ``");
    is("{\"a\": {\"b\": \"¦\"}}", "a.b Value ``");
}

#[test]
fn what_was_left_open_above_does_no_harm() {
    is("r:\n  a:\n    p: {get_param: \n  b:\n    type: ¦", "r.b.type Value ``");
    is("r:\n  a:\n    p: [x, {y\n  b:\n    ¦", "r.b Start ``");
    is("r:\n  a:\n    p: \"x\n  b:\n    ¦", "r.b Start ``");
    is("r:\n  a: }\n  b:\n    ¦", "r.b Start ``");
    is("r:\n  a: {x: 1,\n    y: [2,\n      3]}\n  b: ¦", "r.b Value ``");
}

#[test]
fn in_comments_and_texts_nothing_is_completed() {
    for marked in [
        "a: 1 # ¦",
        "# ¦",
        "a: |\n  text ¦",
        "a:\n  b: >-\n    text\n\n    ¦",
        "a:¦",
        "-¦",
        "a: {b:¦",
        "a: [x, # ¦",
        "a: {b: c}¦}",
        "a: !T¦",
    ] {
        assert_eq!(at(marked).filter(|found| !found.contains("`}`")), None, "{marked}");
    }
    is("a:\n  b: |\n    text\n  ¦", "a Start ``");
}

#[test]
fn any_text_at_any_place_has_an_answer() {
    let text = "a: {b: [c, 'd\n - e: \"f\\\n  g:\n\t- |\n   h\n}] ä: [ü, {#\n\r\n- - &x !y {: ,]}:\n'k' : *x\n??: -";
    for (offset, _) in text.char_indices() {
        for end in offset..=text.len() {
            if text.is_char_boundary(end) {
                let _ = cursor(&text[..end], offset);
            }
        }
    }
}
