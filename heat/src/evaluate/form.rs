//! Faults in a call that are known before its arguments are resolved: those that Heat detects when it parses functions.

use crate::template::{Call, Context, Function, Standing, Version};
use crate::yaml::{Node, Tree};

use super::call::wrong;
use super::url::{PARTS, port_of};
use super::{Defect, Fault, Scope, Stage, Value, yaql};

/// The form of an argument: a call, or a literal.
enum Form<'n> {
    Call,
    List(&'n [Node]),
    Map,
    Text(&'n str),
    Other(&'n Tree),
}

impl Scope<'_> {
    /// The faults in the call itself, whatever the calls within it return: those that Heat detects when it parses a
    /// template, and when it validates one, wherever the call is.
    pub fn form(&self, call: &Call<'_>, context: Context) -> Vec<Fault> {
        let stage = if call.function == Function::MakeUrl { Stage::Validated } else { Stage::Parsed };
        let parsed = |fault: Fault| if fault.stage == Stage::Resolved { fault.at(stage) } else { fault };
        self.form_faults(call, context).into_iter().map(parsed).collect()
    }

    fn form_faults(&self, call: &Call<'_>, context: Context) -> Vec<Fault> {
        let function = call.function.name();
        let version = self.version();
        match call.standing {
            Standing::Removed => return vec![Fault::new(call.name, Defect::Removed { function })],
            Standing::Misplaced => return vec![Fault::new(call.name, Defect::Misplaced { function })],
            Standing::Known | Standing::Unknown => {}
        }
        let form = self.form_of(call.argument, context);
        let list = |least: usize, most: usize, what: &str| match &form {
            Form::List(items) if (least..=most).contains(&items.len()) => Vec::new(),
            Form::List(items) => {
                let number = items.len();
                let plural = if number == 1 { "" } else { "s" };
                vec![wrong(call, format!("it takes a list {what}, but this one has {number} item{plural}"))]
            }
            other => vec![wrong(call, format!("it takes a list {what}, not {}", other.kind()))],
        };
        match call.function {
            Function::GetAttr if version < Version::V2015_10_15 => {
                list(2, usize::MAX, "of a resource, an attribute and optionally a path")
            }
            // To Python, a name with one letter is a sequence of one item.
            Function::GetAttr if matches!(form, Form::Text(text) if text.chars().count() == 1) => Vec::new(),
            Function::GetAttr => list(1, usize::MAX, "of a resource and optionally an attribute and a path"),
            Function::ListJoin if version >= Version::V2015_10_15 => {
                list(2, usize::MAX, "of a delimiter and at least one list")
            }
            Function::ListJoin | Function::FnJoin => list(2, 2, "of a delimiter and a list"),
            Function::StrReplace | Function::StrReplaceStrict | Function::StrReplaceVstrict => {
                self.form_of_replace(call, context)
            }
            Function::FnReplace => {
                let mut faults = list(2, 2, "of a map and a string");
                if let Form::List([params, _]) = form
                    && !matches!(self.form_of(params, context), Form::Map | Form::Call)
                {
                    faults.push(wrong(call, "its params must be a map"));
                }
                faults
            }
            Function::ResourceFacade => one_of(call, &["metadata", "deletion_policy", "update_policy"]),
            Function::FnResourceFacade => one_of(call, &["Metadata", "DeletionPolicy", "UpdatePolicy"]),
            Function::Repeat => self.form_of_repeat(call, context),
            Function::StrSplit => match form {
                Form::Text(_) | Form::Map => {
                    vec![wrong(call, "it takes a list of a delimiter, a string and optionally an index")]
                }
                _ => Vec::new(),
            },
            Function::Yaql => self.form_of_yaql(call, context),
            Function::Equals => list(2, 2, "of two values"),
            Function::Not => match form {
                Form::Other(Tree::Null) => vec![wrong(call, "it takes a condition")],
                _ => Vec::new(),
            },
            Function::And | Function::Or => list(2, usize::MAX, "of at least two conditions"),
            Function::Filter => list(2, 2, "of the values to remove and the list from which to remove them"),
            Function::Contains => list(2, 2, "of a value and a list"),
            Function::MakeUrl => self.form_of_url(call, context),
            Function::FnSelect => list(2, 2, "of an index and a list or a map"),
            Function::FnSplit => list(2, 2, "of a delimiter and a string"),
            Function::FnMemberListToMap => match form {
                Form::List([key, value, _]) => [key, value]
                    .into_iter()
                    .filter(|name| name.tree.as_text().is_none())
                    .map(|name| {
                        wrong(call, format!("the names of key and value must be strings, not {}", name.tree.kind()))
                    })
                    .collect(),
                _ => list(3, 3, "of the names of key and value and a list"),
            },
            // These accept any form until their arguments are known. `branch` checks an `if`.
            Function::GetParam
            | Function::GetResource
            | Function::Ref
            | Function::GetFile
            | Function::MapMerge
            | Function::MapReplace
            | Function::Digest
            | Function::ListConcat
            | Function::ListConcatUnique
            | Function::FnBase64
            | Function::FnGetAzs
            | Function::If => Vec::new(),
        }
    }

    fn form_of<'n>(&self, node: &'n Node, context: Context) -> Form<'n> {
        if Call::within(node, self.version(), context).is_some() {
            return Form::Call;
        }
        match &*node.tree {
            Tree::List(items) => Form::List(items),
            Tree::Map(_) => Form::Map,
            Tree::Text { text, .. } => Form::Text(text),
            other => Form::Other(other),
        }
    }

    fn form_of_replace(&self, call: &Call<'_>, context: Context) -> Vec<Fault> {
        let form = self.form_of(call.argument, context);
        if !matches!(form, Form::Map) {
            return vec![wrong(call, format!("it takes a map with `template` and `params`, not {}", form.kind()))];
        }
        let (template, params) = (call.argument.get("template"), call.argument.get("params"));
        match (template, params) {
            (Some(_), Some(params)) => match self.form_of(params, context) {
                Form::Map | Form::Call => Vec::new(),
                other => vec![wrong(call, format!("its params must be a map, but these are {}", other.kind()))],
            },
            (None, _) => vec![wrong(call, "it has no `template`")],
            (_, None) => vec![wrong(call, "it has no `params`")],
        }
    }

    fn form_of_repeat(&self, call: &Call<'_>, context: Context) -> Vec<Fault> {
        let form = self.form_of(call.argument, context);
        if !matches!(form, Form::Map) {
            return vec![wrong(call, format!("it takes a map with `template` and `for_each`, not {}", form.kind()))];
        }
        let Some(for_each) = call.argument.get("for_each") else { return vec![wrong(call, "it has no `for_each`")] };
        if call.argument.get("template").is_none() {
            return vec![wrong(call, "it has no `template`")];
        }
        let mut faults = Vec::new();
        if !matches!(self.form_of(for_each, context), Form::Map | Form::Call) {
            let why = format!("its `for_each` must be a map of lists, but this is {}", for_each.tree.kind());
            faults.push(wrong(call, why).at(Stage::Validated));
        }
        if let Some(permutations) = call.argument.get("permutations")
            && self.version() >= Version::V2017_09_01
            && !matches!(*permutations.tree, Tree::Boolean(_))
        {
            faults.push(wrong(
                call,
                format!("its `permutations` must be true or false, not {}", permutations.tree.kind()),
            ));
        }
        faults
    }

    fn form_of_yaql(&self, call: &Call<'_>, context: Context) -> Vec<Fault> {
        let (Form::Map, Tree::Map(pairs)) = (self.form_of(call.argument, context), &*call.argument.tree) else {
            return vec![wrong(call, "it takes a map with an `expression` and optionally `data`")];
        };
        let Some(expression) = call.argument.get("expression") else {
            return vec![wrong(call, "it has no `expression`")];
        };
        let unknown = pairs.iter().map(|pair| pair.key.as_key()).find(|key| !matches!(&**key, "expression" | "data"));
        if let Some(key) = unknown {
            return vec![wrong(call, format!("it takes `expression` and `data`, but does not know `{key}`"))];
        }
        match self.form_of(expression, context) {
            Form::Call => Vec::new(),
            Form::Text(text) => {
                yaql::form(call, expression, text).map(|fault| fault.at(Stage::Validated)).into_iter().collect()
            }
            other => {
                let why = format!("its expression must be a string, not {}", other.kind());
                vec![wrong(call, why).at(Stage::Validated)]
            }
        }
    }

    fn form_of_url(&self, call: &Call<'_>, context: Context) -> Vec<Fault> {
        let (Form::Map, Tree::Map(pairs)) = (self.form_of(call.argument, context), &*call.argument.tree) else {
            return vec![wrong(call, "it takes a map of the parts of a URL")];
        };
        let unknown = pairs.iter().map(|pair| pair.key.as_key()).find(|key| !PARTS.contains(&&**key));
        if let Some(key) = unknown {
            let why = format!("a URL has no part `{key}`: its parts are {}", wattle_model::names::list(PARTS, "and"));
            return vec![wrong(call, why)];
        }
        for part in PARTS {
            let Some(node) = call.argument.get(part) else { continue };
            let why = match (part, self.form_of(node, context)) {
                (_, Form::Call) => None,
                ("query", Form::Map) => return Vec::new(),
                ("query", other) => Some(format!("its query must be a map, not {}", other.kind())),
                ("port", _) => port_of(&Value::literal(node)).err(),
                (_, Form::Text(_)) => None,
                (part, other) => Some(format!("its {part} must be a string, not {}", other.kind())),
            };
            if let Some(why) = why {
                return vec![wrong(call, why)];
            }
        }
        Vec::new()
    }
}

impl Form<'_> {
    fn kind(&self) -> &'static str {
        match self {
            Self::Call => "a call of another function",
            Self::List(_) => "a list",
            Self::Map => "a map",
            Self::Text(_) => "a string",
            Self::Other(tree) => tree.kind(),
        }
    }
}

fn one_of(call: &Call<'_>, names: &[&str]) -> Vec<Fault> {
    match call.argument.tree.as_text() {
        Some(name) if names.contains(&name) => Vec::new(),
        _ => vec![wrong(call, format!("it takes one of {}", wattle_model::names::list(names.iter().copied(), "and")))],
    }
}
