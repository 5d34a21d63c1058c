//! Random expressions: calls of all functions, usually with arguments of the right kind.

/// The patterns for each kind of value, by the letter that stands for the kind.
const PATTERNS: &[(char, &[&str])] = &[
    (
        'i',
        &[
            "0",
            "1",
            "2",
            "-1",
            "7",
            "3",
            "$.data.number",
            "$.data.list[I]",
            "{i} + {i}",
            "{i} - {i}",
            "{i} * {i}",
            "{i} / {i}",
            "{i} mod {i}",
            "-{i}",
            "({i})",
            "{l}.len()",
            "len({t})",
            "{t}.len()",
            "{m}.len()",
            "{l}.count()",
            "{il}.sum()",
            "{il}.max()",
            "{il}.min()",
            "{il}.sum({i})",
            "{il}.first()",
            "{il}.last(0)",
            "{il}.first(5)",
            "abs({i})",
            "max({i}, {i})",
            "min({i}, {i})",
            "int({t})",
            "int({i})",
            "{l}.indexOf({v})",
            "{l}.lastIndexOf({v})",
            "{l}.indexWhere({fb})",
            "{l}.lastIndexWhere({fb})",
            "{t}.indexOf({t})",
            "{t}.lastIndexOf({t})",
            "{t}.indexOf({t}, {i})",
            "{t}.indexOf({t}, {i}, {i})",
            "{t}.lastIndexOf({t}, {i}, {i})",
            "selectCase({b}, {b})",
            "{il}.aggregate($1 + $2)",
            "{il}.aggregate($1 * $2, {i})",
            "{il}.reduce($1 - $2)",
            "bitwiseAnd({i}, {i})",
            "bitwiseOr({i}, {i})",
            "bitwiseXor({i}, {i})",
            "bitwiseNot({i})",
            "shiftBitsLeft({i}, 2)",
            "shiftBitsRight({i}, 1)",
            "pow({i}, 2)",
            "sign({i})",
            "round({i})",
            "switchCase({i}, {i}, {i})",
            "{i}.switchCase({i}, {i})",
            "{il}.single()",
            "let({i}) -> $ + {i}",
            "let(x => {i}) -> $x * {i}",
            "def(f, $ + {i}) -> f({i})",
            "$",
            "$1",
            "$2",
            "coalesce(null, {i})",
            "{m}.a",
            "{m}[a]",
            "{m}.get(a, {i})",
            "{i}.assert({b})",
            "int(null)",
        ],
    ),
    (
        't',
        &[
            "a",
            "'a b'",
            "\"x,y\"",
            "``",
            "web",
            "$.data.word",
            "$.data.text",
            "$.data.umlaut",
            "{t} + {t}",
            "concat({t}, {t})",
            "{t}.toUpper()",
            "{t}.toLower()",
            "str({v})",
            "{l}.join({t})",
            "{t}.join({l})",
            "{t}.trim()",
            "{t}.trim({t})",
            "{t}.trimLeft({t})",
            "{t}.trimRight({t})",
            "{t}.replace({t}, {t})",
            "{t}.replace({t}, {t}, {i})",
            "{t}.replace({m})",
            "{t}.replace({m}, {i})",
            "{t}.substring({i})",
            "{t}.substring({i}, {i})",
            "{t} * {i}",
            "{i} * {t}",
            "$.data.servers[I].name",
            "{t}.norm()",
            "norm({t}, {t})",
            "hex({i})",
            "escapeRegex({t})",
            "{t}.split({t}).first()",
            "{t}.rightSplit({t}).last()",
            "switch({b} => {t}, {b} => {t})",
            "coalesce({v}, {t})",
            "{t}.toCharArray().join({t})",
            "regex('a.').search({t})",
            "regex('[a-z]+').replace({t}, {t})",
            "{t}.replace(regex(' +'), {t})",
            "$name",
            "{tl}.first()",
            "{tl}.max()",
            "{tl}.min()",
            "{tl}.sum()",
            "let(y => {t}) -> $y",
            "{l}.flatten().join(',')",
        ],
    ),
    (
        'b',
        &[
            "true",
            "false",
            "{i} > {i}",
            "{i} <= {i}",
            "{i} = {i}",
            "{v} = {v}",
            "{v} != {v}",
            "{t} < {t}",
            "{t} >= {t}",
            "{v} > {v}",
            "{v} < null",
            "not {b}",
            "{b} and {b}",
            "{b} or {b}",
            "{v} in {l}",
            "{t} in {t}",
            "{l}.any()",
            "{l}.any({fb})",
            "{l}.all({fb})",
            "{l}.all()",
            "{l}.contains({v})",
            "{m}.containsKey({t})",
            "{m}.containsValue({v})",
            "isString({v})",
            "isInteger({v})",
            "isNumber({v})",
            "isBoolean({v})",
            "isList({v})",
            "isDict({v})",
            "isSet({v})",
            "isIterable({v})",
            "{t}.startsWith({t})",
            "{t}.endsWith({t}, {t})",
            "{t}.isEmpty()",
            "isEmpty({t})",
            "{t}.matches('[a-z]')",
            "{t} =~ '^a'",
            "{t} !~ '[0-9]+$'",
            "regex('b').matches({t})",
            "bool({v})",
            "isRegex({v})",
            "{l}.toSet().contains({v})",
            "set({v}, {v}) = set({v})",
            "{l} = {l}",
        ],
    ),
    (
        'l',
        &[
            "{il}",
            "{tl}",
            "$.data.servers",
            "[{v}, {v}]",
            "[]",
            "$.data.pairs",
            "list({v}, {l})",
            "{l} + {l}",
            "{l} * 2",
            "{l}.where({fb})",
            "{l}.filter({fb})",
            "{l}.select({fv})",
            "{l}.map({fv})",
            "{l}.selectMany({fv})",
            "{l}.skip({i})",
            "{l}.take({i})",
            "{l}.limit({i})",
            "{l}.append({v}, {v})",
            "{l}.distinct()",
            "{l}.distinct({fv})",
            "{l}.enumerate()",
            "{l}.enumerate({i})",
            "{l}.concat({l})",
            "{l}.flatten()",
            "{l}.toList()",
            "{l}.orderBy({fv})",
            "{l}.orderByDescending({fv})",
            "{l}.orderBy({fv}).thenBy({fv})",
            "{l}.groupBy({fv})",
            "{l}.groupBy({fv}, {fv})",
            "{l}.groupBy({fv}, {fv}, $.len())",
            "{l}.groupBy({fv}, aggregator => [$[0], $[1].len()])",
            "{l}.zip({l})",
            "{l}.zipLongest({l}, default => {v})",
            "{l}.join({l}, {b}, [$1, $2])",
            "{l}.takeWhile({fb})",
            "{l}.skipWhile({fb})",
            "{l}.slice({i})",
            "{l}.splitWhere({fb})",
            "{l}.sliceWhere({fv})",
            "{l}.splitAt({i})",
            "{l}.reverse()",
            "{l}.defaultIfEmpty({l})",
            "{l}.memorize()",
            "{l}.insert({i}, {v})",
            "{l}.insertMany({i}, {l})",
            "{l}.delete({i})",
            "{l}.delete({i}, {i})",
            "{l}.replace({i}, {v})",
            "{l}.replace({i}, {v}, {i})",
            "{l}.replaceMany({i}, {l}, {i})",
            "{l}.accumulate([$1, $2])",
            "{m}.values()",
            "{m}.items().toList()",
            "{m}.keys().toList()",
            "{m}.items().select($[1])",
            "$.data.servers.name",
            "$.data.servers.tags",
            "{v}.repeat(2)",
            "{l}.cycle().take(4)",
            "selectAllCases({b}, {b})",
            "examine({b}, {b})",
            "{l}.toSet().toList()",
        ],
    ),
    ('I', &["0", "1", "-1", "2", "5"]),
    ('w', &["$.data.servers", "$.data.list", "$.data.names"]),
    ('f', &["{i}", "{t}"]),
    (
        'm',
        &[
            "$.data.map",
            "{{a => {v}}}",
            "dict(a => {v}, b => {v})",
            "{{}}",
            "dict({m}.items())",
            "dict($.data.pairs)",
            "{l}.toDict({fv})",
            "{tl}.toDict($, {fv})",
            "{m} + {m}",
            "{m}.set({t}, {v})",
            "{m}.set({m})",
            "{m}.set({t} => {v})",
            "{m}.delete({t})",
            "{m}.deleteAll({l})",
            "{m}.mergeWith({m})",
            "{m}.mergeWith({m}, $1 + $2)",
            "{m}.mergeWith({m}, itemMerger => $1)",
            "{m}.mergeWith({m}, maxLevels => 1)",
            "$.data.servers[I]",
            "$.data.deep",
            "$.data.deep.x",
            "{l}.zip({l}).toDict(str($[0]), $[1])",
        ],
    ),
];

