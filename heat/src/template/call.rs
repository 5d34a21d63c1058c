//! Functions, and where a value calls one.

use super::Version;
use crate::yaml::{Node, Span, Tree};

/// Declares the functions: each with its name, what it is called with, the version that has it first, and what else is to
/// be said of it, in the words of [`Row`].
macro_rules! functions {
    ($($(#[doc = $doc:literal])+ $function:ident: $name:literal, $takes:literal, $since:ident $(, $word:ident $($version:ident)?)*;)+) => {
        /// A function of HOT. What it does may differ between versions.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Function {
            $($(#[doc = $doc])+ $function,)+
        }

        /// Every function.
        pub const FUNCTIONS: &[Function] = &[$(Function::$function),+];

        const ROWS: &[Row] = &[$(Row::new($name, $takes, Version::$since)$(.$word($(Version::$version)?))*),+];

        impl Function {
            /// The function of this name, of whatever version.
            pub fn of(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$function),)+
                    _ => None,
                }
            }
        }
    };
}

/// What the table says of a function.
struct Row {
    name: &'static str,
    takes: &'static str,
    since: Version,
    removed: Option<Version>,
    conditions: Option<Version>,
    values: bool,
    computed: bool,
    refers: bool,
}

impl Row {
    const fn new(name: &'static str, takes: &'static str, since: Version) -> Self {
        Self { name, takes, since, removed: None, conditions: None, values: true, computed: false, refers: false }
    }

    /// The first version that does not have it any more.
    const fn until(self, removed: Version) -> Self {
        Self { removed: Some(removed), ..self }
    }

    /// Conditions have it too, from this version on.
    const fn conditions(self, since: Version) -> Self {
        Self { conditions: Some(since), ..self }
    }

    /// Conditions have it, and nothing else does.
    const fn condition(self) -> Self {
        Self { conditions: Some(self.since), values: false, ..self }
    }

    /// It needs nothing but its arguments, so agents compute it.
    const fn computed(self) -> Self {
        Self { computed: true, ..self }
    }

    /// Its argument names a part of the template, or of the parent's.
    const fn refers(self) -> Self {
        Self { refers: true, ..self }
    }
}

