//! Evaluates expressions: which function is called, with which arguments, and within which limits.

use std::cell::Cell;
use std::rc::Rc;

use super::arguments::{Argument, Arguments, by_name, fits};
use super::context::{Context, Lambda};
use super::expression::Expression;
use super::item::Item;
use super::library;
use super::limits;
use super::messages::{ambiguous, no_key, no_match};
use super::overload::{CallKind, Overload, Type, constant, is_closer};
use super::stream::{Stream, iterate};

/// Why there is no result.
#[derive(Clone, Debug)]
pub(super) enum Stop {
    /// The result of YAQL is not known here.
    Unknown,
    /// YAQL refuses it.
    Wrong(Sort, String),
}

/// The kinds of errors that YAQL treats differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// No function accepts these arguments.
    Matching,
    /// A list has no such item.
    Index,
    Other,
}

pub(super) fn unknown<T>() -> Result<T, Stop> {
    Err(Stop::Unknown)
}

pub(super) fn wrong<T>(why: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Wrong(Sort::Other, why.into()))
}

/// The maximum depth of calls. Python's own recursion limit stops Heat not much later.
const DEPTH: u32 = 100;

/// Evaluates one expression.
#[derive(Debug)]
pub(super) struct Machine<'b> {
    /// The number of remaining steps.
    left: &'b Cell<u64>,
    depth: Cell<u32>,
}

/// A function's arguments: the parameters in order, further positional arguments, and arguments with other names.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) values: Vec<Item>,
    pub(super) rest: Vec<Item>,
    pub(super) named: Vec<(Rc<str>, Item)>,
    pub(super) context: Context,
}

impl<'b> Machine<'b> {
    pub(super) fn new(left: &'b Cell<u64>) -> Self {
        Self { left, depth: Cell::new(0) }
    }

