//! Which function does what.

use crate::template::{Call, Context, Function, Standing, Version};
use crate::yaml::Node;

use super::{Branch, Cause, Fault, Scope, Value};

/// Ends a function whose argument is not known yet.
macro_rules! known {
    ($value:expr) => {
        match $value {
            Value::Unknown => return Ok(Value::Unknown),
            value => value,
        }
    };
}
pub(super) use known;

impl Scope<'_> {
    pub(super) fn call(&self, call: &Call<'_>, context: Context) -> Result<Value, Fault> {
        let function = call.function.name();
        match call.standing {
            Standing::Removed => return Err(Fault::new(call.name, Cause::Removed { function })),
            Standing::Misplaced => return Err(Fault::new(call.name, Cause::Misplaced { function })),
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
        let argument = |at: usize| match call.arguments().and_then(|arguments| arguments.get(at)) {
            Some(node) => self.argument(node, context),
            None => Ok(Value::Null),
        };
        let all = || self.argument(call.argument, context);
        match call.function {
            Function::GetParam => self.get_param(call, &all()?),
            Function::GetResource => Ok(self.get_resource(&all()?)),
            Function::Ref => self.reference(call, &all()?),
            Function::GetAttr => self.get_attr(call, context),
            Function::GetFile => self.get_file(call, &all()?),
            Function::ListJoin | Function::FnJoin => self.list_join(call, &argument(0)?, &self.rest(call, context)?),
            Function::StrReplace | Function::StrReplaceStrict | Function::StrReplaceVstrict => {
                let part = |key| call.argument.get(key).map_or(Ok(Value::Null), |node| self.argument(node, context));
                self.str_replace(call, &part("template")?, &part("params")?)
            }
            Function::FnReplace => self.str_replace(call, &argument(1)?, &argument(0)?),
            Function::StrSplit => self.str_split(call, all()?),
            Function::FnSplit => Self::fn_split(call, &argument(0)?, &argument(1)?),
            Function::Digest => Self::digest(call, &all()?),
            Function::FnBase64 => match known!(all()?) {
                text @ Value::Text(_) => Ok(text),
                other => Err(wrong(call, format!("it takes a string, not {}", other.kind()))),
            },
            Function::MapMerge => Self::map_merge(call, all()?),
            Function::MapReplace => Self::map_replace(call, all()?),
            Function::ListConcat => self.list_concat(call, all()?, false),
            Function::ListConcatUnique => self.list_concat(call, all()?, true),
            Function::Filter => self.filter(call, &argument(0)?, argument(1)?),
            Function::Contains => self.contains(call, &argument(0)?, &argument(1)?),
            Function::Repeat => self.repeat(call, context),
            Function::FnSelect => Self::select(call, &argument(0)?, argument(1)?),
            Function::FnMemberListToMap => Self::member_list_to_map(call, &all()?),
            Function::MakeUrl => Self::make_url(call, &all()?),
            Function::Equals => Ok(argument(0)?.equals(&argument(1)?).map_or(Value::Unknown, Value::Boolean)),
            Function::Not => {
                let holds = self.is_enabled(&all()?, call.argument.span)?;
                Ok(holds.map_or(Value::Unknown, |holds| Value::Boolean(!holds)))
            }
            Function::And => self.any(call, context, false),
            Function::Or => self.any(call, context, true),
            Function::ResourceFacade | Function::FnResourceFacade => self.facade(call),
            // What an expression gives is Heat's to say; and the zones are the cloud's.
            Function::Yaql => self.argument(call.argument, context).map(|_| Value::Unknown),
            Function::FnGetAzs | Function::If => Ok(Value::Unknown),
        }
    }

    /// The arguments after the first one.
    fn rest(&self, call: &Call<'_>, context: Context) -> Result<Vec<Value>, Fault> {
        let rest = call.arguments().and_then(|arguments| arguments.get(1..)).unwrap_or_default();
        rest.iter().map(|node| self.argument(node, context)).collect()
    }

    /// Whether all conditions hold, or any of them: the first that `decides` ends it, as in Python.
    fn any(&self, call: &Call<'_>, context: Context, decides: bool) -> Result<Value, Fault> {
        let nodes: &[Node] = call.arguments().unwrap_or_default();
        let values: Result<Vec<_>, _> = nodes.iter().map(|node| self.argument(node, context)).collect();
        let mut result = Value::Boolean(!decides);
        for (value, node) in values?.iter().zip(nodes) {
            match self.is_enabled(value, node.span)? {
                Some(holds) if holds == decides => return Ok(Value::Boolean(decides)),
                Some(_) => {}
                None => result = Value::Unknown,
            }
        }
        Ok(result)
    }

    /// What the parent's resource says of itself, which only the parent knows.
    fn facade(&self, call: &Call<'_>) -> Result<Value, Fault> {
        if self.loaded.is_nested() {
            return Ok(Value::Unknown);
        }
        Err(wrong(call, "it tells of the resource that a nested stack is, and this template is none"))
    }

    pub(super) fn joins_many(&self) -> bool {
        self.version() >= Version::V2015_10_15
    }
}

/// The fault of arguments that are not what `call` takes.
pub(super) fn wrong(call: &Call<'_>, why: impl Into<String>) -> Fault {
    Fault::arguments(call.span, call.function.name(), why)
}
