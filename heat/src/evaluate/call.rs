//! The implementation of each function.

use crate::template::{Call, Context, Function, Standing, Version};
use crate::yaml::{Node, Span};

use super::{Branch, Defect, Fault, Mode, Scope, Value};

/// Returns from a function whose argument is not known yet.
macro_rules! known {
    ($value:expr) => {
        match $value {
            Value::Unknown => return Ok(Value::Unknown),
            value => value,
        }
    };
}
pub(super) use known;

/// How a function's argument is resolved.
pub(super) enum Shape {
    /// As a map with these keys.
    Parts(&'static [&'static str]),
    /// As a list, item by item.
    Items,
    /// As a single value.
    Whole,
}

impl Shape {
    pub(super) fn of(function: Function) -> Self {
        use Function::{
            And, Contains, Digest, Equals, Filter, FnBase64, FnGetAzs, FnJoin, FnMemberListToMap, FnReplace,
            FnResourceFacade, FnSelect, FnSplit, GetAttr, GetFile, GetParam, GetResource, If, ListConcat,
            ListConcatUnique, ListJoin, MakeUrl, MapMerge, MapReplace, Not, Or, Ref, Repeat, ResourceFacade,
            StrReplace, StrReplaceStrict, StrReplaceVstrict, StrSplit, Yaql,
        };
        match function {
            StrReplace | StrReplaceStrict | StrReplaceVstrict => Self::Parts(&["template", "params"]),
            Repeat => Self::Parts(&["template", "for_each"]),
            ListJoin | FnJoin | FnReplace | FnSplit | Filter | Contains | FnSelect | Equals | And | Or => Self::Items,
            GetParam | GetResource | GetAttr | ResourceFacade | GetFile | Digest | StrSplit | MapMerge | MapReplace
            | Yaql | If | MakeUrl | ListConcat | ListConcatUnique | Not | Ref | FnGetAzs | FnBase64
            | FnMemberListToMap | FnResourceFacade => Self::Whole,
        }
    }
}

impl Scope<'_> {
    pub(super) fn call(&self, call: &Call<'_>, context: Context) -> Result<Value, Fault> {
        if let Mode::Partial(resources) = self.mode {
            return self.partly(call, context, resources);
        }
        let function = call.function.name();
        match call.standing {
            Standing::Removed => return Err(Fault::new(call.name, Defect::Removed { function })),
            Standing::Misplaced => return Err(Fault::new(call.name, Defect::Misplaced { function })),
            Standing::Known | Standing::Unknown => {}
        }
        if call.function == Function::If {
            return match self.branch(call)? {
                Branch::Taken(branch) => self.resolve(branch, context),
                Branch::Absent => Ok(Value::Absent),
                Branch::Unknown => Ok(Value::Unknown),
            };
        }
        if let Some(fault) = self.form(call, context).into_iter().next() {
            return Err(fault);
        }
        let arguments = self.arguments(call, context)?;
        self.give(call, arguments)
    }

    /// The resolved arguments of a call: the items of a list, the parts of a map, or a single value. This is separate from
    /// the rest of the call, to keep stack usage small however deeply calls are nested.
    #[inline(never)]
    pub(super) fn arguments(&self, call: &Call<'_>, context: Context) -> Result<Vec<Value>, Fault> {
        let part = |node: Option<&Node>| node.map_or(Ok(Value::Null), |node| self.argument(node, context));
        match Shape::of(call.function) {
            Shape::Parts(parts) => parts.iter().map(|name| part(call.argument.get(name))).collect(),
            Shape::Items => call.arguments().unwrap_or_default().iter().map(|item| part(Some(item))).collect(),
            Shape::Whole => Ok(vec![part(Some(call.argument))?]),
        }
    }

    #[inline(never)]
    pub(super) fn give(&self, call: &Call<'_>, arguments: Vec<Value>) -> Result<Value, Fault> {
        let nodes = call.arguments().unwrap_or_default();
        let mut arguments = arguments.into_iter();
        let first = arguments.next().unwrap_or(Value::Null);
        let mut second = || arguments.next().unwrap_or(Value::Null);
        match call.function {
            Function::GetParam => self.get_param(call, &first),
            Function::GetResource => Ok(self.get_resource(&first)),
            Function::Ref => self.reference(call, &first),
            Function::GetAttr => Ok(self.get_attr()),
            Function::GetFile => self.get_file(call, &first),
            Function::ListJoin | Function::FnJoin => self.list_join(call, &first, arguments.as_slice()),
            Function::StrReplace | Function::StrReplaceStrict | Function::StrReplaceVstrict => {
                self.str_replace(call, &first, &second())
            }
            Function::FnReplace => self.str_replace(call, &second(), &first),
            Function::StrSplit => self.str_split(call, first),
            Function::FnSplit => Self::fn_split(call, &first, &second()),
            Function::Digest => Self::digest(call, &first),
            Function::FnBase64 => match known!(first) {
                text @ Value::Text(_) => Ok(text),
                other => Err(wrong(call, format!("it takes a string, not {}", other.kind()))),
            },
            Function::MapMerge => Self::map_merge(call, first),
            Function::MapReplace => Self::map_replace(call, first),
            Function::ListConcat => self.list_concat(call, first, false),
            Function::ListConcatUnique => self.list_concat(call, first, true),
            Function::Filter => self.filter(call, &first, second()),
            Function::Contains => self.contains(call, &first, &second()),
            Function::Repeat => self.repeat(call, &first, second()),
            Function::FnSelect => Self::select(call, &first, second()),
            Function::FnMemberListToMap => Self::member_list_to_map(call, &first),
            Function::MakeUrl => Self::make_url(call, &first),
            Function::Equals => Ok(first.equals(&second()).map_or(Value::Unknown, Value::Boolean)),
            Function::Not => {
                let holds = self.enabled(&first, call.argument.span)?.truth();
                Ok(holds.map_or(Value::Unknown, |holds| Value::Boolean(!holds)))
            }
            Function::And | Function::Or => {
                let spans = nodes.iter().map(|node| node.span).chain(std::iter::repeat(call.argument.span));
                self.any(std::iter::once(first).chain(arguments).zip(spans), call.function == Function::Or)
            }
            Function::ResourceFacade | Function::FnResourceFacade => self.facade(call),
            Function::Yaql => self.yaql(call, &first),
            // The availability zones depend on the cloud. An `if` has already been evaluated.
            Function::FnGetAzs | Function::If => Ok(Value::Unknown),
        }
    }

    /// Whether all conditions hold, or any of them. The first condition that equals `decides` ends the evaluation, as in
    /// Python.
    fn any(&self, conditions: impl Iterator<Item = (Value, Span)>, decides: bool) -> Result<Value, Fault> {
        let mut result = Value::Boolean(!decides);
        for (value, span) in conditions {
            match self.enabled(&value, span)?.truth() {
                Some(holds) if holds == decides => return Ok(Value::Boolean(decides)),
                Some(_) => {}
                None => result = Value::Unknown,
            }
        }
        Ok(result)
    }

    /// A field of the resource in the parent stack, which only the parent knows.
    fn facade(&self, call: &Call<'_>) -> Result<Value, Fault> {
        if self.loaded.is_nested() {
            return Ok(Value::Unknown);
        }
        Err(wrong(call, "it reads the resource of a nested stack, but this template is not nested"))
    }

    pub(super) fn joins_many(&self) -> bool {
        self.version() >= Version::V2015_10_15
    }
}

/// The fault for invalid arguments of `call`.
pub(super) fn wrong(call: &Call<'_>, why: impl Into<String>) -> Fault {
    Fault::arguments(call.span, call.function, why)
}