functions! {
    /// A parameter's value, or what a path of keys and indices finds in it.
    GetParam: "get_param", "NAME, or get_param: [NAME, KEY, ...]", V2013_05_23, conditions V2013_05_23, computed, refers;
    /// What a resource is referred to by.
    GetResource: "get_resource", "NAME", V2013_05_23, refers;
    /// An attribute of a resource, or what a path finds in it; from 2015-10-15 on all attributes, without a name.
    GetAttr: "get_attr", "[RESOURCE, ATTRIBUTE, KEY, ...]", V2013_05_23, refers;
    /// Texts joined by a delimiter; from 2015-10-15 on of several lists, with maps and lists as JSON.
    ListJoin: "list_join", "[DELIMITER, [ITEM, ...]]", V2013_05_23, computed;
    /// A text in which the keys of a map stand for their values.
    StrReplace: "str_replace", "{template: TEXT, params: {KEY: VALUE}}", V2013_05_23, computed;
    /// What the parent's resource says of itself.
    ResourceFacade: "resource_facade", "metadata", V2013_05_23, refers;
    /// The content of a file.
    GetFile: "get_file", "PATH", V2013_05_23;
    /// A list of copies of a template.
    Repeat: "repeat", "{template: VALUE, for_each: {KEY: [ITEM, ...]}}", V2015_04_30;
    /// The digest of a text.
    Digest: "digest", "[sha256, TEXT]", V2015_04_30, computed;
    /// A text cut at each delimiter.
    StrSplit: "str_split", "[DELIMITER, TEXT, INDEX]", V2015_10_15, computed;
    /// Maps as one; later ones win.
    MapMerge: "map_merge", "[{KEY: VALUE}, {KEY: VALUE}]", V2016_04_08, computed;
    /// A map with some keys and values replaced.
    MapReplace: "map_replace", "[{KEY: VALUE}, {keys: {OLD: NEW}, values: {OLD: NEW}}]", V2016_10_14, computed;
    /// A YAQL expression over data.
    Yaql: "yaql", "{expression: $.data.NAME, data: {NAME: VALUE}}", V2016_10_14, conditions V2017_09_01;
    /// One of two values; from 2021-04-16 on the second may be absent.
    If: "if", "[CONDITION, VALUE, VALUE]", V2016_10_14, computed;
    /// A list without some values.
    Filter: "filter", "[[VALUE, ...], LIST]", V2017_02_24, computed;
    /// As [`Function::StrReplace`]; each key must be in the text.
    StrReplaceStrict: "str_replace_strict", "{template: TEXT, params: {KEY: VALUE}}", V2017_02_24, computed;
    /// As [`Function::StrReplaceStrict`]; no value may be empty.
    StrReplaceVstrict: "str_replace_vstrict", "{template: TEXT, params: {KEY: VALUE}}", V2017_09_01, computed;
    /// A URL of its parts.
    MakeUrl: "make_url", "{scheme: http, host: HOST, port: PORT, path: PATH}", V2017_09_01, computed;
    /// Lists as one.
    ListConcat: "list_concat", "[LIST, LIST]", V2017_09_01, computed;
    /// Lists as one, each value once.
    ListConcatUnique: "list_concat_unique", "[LIST, LIST]", V2017_09_01, computed;
    /// Whether a sequence has a value.
    Contains: "contains", "[VALUE, LIST]", V2017_09_01, conditions V2017_09_01, computed;
    /// Whether two values are equal.
    Equals: "equals", "[VALUE, VALUE]", V2016_10_14, condition, computed;
    /// Whether a condition does not hold.
    Not: "not", "CONDITION", V2016_10_14, condition, computed;
    /// Whether all conditions hold.
    And: "and", "[CONDITION, CONDITION]", V2016_10_14, condition, computed;
    /// Whether a condition holds.
    Or: "or", "[CONDITION, CONDITION]", V2016_10_14, condition, computed;
    /// A parameter's value, or what a resource is referred to by.
    Ref: "Ref", "NAME", V2013_05_23, until V2014_10_16, refers;
    /// The availability zones.
    FnGetAzs: "Fn::GetAZs", "REGION", V2013_05_23, until V2014_10_16;
    /// An item of a list or a map.
    FnSelect: "Fn::Select", "[INDEX, LIST]", V2013_05_23, until V2015_10_15;
    /// Texts joined by a delimiter.
    FnJoin: "Fn::Join", "[DELIMITER, [ITEM, ...]]", V2013_05_23, until V2014_10_16;
    /// A text cut at each delimiter.
    FnSplit: "Fn::Split", "[DELIMITER, TEXT]", V2013_05_23, until V2014_10_16;
    /// A text in which the keys of a map stand for their values.
    FnReplace: "Fn::Replace", "[{KEY: VALUE}, TEXT]", V2013_05_23, until V2014_10_16;
    /// The text itself.
    FnBase64: "Fn::Base64", "TEXT", V2013_05_23, until V2014_10_16;
    /// A map of a list of enumerated keys and values.
    FnMemberListToMap: "Fn::MemberListToMap", "[KEY, VALUE, [ITEM, ...]]", V2013_05_23, until V2014_10_16;
    /// What the parent's resource says of itself.
    FnResourceFacade: "Fn::ResourceFacade", "Metadata", V2013_05_23, until V2014_10_16, refers;
}

/// The names of all functions that agents compute, sorted: those that need nothing but their arguments, and of which the
/// outcome is one value.
pub fn computed() -> Vec<&'static str> {
    let mut names: Vec<_> = ROWS.iter().filter(|row| row.computed).map(|row| row.name).collect();
    names.sort_unstable();
    names
}

/// Where a value stands: conditions have functions of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Context {
    /// A property, an output, metadata, a policy.
    #[default]
    Value,
    /// The section `conditions`, a `condition`, and the first argument of `if`.
    Condition,
}

/// How a function stands to a version and a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// The version has it here.
    Known,
    /// The version has it, but not here; Heat refuses the call.
    Misplaced,
    /// The version has it no more; Heat refuses the call.
    Removed,
    /// The version does not know it here; to Heat the call is a map of one key.
    Unknown,
}

impl Function {
    fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// Its name in a template.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// How it is called, for messages: `list_concat: [LIST, LIST]`.
    pub fn form(self) -> String {
        format!("{}: {}", self.name(), self.row().takes)
    }

    /// The first version that has it.
    pub fn since(self) -> Version {
        self.row().since
    }

    /// The first version that does not have it any more. Heat still takes it for a call, and refuses that.
    pub fn removed(self) -> Option<Version> {
        self.row().removed
    }

    /// Whether agents compute it: it needs nothing but its arguments.
    pub fn is_computed(self) -> bool {
        self.row().computed
    }

    /// Whether its argument names a part of the template, or of the parent's: a resource, a parameter.
    pub fn refers(self) -> bool {
        self.row().refers
    }