    /// Counts steps against the limit.
    pub(super) fn step(&self, steps: usize) -> Result<(), Stop> {
        match self.left.get().checked_sub(steps as u64) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => unknown(),
        }
    }

    /// Runs `inner` one level deeper, unless that is too deep.
    pub(super) fn deeper<T>(&self, inner: impl FnOnce() -> Result<T, Stop>) -> Result<T, Stop> {
        self.step(1)?;
        if self.depth.get() >= DEPTH {
            return unknown();
        }
        self.depth.set(self.depth.get() + 1);
        let value = inner();
        self.depth.set(self.depth.get() - 1);
        value
    }

    /// The value of an expression. A function after a dot is a method of the value before it.
    pub(super) fn evaluate(
        &self,
        expression: &Rc<Expression>,
        receiver: Option<&Item>,
        context: &Context,
    ) -> Result<Item, Stop> {
        if let Some(value) = constant(expression) {
            return Ok(value);
        }
        self.deeper(|| match &**expression {
            Expression::Variable(name) => limits::memory([&context.get(name)]).map(|()| context.get(name)),
            Expression::Wrapped(inside) => self.evaluate(inside, None, context),
            Expression::Rule(key, value) => {
                let pair = (self.evaluate(key, None, context)?, self.evaluate(value, None, context)?);
                Ok(Item::Rule(Rc::new(pair)))
            }
            Expression::Call { name, arguments } => match (&**name, arguments.as_slice()) {
                ("#operator_.", [Some(left), Some(right)]) => match self.evaluate(left, None, context) {
                    // Whatever the left value is.
                    Err(Stop::Unknown) if right.method().is_some_and(library::is_no_method) => {
                        self.part(&Item::Unknown, right, context)
                    }
                    left => self.part(&left?, right, context),
                },
                ("#operator_?.", [Some(left), Some(right)]) => match self.evaluate(left, None, context)? {
                    Item::Null => Ok(Item::Null),
                    left => self.part(&left, right, context),
                },
                (name, arguments) => {
                    let written = |argument: &Option<Rc<Expression>>| match argument {
                        Some(expression) => Argument::Written(expression.clone()),
                        None => Argument::LeftOut,
                    };
                    self.call(name, receiver, arguments.iter().map(written).collect(), context)
                }
            },
            _ => unknown(),
        })
    }

    /// The result of the part after a dot: a method, a key of a map, or a key of every map in a list.
    fn part(&self, left: &Item, right: &Rc<Expression>, context: &Context) -> Result<Item, Stop> {
        if right.method().is_some() {
            limits::memory([left])?;
            let value = self.evaluate(right, Some(left), context)?;
            return limits::memory([&value]).map(|()| value);
        }
        let Expression::Keyword(key) = &**right else {
            return Err(Stop::Wrong(Sort::Matching, "a name or a call must follow a dot".to_owned()));
        };
        self.step(1)?;
        match left {
            Item::Unknown => unknown(),
            Item::Map(map) => {
                let value = map.get(&Item::Text(key.clone()))?;
                let Some(value) = value.cloned() else { return wrong(no_key(map, key)) };
                limits::memory([&value]).map(|()| value)
            }
            left if left.is_iterable() => {
                let source = limits::iterable(self, left)?;
                let (right, context) = (right.clone(), context.clone());
                let of = [left, &Item::Context(context.clone())].map(Item::clone);
                let next = move |machine: &Machine<'_>| match source.next(machine)? {
                    Some(item) => machine.deeper(|| machine.part(&item, &right, &context).map(Some)),
                    None => Ok(None),
                };
                Ok(Stream::over(&[&of[0], &of[1]], next)?.item())
            }
            left => wrong(format!("`{}` is read from {}, which has no keys", key.escape_debug(), left.kind())),
        }
    }

    /// The result of an operator for two values.
    pub(super) fn operate(&self, operator: &str, one: &Item, other: &Item) -> Result<Item, Stop> {
        let arguments = [one, other].map(|item| Argument::Value(item.clone())).to_vec();
        self.deeper(|| self.call(operator, None, arguments, &Context::of(Item::Null)))
    }

    /// All items of an iterable.
    pub(super) fn items(&self, item: &Item) -> Result<Vec<Item>, Stop> {
        iterate(self, item)?.rest(self)
    }

    pub(super) fn call(
        &self,
        name: &str,
        receiver: Option<&Item>,
        mut placed: Vec<Argument>,
        context: &Context,
    ) -> Result<Item, Stop> {
        self.step(1 + placed.len())?;
        let name = if name.starts_with('#') { name } else { name.trim_end_matches('_') };
        if let (None, Some(own)) = (receiver, context.function(name)) {
            return self.call_own(&own, placed, context);
        }
        let is_meant = |overload: &&'static Overload| match receiver {
            Some(_) => overload.kind != CallKind::Function,
            None => overload.kind != CallKind::Method,
        };
        let overloads: Vec<_> = library::named(name).filter(is_meant).collect();
        let Some(first) = overloads.first() else {
            if library::is_not_computed(name) {
                return unknown();
            }
            let what = if receiver.is_some() { "method" } else { "function" };
            return wrong(format!("YAQL has no {what} `{}`", name.escape_debug()));
        };
        placed.splice(0..0, receiver.cloned().map(Argument::Value));
        let arguments = if first.named { by_name(placed)? } else { Arguments { placed, named: Vec::new() } };
        let mut mapped = Vec::new();
        for overload in overloads {
            if let Some(types) = overload.mapped(&arguments)? {
                mapped.push((overload, types));
            }
        }
        let Some((_, types)) = mapped.first() else { return no_match(name, &arguments) };
        let lazy: Vec<bool> = types.iter().map(|takes| takes.is_lazy()).collect();
        if mapped.iter().any(|(_, types)| !types.iter().map(|takes| takes.is_lazy()).eq(lazy.iter().copied())) {
            return ambiguous(name);
        }
        let arguments = self.computed(arguments, &lazy, context)?;
        let mut chosen: Option<(&Overload, &[Type])> = None;
        for (overload, types) in &mapped {
            if !fits(types, &arguments)? {
                continue;
            }
            match chosen {
                Some((_, best)) if is_closer(best, types) => {}
                Some((_, best)) if !is_closer(types, best) => {
                    return ambiguous(name);
                }
                _ => chosen = Some((overload, types)),
            }
        }
        let Some((overload, _)) = chosen else { return no_match(name, &arguments) };
        let value = (overload.payload)(self, Self::given(overload, arguments, context)?)?;
        limits::memory([&value]).map(|()| value)
    }

    /// Calls one of the author's functions. Its arguments are `$1`, `$2` and so on, and those with names.
    fn call_own(&self, own: &Lambda, placed: Vec<Argument>, context: &Context) -> Result<Item, Stop> {
        let arguments = by_name(placed)?;
        let lazy = vec![false; arguments.placed.len() + arguments.named.len()];
        let arguments = self.computed(arguments, &lazy, context)?;
        let value = |argument: Argument| match argument {
            Argument::Value(value) => Ok(value),
            _ => unknown(),
        };
        let mut values = Vec::new();
        for (number, argument) in (1..).zip(arguments.placed) {
            values.push((Rc::from(format!("${number}")), value(argument)?));
        }
        for (name, argument) in arguments.named {
            values.push((Rc::from(format!("${name}")), value(argument)?));
        }
        self.evaluate(&own.expression, None, &own.context.with(values)?)
    }

    /// Evaluates the arguments that are not lazy.
    fn computed(&self, arguments: Arguments, lazy: &[bool], context: &Context) -> Result<Arguments, Stop> {
        let mut lazy = lazy.iter();
        let mut compute = |argument: Argument| match (argument, lazy.next()) {
            (Argument::Written(expression), Some(false)) => {
                Ok(Argument::Value(self.evaluate(&expression, None, context)?))
            }
            (argument, _) => Ok(argument),
        };
        let placed = arguments.placed.into_iter().map(&mut compute).collect::<Result<_, Stop>>()?;
        let named = arguments.named.into_iter().map(|(name, argument)| Ok((name, compute(argument)?)));
        let named = named.collect::<Result<_, Stop>>()?;
        Ok(Arguments { placed, named })
    }

    /// The arguments in the form that a function receives.
    fn given(overload: &Overload, arguments: Arguments, context: &Context) -> Result<Given, Stop> {
        let Arguments { placed, mut named } = arguments;
        let mut placed = placed.into_iter();
        let mut given = Given { values: Vec::new(), rest: Vec::new(), named: Vec::new(), context: context.clone() };
        for parameter in overload.parameters {
            let argument = match placed.next() {
                Some(Argument::LeftOut) | None => {
                    let at = named.iter().position(|(name, _)| **name == *parameter.name);
                    at.map(|at| named.remove(at).1)
                }
                given => given,
            };
            given.values.push(match argument {
                Some(argument) => Self::converted(parameter.takes, argument, context)?,
                None => parameter.default.item().unwrap_or(Item::Missing),
            });
        }
        for argument in placed {
            given.rest.push(Self::converted(overload.rest.unwrap_or(Type::Any), argument, context)?);
        }
        for (name, argument) in named {
            given.named.push((name, Self::converted(Type::Any, argument, context)?));
        }
        Ok(given)
    }

    fn converted(takes: Type, argument: Argument, context: &Context) -> Result<Item, Stop> {
        match (takes, argument) {
            (Type::Lambda, Argument::Written(expression)) => {
                Ok(Item::Lambda(Rc::new(Lambda { expression, context: context.clone() })))
            }
            (_, Argument::Written(expression)) => Ok(Item::Quoted(expression)),
            (_, Argument::LeftOut) => Ok(Item::Missing),
            (Type::Iterable, Argument::Value(value)) => {
                limits::memory([&value])?;
                limits::limited(value)
            }
            (_, Argument::Value(value)) => limits::memory([&value]).map(|()| value),
        }
    }
}