/// Lists of integers, lists of texts, values of any kind, and functions of one value.
const KINDS: &[(&str, &[&str])] = &[
    (
        "il",
        &[
            "$.data.list",
            "[{i}, {i}, {i}]",
            "range({i})",
            "range({i}, {i})",
            "{il}.select($ + {i})",
            "{il}.where($ > {i})",
            "{tl}.select($.len())",
            "generate({i}, $ < {i}, $ + 1)",
            "sequence().take({i})",
            "{il}.orderBy(-$)",
            "{il}.accumulate($1 + $2)",
            "range({i}, {i}, {i})",
        ],
    ),
    (
        "tl",
        &[
            "$.data.names",
            "[{t}, {t}]",
            "{t}.split()",
            "{t}.split({t})",
            "{t}.split({t}, {i})",
            "{t}.rightSplit({t}, {i})",
            "{t}.toCharArray()",
            "{tl}.select($.toUpper())",
            "{tl}.where($ =~ '[a-c]')",
            "regex('[a-z]').searchAll({t})",
            "{t}.split(regex('[ ,]'))",
            "{t}.split(null, {i})",
            "{il}.select(str($))",
        ],
    ),
    (
        "v",
        &[
            "{i}",
            "{t}",
            "{b}",
            "{l}",
            "{m}",
            "null",
            "{f}",
            "1.5",
            "$",
            "$.data.nothing",
            "$.data.float",
            "round(2.567, {i})",
            "float({t})",
            "float({i})",
            "{i} / 2.0",
            "$.data.deep.k.v?.x",
        ],
    ),
    ("fb", &["{b}", "$ > {i}", "$ = {v}", "isString($)", "$", "true", "$.size > 1", "$.len() > 1"]),
    ("fv", &["$", "{v}", "$ + {i}", "str($)", "$.name", "$[0]", "$.len()", "[$, {v}]", "{{k => $}}", "$ mod 2"]),
];