    /// How it stands to `version` in `context`.
    pub fn standing(self, version: Version, context: Context) -> Standing {
        let row = self.row();
        if row.removed.is_some_and(|removed| version >= removed) {
            return Standing::Removed;
        }
        if version < row.since || (!row.values && context == Context::Value) {
            return Standing::Unknown;
        }
        let in_conditions = row.conditions.is_some_and(|since| version >= since);
        if context == Context::Value || in_conditions { Standing::Known } else { Standing::Misplaced }
    }
}

/// A call of a function: a map of one key that names it.
#[derive(Clone, Copy, Debug)]
pub struct Call<'n> {
    /// The function.
    pub function: Function,
    /// Its argument.
    pub argument: &'n Node,
    /// Where the call stands, argument included.
    pub span: Span,
    /// Where the function's name stands.
    pub name: Span,
    /// How the function stands to the version: [`Standing::Unknown`] is no call to Heat.
    pub standing: Standing,
}

impl<'n> Call<'n> {
    /// The call that `node` is in a value of a template of `version`. A function that the version has no more is a call
    /// too, which Heat refuses ([`Call::standing`]); one that it does not have yet is none.
    pub fn of(node: &'n Node, version: Version) -> Option<Self> {
        Self::within(node, version, Context::Value)
    }

    /// The same for `context`.
    pub fn within(node: &'n Node, version: Version, context: Context) -> Option<Self> {
        Self::of_any(node, version, context).filter(|call| call.standing != Standing::Unknown)
    }

    /// The same with functions that the version does not have here: what looks like a call, and is none to Heat.
    pub fn of_any(node: &'n Node, version: Version, context: Context) -> Option<Self> {
        let Tree::Map(pairs) = &*node.tree else { return None };
        let last = pairs.last()?;
        let name = last.key.tree.as_text()?;
        if pairs.iter().any(|pair| pair.key.tree.as_text() != Some(name)) {
            return None;
        }
        let function = Function::of(name)?;
        let standing = function.standing(version, context);
        Some(Self { function, argument: &last.value, span: node.span, name: last.key.span, standing })
    }

    /// The name of the resource of which it is the identity (`get_resource`) or an attribute.
    pub fn resource(&self) -> Option<&'n str> {
        match self.function {
            Function::GetResource => self.argument.tree.as_text(),
            Function::GetAttr => self.arguments()?.first()?.tree.as_text(),
            _ => None,
        }
    }

    /// The arguments, if they are a list.
    pub fn arguments(&self) -> Option<&'n [Node]> {
        match &*self.argument.tree {
            Tree::List(items) => Some(items),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::read;

    #[test]
    fn a_map_of_one_key_that_names_a_function_is_a_call() {
        let call = |text: &str, version| {
            let node = read(text).expect("YAML");
            Call::of(&node, version).map(|call| (call.function, call.standing))
        };
        let newest = Version::default();
        assert_eq!(call("{get_param: a}", newest), Some((Function::GetParam, Standing::Known)));
        assert_eq!(call("{get_param: a, get_param: b}", newest), Some((Function::GetParam, Standing::Known)));
        assert_eq!(call("{get_param: a, b: c}", newest), None);
        assert_eq!(call("{list_concat: []}", Version::V2016_10_14), None);
        assert_eq!(call("{equals: [1, 2]}", newest), None);
        assert_eq!(call("{Ref: a}", Version::V2013_05_23), Some((Function::Ref, Standing::Known)));
        assert_eq!(call("{Ref: a}", newest), Some((Function::Ref, Standing::Removed)));
        assert_eq!(call("{Fn::Select: []}", Version::V2015_04_30), Some((Function::FnSelect, Standing::Known)));
        assert_eq!(call("get_param", newest), None);
    }

    #[test]
    fn conditions_have_their_own_functions() {
        let standing = |function: Function, version| function.standing(version, Context::Condition);
        assert_eq!(standing(Function::Equals, Version::V2016_10_14), Standing::Known);
        assert_eq!(standing(Function::Yaql, Version::V2016_10_14), Standing::Misplaced);
        assert_eq!(standing(Function::Yaql, Version::V2017_09_01), Standing::Known);
        assert_eq!(standing(Function::Contains, Version::V2017_02_24), Standing::Unknown);
        assert_eq!(standing(Function::If, Version::V2021_04_16), Standing::Misplaced);
        assert_eq!(standing(Function::Ref, Version::V2021_04_16), Standing::Removed);
        assert_eq!(Function::Equals.standing(Version::V2021_04_16, Context::Value), Standing::Unknown);
    }
}
