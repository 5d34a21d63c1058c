//! Component types from a test's point of view: their inputs and outputs, as plain values.

use std::fmt;
use std::ops::Deref;

use crate::model::{IndexMap, Name, Value};

/// A component that a test can fake. Implemented by `#[component]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a component",
    label = "not a component",
    note = "a test can only fake a struct with `#[component(recipe = \"...\")]`"
)]
pub trait Fakeable {
    /// Its inputs: a struct with a field for each, of the declared type. See [`Inputs`].
    type Inputs: Plain;
    /// Its outputs: a struct with a field for each. See [`Outputs`].
    type Outputs: Written;
    /// The path of its Rust type, which is the name of the component type.
    #[doc(hidden)]
    const COMPONENT_TYPE: &'static str;
}

/// The inputs of a component as plain values: if `port` was declared as a `u16`, `inputs.port` is one.
///
/// An input of type `Option<T>` without a default is an `Option`. A `Secret<T>` is a plain `T`, because a test may look
/// into it.
pub type Inputs<K> = <K as Fakeable>::Inputs;

/// The outputs of a component as plain values, which a fake returns. There is one field for each, and the compiler
/// refuses one that is missing, misspelt or of another type.
///
/// ```
/// # use wattle::prelude::*;
/// use wattle::testing::Outputs;
///
/// # #[component(recipe = "src/check/examples/greet.sh")]
/// # pub struct Greeter { #[input] name: String, #[output] greeting: String }
/// let outputs = Outputs::<Greeter> { greeting: "hello, world".into() };
/// # assert_eq!(outputs.greeting, "hello, world");
/// ```
pub type Outputs<K> = <K as Fakeable>::Outputs;

/// A struct of plain values. Implemented by `#[component]`.
pub trait Plain {
    /// Creates the struct from these values.
    #[doc(hidden)]
    fn of(values: &Values) -> Self;
}

/// A struct of outputs. Implemented by `#[component]`.
pub trait Written: Plain {
    /// Its values.
    #[doc(hidden)]
    fn into_values(self) -> Values;
}

/// Values by name.
#[doc(hidden)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values(pub(super) IndexMap<Name, Value>);

impl Values {
    /// No values.
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of an input or output, which must be present.
    ///
    /// # Panics
    /// If it is missing or of another type. Values are checked against their types beforehand.
    pub fn get<T>(&self, name: &str, from_value: fn(Value) -> Option<T>) -> T {
        self.optional(name, from_value)
            .unwrap_or_else(|| panic!("INVARIANT: `{name}` is there, of the type that was declared"))
    }

    /// The value of an input that may be absent.
    pub fn optional<T>(&self, name: &str, from_value: fn(Value) -> Option<T>) -> Option<T> {
        from_value(self.0.get(name)?.clone())
    }

    /// Sets the value of an output.
    pub fn put(&mut self, name: &'static str, value: Value) {
        self.0.insert(name.into(), value);
    }
}

/// The argument of a fake when its component runs: the inputs, and the identity of the component.
///
/// The inputs are its fields: `db2.port`.
///
/// ```
/// # use wattle::prelude::*;
/// # #[component(recipe = "src/check/examples/greet.sh")]
/// # pub struct Greeter { #[input] name: String, #[output] greeting: String }
/// # #[blueprint]
/// # pub fn hello(t: &mut Topology) -> Exports {
/// #     let [alice, bob] = ["alice", "bob"].map(|name| t.add(name, RawResource::new("OS::Nova::Server")));
/// #     let first = t.on(alice).run("greeter", Greeter::new().name("world"));
/// #     let second = t.on(bob).run("greeter", Greeter::new().name(first.greeting));
/// #     Exports::new().entry("greeting", second.greeting)
/// # }
/// use wattle::testing::{Given, Outputs, Trial};
///
/// let trial = Trial::of(hello).fake(|it: Given<Greeter>| Outputs::<Greeter> {
///     greeting: format!("{} from {}", it.name, it.server()),
/// });
/// assert_eq!(trial.run().export::<String>("greeting"), "world from alice from bob");
/// ```
pub struct Given<K: Fakeable> {
    inputs: K::Inputs,
    component: Name,
    attempt: u32,
}

impl<K: Fakeable> Given<K> {
    pub(super) fn new(inputs: &Values, component: Name, attempt: u32) -> Self {
        Self { inputs: K::Inputs::of(inputs), component, attempt }
    }

    /// The component, as `SERVER/COMPONENT`.
    pub fn component(&self) -> &str {
        &self.component
    }

    /// The server on which it runs.
    pub fn server(&self) -> &str {
        self.component.rsplit_once('/').map_or(&*self.component, |(server, _)| server)
    }

    /// The number of times that its recipe was started, including this time. It is more than 1 if its agent died while the
    /// recipe ran.
    pub fn attempt(&self) -> u32 {
        self.attempt
    }
}

impl<K: Fakeable> Deref for Given<K> {
    type Target = K::Inputs;

    fn deref(&self) -> &K::Inputs {
        &self.inputs
    }
}

impl<K: Fakeable> fmt::Debug for Given<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Given")
            .field("component", &self.component)
            .field("attempt", &self.attempt)
            .finish_non_exhaustive()
    }
}