/// Generates expressions. The same seed gives the same expressions.
#[derive(Debug)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    pub(crate) fn of(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1 }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        usize::try_from(self.state % bound as u64).expect("a small number")
    }

    pub(crate) fn expression(&mut self) -> String {
        let depth = 1 + self.below(3);
        let mut text = self.of_kind("v", depth);
        // Sometimes, a character is missing or doubled.
        if self.below(12) == 0 && text.is_ascii() {
            let at = self.below(text.len());
            if self.below(2) == 0 {
                text.remove(at);
            } else {
                let sign = text.as_bytes()[at] as char;
                text.insert(at, sign);
            }
        }
        text
    }

    fn of_kind(&mut self, kind: &str, depth: usize) -> String {
        // Sometimes, the value is of another kind.
        let kind = if self.below(25) == 0 { "v" } else { kind };
        let single = PATTERNS.iter().find(|(letter, _)| kind.chars().eq([*letter])).map(|(_, patterns)| *patterns);
        let patterns = single.or_else(|| KINDS.iter().find(|(name, _)| *name == kind).map(|(_, patterns)| *patterns));
        let patterns = patterns.expect("a kind");
        // The first patterns of a kind nest less.
        let pattern =
            if depth == 0 { patterns[self.below(patterns.len().min(5))] } else { patterns[self.below(patterns.len())] };
        let mut out = String::new();
        let mut rest = pattern;
        while let Some(at) = rest.find(['{', '}', 'I']) {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            if let Some(behind) = rest.strip_prefix("{{").or_else(|| rest.strip_prefix("}}")) {
                out.push_str(&rest[..1]);
                rest = behind;
            } else if let Some(behind) = rest.strip_prefix("[I]") {
                out.push_str("[0]");
                rest = behind;
            } else if rest.starts_with('I') || rest.starts_with('}') {
                out.push_str(&rest[..1]);
                rest = &rest[1..];
            } else {
                let end = rest.find('}').expect("a kind");
                out.push_str(&self.of_kind(&rest[1..end], depth.saturating_sub(1)));
                rest = &rest[end + 1..];
            }
        }
        out + rest
    }
}
