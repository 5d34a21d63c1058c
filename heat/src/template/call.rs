//! Functions, and their calls in values.

use super::Version;
use crate::yaml::{Node, Span, Tree};

/// Declares the functions: each with its name, its form, the first version that has it, and further facts in the words of
/// [`Row`].
macro_rules! functions {
    ($($(#[doc = $doc:literal])+ $function:ident: $name:literal, $takes:literal, $since:ident $(, $word:ident $($version:ident)?)*;)+) => {
        /// A function of HOT. Its behaviour may differ between versions.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Function {
            $($(#[doc = $doc])+ $function,)+
        }

        /// Every function.
        pub const FUNCTIONS: &[Function] = &[$(Function::$function),+];

        const ROWS: &[Row] =
            &[$(Row::new($name, $takes, concat!($($doc),+), Version::$since)$(.$word($(Version::$version)?))*),+];

        impl Function {
            /// The function with this name, in any version.
            pub fn of(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$function),)+
                    _ => None,
                }
            }
        }
    };
}

/// The facts about a function.
struct Row {
    name: &'static str,
    takes: &'static str,
    about: &'static str,
    since: Version,
    removed: Option<Version>,
    conditions: Option<Version>,
    values: bool,
    computed: bool,
    refers: bool,
}

impl Row {
    const fn new(name: &'static str, takes: &'static str, about: &'static str, since: Version) -> Self {
        Self {
            name,
            takes,
            about,
            since,
            removed: None,
            conditions: None,
            values: true,
            computed: false,
            refers: false,
        }
    }

    /// The first version that no longer has it.
    const fn until(self, removed: Version) -> Self {
        Self { removed: Some(removed), ..self }
    }

    /// It can also be used in conditions, from this version on.
    const fn conditions(self, since: Version) -> Self {
        Self { conditions: Some(since), ..self }
    }

    /// It can only be used in conditions.
    const fn condition(self) -> Self {
        Self { conditions: Some(self.since), values: false, ..self }
    }

    /// It depends only on its arguments, so agents can compute it.
    const fn computed(self) -> Self {
        Self { computed: true, ..self }
    }

    /// Its argument names a part of the template, or of the parent's.
    const fn refers(self) -> Self {
        Self { refers: true, ..self }
    }
}

functions! {
    /// A parameter's value, or what a path of keys and indices selects in it.
    GetParam: "get_param", "NAME, or get_param: [NAME, KEY, ...]", V2013_05_23, conditions V2013_05_23, computed, refers;
    /// A reference to a resource.
    GetResource: "get_resource", "NAME", V2013_05_23, refers;
    /// An attribute of a resource, or what a path selects in it. From 2015-10-15 on, all attributes if no name is given.
    GetAttr: "get_attr", "[RESOURCE, ATTRIBUTE, KEY, ...]", V2013_05_23, refers;
    /// Texts joined by a delimiter. From 2015-10-15 on, of several lists, with maps and lists as JSON.
    ListJoin: "list_join", "[DELIMITER, [ITEM, ...]]", V2013_05_23, computed;
    /// A text with the keys of a map replaced by their values.
    StrReplace: "str_replace", "{template: TEXT, params: {KEY: VALUE}}", V2013_05_23, computed;
    /// A field of the resource in the parent stack.
    ResourceFacade: "resource_facade", "metadata", V2013_05_23, refers;
    /// The content of a file.
    GetFile: "get_file", "PATH", V2013_05_23;
    /// A list of copies of a template.
    Repeat: "repeat", "{template: VALUE, for_each: {KEY: [ITEM, ...]}}", V2015_04_30;
    /// The digest of a text.
    Digest: "digest", "[sha256, TEXT]", V2015_04_30, computed;
    /// A text split at each delimiter.
    StrSplit: "str_split", "[DELIMITER, TEXT, INDEX]", V2015_10_15, computed;
    /// Maps merged into one. Later ones take precedence.
    MapMerge: "map_merge", "[{KEY: VALUE}, {KEY: VALUE}]", V2016_04_08, computed;
    /// A map with some keys and values replaced.
    MapReplace: "map_replace", "[{KEY: VALUE}, {keys: {OLD: NEW}, values: {OLD: NEW}}]", V2016_10_14, computed;
    /// A YAQL expression over data.
    Yaql: "yaql", "{expression: $.data.NAME, data: {NAME: VALUE}}", V2016_10_14, conditions V2017_09_01;
    /// One of two values. From 2021-04-16 on, the second can be omitted.
    If: "if", "[CONDITION, VALUE, VALUE]", V2016_10_14, computed;
    /// A list without certain values.
    Filter: "filter", "[[VALUE, ...], LIST]", V2017_02_24, computed;
    /// Like `str_replace`, but each key must occur in the text.
    StrReplaceStrict: "str_replace_strict", "{template: TEXT, params: {KEY: VALUE}}", V2017_02_24, computed;
    /// Like `str_replace_strict`, but no value can be empty.
    StrReplaceVstrict: "str_replace_vstrict", "{template: TEXT, params: {KEY: VALUE}}", V2017_09_01, computed;
    /// A URL composed of its parts.
    MakeUrl: "make_url", "{scheme: http, host: HOST, port: PORT, path: PATH}", V2017_09_01, computed;
    /// Lists concatenated into one.
    ListConcat: "list_concat", "[LIST, LIST]", V2017_09_01, computed;
    /// Lists concatenated into one, without duplicates.
    ListConcatUnique: "list_concat_unique", "[LIST, LIST]", V2017_09_01, computed;
    /// Whether a sequence contains a value.
    Contains: "contains", "[VALUE, LIST]", V2017_09_01, conditions V2017_09_01, computed;
    /// Whether two values are equal.
    Equals: "equals", "[VALUE, VALUE]", V2016_10_14, condition, computed;
    /// Whether a condition does not hold.
    Not: "not", "CONDITION", V2016_10_14, condition, computed;
    /// Whether all conditions hold.
    And: "and", "[CONDITION, CONDITION]", V2016_10_14, condition, computed;
    /// Whether at least one condition holds.
    Or: "or", "[CONDITION, CONDITION]", V2016_10_14, condition, computed;
    /// A parameter's value, or a reference to a resource.
    Ref: "Ref", "NAME", V2013_05_23, until V2014_10_16, refers;
    /// The availability zones.
    FnGetAzs: "Fn::GetAZs", "REGION", V2013_05_23, until V2014_10_16;
    /// An item of a list or a map.
    FnSelect: "Fn::Select", "[INDEX, LIST]", V2013_05_23, until V2015_10_15;
    /// Texts joined by a delimiter.
    FnJoin: "Fn::Join", "[DELIMITER, [ITEM, ...]]", V2013_05_23, until V2014_10_16;
    /// A text split at each delimiter.
    FnSplit: "Fn::Split", "[DELIMITER, TEXT]", V2013_05_23, until V2014_10_16;
    /// A text with the keys of a map replaced by their values.
    FnReplace: "Fn::Replace", "[{KEY: VALUE}, TEXT]", V2013_05_23, until V2014_10_16;
    /// The text unchanged.
    FnBase64: "Fn::Base64", "TEXT", V2013_05_23, until V2014_10_16;
    /// A map made of a list of enumerated keys and values.
    FnMemberListToMap: "Fn::MemberListToMap", "[KEY, VALUE, [ITEM, ...]]", V2013_05_23, until V2014_10_16;
    /// A field of the resource in the parent stack.
    FnResourceFacade: "Fn::ResourceFacade", "Metadata", V2013_05_23, until V2014_10_16, refers;
}

