//! Handles: small `Copy` ids for what a topology holds.
//!
//! A handle knows its topology, so a handle from another topology is detected and does not stand for something else in
//! this one. Handles cannot be printed, compared or branched on, because their values are not known while the blueprint
//! runs.

use std::marker::PhantomData;

/// The topology that made a handle, and the index in it.
#[derive(Clone, Copy)]
pub(crate) struct Id {
    pub(crate) topology: u32,
    pub(crate) index: u32,
}

/// Any resource. Typed handles, such as a server's or a network's, are built on it.
#[derive(Clone, Copy)]
pub struct Resource {
    pub(crate) id: Id,
}

impl Resource {
    /// Returns the attribute `name` of this resource, under Heat's name.
    ///
    /// Typed handles have a method for each attribute that they know. Use this for any other.
    pub fn attribute<T>(self, name: &'static str) -> Attribute<T> {
        Attribute { id: self.id, name, path: [None; 3], ty: PhantomData }
    }
}

/// A resource on which components can run.
///
/// A [`Resource`] of unknown type is accepted here; `check` looks at its type.
#[diagnostic::on_unimplemented(
    message = "components run on a server, not on `{Self}`",
    label = "this is not a server",
    note = "`t.on(...)` takes the handle that `t.add(name, nova::Server::new()...)` returned"
)]
pub trait Host: Copy {
    /// The resource.
    fn resource(self) -> Resource;
}

#[diagnostic::do_not_recommend]
impl Host for Resource {
    fn resource(self) -> Resource {
        self
    }
}

/// Any component. Every component's own handle is built on it.
#[derive(Clone, Copy)]
pub struct Component {
    pub(crate) id: Id,
}

/// A handle of a component.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a component",
    label = "not a component",
    note = "a component is what `t.on(server).run(name, component)` returns"
)]
pub trait AsComponent: Copy {
    /// The component.
    fn component(self) -> Component;
}

impl AsComponent for Component {
    fn component(self) -> Component {
        self
    }
}

/// A condition of the template. Heat decides it when the stack is deployed.
#[derive(Clone, Copy)]
pub struct Condition {
    pub(crate) id: Id,
}

/// A component's output: a `T` that exists once the component has run.
///
/// A component's handle has one field of this type for each output. Inputs, text and exports take it. It can be copied,
/// but neither printed nor compared, because it has no value yet.
///
/// ```
/// use wattle::prelude::*;
///
/// #[component(recipe = "src/check/examples/greet.sh")]
/// pub struct Greeter {
///     #[input]
///     name: String,
///     #[output]
///     greeting: String,
/// }
///
/// fn chain(t: &mut Topology, first: Output<String>) -> Output<String> {
///     let server = t.add("server", RawResource::new("OS::Nova::Server"));
///     t.on(server).run("greeter", Greeter::new().name(first)).greeting
/// }
/// # let mut t = Topology::new("demo");
/// # let name = t.later::<String>("name");
/// # chain(&mut t, name.output());
/// ```
pub struct Output<T> {
    pub(crate) topology: u32,
    pub(crate) source: OutputSource,
    ty: PhantomData<fn() -> T>,
}

#[derive(Clone, Copy)]
pub(crate) enum OutputSource {
    Component { component: u32, output: u32 },
    ForwardReference(u32),
    Import(u32),
}

impl<T> Output<T> {
    pub(crate) fn new(topology: u32, source: OutputSource) -> Self {
        Self { topology, source, ty: PhantomData }
    }

    /// Returns the output that `#[component]` declared as number `output`.
    #[doc(hidden)]
    pub fn of(component: Component, output: u32) -> Self {
        Self::new(component.id.topology, OutputSource::Component { component: component.id.index, output })
    }
}

/// An attribute of a resource: a `T` that exists once Heat has made the resource.
///
/// The handles of a catalog have a method for each attribute. Properties, inputs, text and exports take it.
///
/// ```
/// use wattle::prelude::*;
///
/// fn reachable(address: Attribute<IpAddr>) -> Exports {
///     Exports::new().entry("url", text!("http://{}/", address))
/// }
/// # let _ = reachable;
/// ```
pub struct Attribute<T> {
    pub(crate) id: Id,
    pub(crate) name: &'static str,
    pub(crate) path: [Option<Segment>; 3],
    ty: PhantomData<fn() -> T>,
}

/// One step into an attribute's value.
#[derive(Clone, Copy)]
pub enum Segment {
    /// A key of a map.
    Key(&'static str),
    /// An index into a list, starting at 0.
    Index(u32),
    /// A key of a map that is the identity of a resource.
    Resource(Resource),
}

impl<T> Attribute<T> {
    /// Returns a part of the attribute's value, at most three steps into it.
    ///
    /// # Panics
    /// If `path` has more than three steps.
    pub fn at<U>(self, path: &[Segment]) -> Attribute<U> {
        let mut steps = [None; 3];
        assert!(path.len() <= steps.len(), "an attribute's path has at most three steps");
        for (step, segment) in steps.iter_mut().zip(path) {
            *step = Some(*segment);
        }
        Attribute { id: self.id, name: self.name, path: steps, ty: PhantomData }
    }
}

/// A parameter: a `T` that is chosen at deployment and remains a parameter in the template.
///
/// ```
/// use wattle::prelude::*;
///
/// /// Chosen at deployment.
/// #[derive(Parameters)]
/// pub struct Settings {
///     /// Image of every server.
///     #[parameter(default = "debian-12")]
///     image: Parameter<String>,
/// }
///
/// /// One server.
/// #[blueprint]
/// fn single(t: &mut Topology, p: Settings) -> Exports {
///     t.add("server", RawResource::new("OS::Nova::Server").property("image", p.image));
///     Exports::new()
/// }
/// # let model = wattle::author::Blueprint::model(&single, Default::default());
/// # assert!(model.parameters.contains_key("image"));
/// ```
pub struct Parameter<T> {
    pub(crate) id: Id,
    ty: PhantomData<fn() -> T>,
}

impl<T> Parameter<T> {
    pub(crate) fn new(id: Id) -> Self {
        Self { id, ty: PhantomData }
    }
}

macro_rules! copy {
    ($($handle:ident { $($field:ident),* })*) => {$(
        impl<T> Clone for $handle<T> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T> Copy for $handle<T> {}
        impl<T> $handle<T> {
            /// The same handle without its type.
            pub(crate) fn untyped(self) -> $handle<()> {
                $handle { $($field: self.$field,)* ty: PhantomData }
            }
        }
    )*};
}
copy!(Output { topology, source } Attribute { id, name, path } Parameter { id });