/// The sorted names of all functions that agents compute: those that depend only on their arguments and have exactly one
/// result.
pub fn computed() -> Vec<&'static str> {
    let mut names: Vec<_> = ROWS.iter().filter(|row| row.computed).map(|row| row.name).collect();
    names.sort_unstable();
    names
}

/// The context of a value. Conditions have their own functions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Context {
    /// A property, an output, metadata, a policy.
    #[default]
    Value,
    /// The section `conditions`, a `condition`, and the first argument of `if`.
    Condition,
}

/// The status of a function in a version and a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// The function can be used here.
    Known,
    /// The version has the function, but not in this context. Heat refuses the call.
    Misplaced,
    /// The version no longer has the function. Heat refuses the call.
    Removed,
    /// The version does not know the function in this context. To Heat, the call is a map with one key.
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

    /// Its form, for messages: `list_concat: [LIST, LIST]`.
    pub fn form(self) -> String {
        format!("{}: {}", self.name(), self.row().takes)
    }

    /// What it returns, in one or two sentences.
    pub fn about(self) -> &'static str {
        self.row().about.trim_start()
    }

    /// The first version that has it.
    pub fn since(self) -> Version {
        self.row().since
    }

    /// The first version that no longer has it. Heat still recognises the call, and refuses it.
    pub fn removed(self) -> Option<Version> {
        self.row().removed
    }

    /// Whether agents compute it, because it depends only on its arguments.
    pub fn is_computed(self) -> bool {
        self.row().computed
    }

    /// Whether its argument names a part of the template, or of the parent's: a resource, a parameter.
    pub fn refers(self) -> bool {
        self.row().refers
    }

    /// Its status in `version` and `context`.
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

/// A call of a function: a map with one key that names it.
#[derive(Clone, Copy, Debug)]
pub struct Call<'n> {
    /// The function.
    pub function: Function,
    /// Its argument.
    pub argument: &'n Node,
    /// The place of the call, including its argument.
    pub span: Span,
    /// The place of the function's name.
    pub name: Span,
    /// The function's status in the version. With [`Standing::Unknown`], it is not a call to Heat.
    pub standing: Standing,
}

impl<'n> Call<'n> {
    /// The call that `node` is, as a value in a template of `version`. A function that the version no longer has is a call
    /// too, which Heat refuses ([`Call::standing`]). One that it does not have yet is not.
    pub fn of(node: &'n Node, version: Version) -> Option<Self> {
        Self::within(node, version, Context::Value)
    }

    /// The same in `context`.
    pub fn within(node: &'n Node, version: Version, context: Context) -> Option<Self> {
        Self::of_any(node, version, context).filter(|call| call.standing != Standing::Unknown)
    }

    /// The same, including functions that the version does not have here: these look like calls, but are not calls to Heat.
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

    /// The name of the resource whose identity (`get_resource`) or attribute it returns.
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
