//! The interface of a nested template's module for templates that use it as a stack: its parameters and its outputs.

use wattle_heat::template::{Call, Context, Function};
use wattle_heat::yaml::{Node, Tree};

use crate::group::{definition, is_definition};

use super::blueprint::Blueprint;
use super::catalog::Ty;
use super::literal::doc;
use super::names::{Names, snake};
use super::rust::{Expr, quoted};
use super::typed::is_within;
use super::valued::entries;

/// The name of the struct whose methods are the outputs.
const OUTPUTS: &str = "Outputs";

/// The interface of a module.
#[derive(Debug, Default)]
pub(super) struct Face {
    parameters: Vec<Setting>,
    outputs: Vec<Shown>,
}

/// A parameter, set by a method.
#[derive(Debug)]
struct Setting {
    name: String,
    method: String,
    ty: &'static str,
    required: bool,
}

/// An output, read by a method.
#[derive(Debug)]
struct Shown {
    name: String,
    method: String,
    /// Its Rust type, if known. Otherwise it can be any value.
    ty: Option<&'static str>,
    description: String,
}

/// A nested template that is used for stacks here.
#[derive(Clone, Debug)]
pub(super) struct Stacks<'a> {
    /// The variable that holds the template.
    pub(super) variable: String,
    /// The path to the module.
    pub(super) module: String,
    pub(super) face: &'a Face,
}

impl Face {
    /// Whether setters can express all properties of a stack.
    pub(super) fn has(&self, properties: Option<&Node>, call: impl Fn(&Node) -> bool) -> bool {
        let given = match properties.map(|node| (node, &*node.tree)) {
            None | Some((_, Tree::Null)) => Vec::new(),
            Some((node, Tree::Map(pairs))) if !call(node) => entries(pairs),
            Some(_) => return false,
        };
        let is_known = |name: &str| self.parameters.iter().any(|one| one.name == name);
        let is_given = |name: &str| given.iter().any(|(key, _)| key == name);
        given.iter().all(|(key, _)| is_known(key))
            && self.parameters.iter().all(|one| !one.required || is_given(&one.name))
    }

    /// The outputs as methods of a struct around a stack. Empty if there are none.
    pub(super) fn text(&self) -> String {
        if self.outputs.is_empty() {
            return String::new();
        }
        let methods: Vec<String> = self
            .outputs
            .iter()
            .map(|one| {
                let name = quoted(&one.name);
                let (ty, value) = match one.ty {
                    Some(ty) => (format!("Attribute<{ty}>"), format!("self.0.attribute({name})")),
                    None => ("hot::Value".to_owned(), format!("hot::get_attr(self.0, [{name}])")),
                };
                let (doc, method) = (doc(&one.description, 4), &one.method);
                format!("{doc}    pub fn {method}(self) -> {ty} {{\n        {value}\n    }}\n")
            })
            .collect();
        format!(
            "/// What a stack of this template shows.\n#[derive(Clone, Copy)]\npub struct {OUTPUTS}(pub \
             wattle::author::Resource);\n\nimpl {OUTPUTS} {{\n{}}}\n\n",
            methods.join("\n")
        )
    }
}

impl<'a> Blueprint<'a> {
    /// The interface of this module. `outputs` are the types of its outputs, by name.
    pub(super) fn face(&self, outputs: &[(&'a str, Ty)]) -> Face {
        let parameters = self.template.parameters.iter().map(|(name, parameter)| {
            let (method, ty) = self.parameters[name.as_str()].clone();
            let required = Self::is_required(parameter, ty);
            Setting { name: name.clone(), method, ty, required }
        });
        let mut names = Names::default();
        let shown = outputs.iter().map(|(name, ty)| {
            let ty = match ty {
                Ty::Text | Ty::Written | Ty::Resource | Ty::Handle(..) => Some("String"),
                Ty::Attribute(ty) | Ty::Parameter(ty) => {
                    ["String", "bool", "u8", "u16", "u32", "i64", "f64", "IpAddr"].into_iter().find(|known| known == ty)
                }
                _ => self.makes_text(name).then_some("String"),
            };
            let description = self.template.outputs[*name].description.as_ref().and_then(Node::as_prose);
            Shown {
                name: (*name).to_owned(),
                method: names.fresh(snake(name)),
                ty,
                description: description.unwrap_or_default(),
            }
        });
        Face { parameters: parameters.collect(), outputs: shown.collect() }
    }

    /// Whether the output is the result of a function that only returns text.
    fn makes_text(&self, output: &str) -> bool {
        let call =
            self.template.outputs[output].value.as_ref().and_then(|node| Call::of(node, self.template.version()));
        call.is_some_and(|call| {
            use Function::{Digest, ListJoin, MakeUrl, StrReplace, StrReplaceStrict, StrReplaceVstrict};
            matches!(call.function, ListJoin | StrReplace | StrReplaceStrict | StrReplaceVstrict | Digest | MakeUrl)
        })
    }

    /// A stack of a nested template whose interface covers all properties of the stack.
    pub(super) fn stack(&mut self, name: &str, of: &Stacks<'a>, properties: &[(String, &Node)]) -> Expr {
        let mut expr = Expr::atom(&of.variable).method("stack", []);
        for (key, node) in properties {
            let Some(setting) = of.face.parameters.iter().find(|one| one.name == *key) else { continue };
            let value = self.value(node, Context::Value, &format!("{name}.{key}"));
            let is_one = match (&value.ty, setting.ty, &*node.tree) {
                (Ty::Value, ..)
                | (Ty::Text | Ty::Written, "String", _)
                | (Ty::Boolean, "bool", _)
                | (Ty::Float, "f64", _) => true,
                (Ty::Integer, ty, Tree::Integer(number)) => is_within(ty, *number),
                (Ty::Parameter(own) | Ty::Attribute(own), ty, _) => *own == ty,
                (Ty::Array(item, _), "Vec<String>", _) => {
                    matches!(**item, Ty::Text | Ty::Parameter("String") | Ty::Attribute("String"))
                }
                _ => false,
            };
            expr = expr.method(&setting.method, [if is_one { value.expr } else { value.wrapped().expr }]);
        }
        expr
    }

    /// The definition of a group's members, if it is a stack of a nested template whose interface covers all of its
    /// properties.
    pub(super) fn member(&mut self, ty: &str, property: &str, definition: &Node, hint: &str) -> Option<Expr> {
        if !is_definition(ty, property) {
            return None;
        }
        let (ty, properties) = self.defined(definition)?;
        let is_call = |node: &Node| Call::of(node, self.template.version()).is_some();
        let of = self.stacks.get(ty).filter(|of| of.face.has(properties, is_call)).cloned()?;
        let given = match properties.map(|node| &*node.tree) {
            Some(Tree::Map(pairs)) => entries(pairs),
            _ => Vec::new(),
        };
        Some(Expr::atom("t").method("member", [self.stack(hint, &of, &given)]))
    }

    /// The type and properties of a definition that has nothing else.
    fn defined<'n>(&self, definition: &'n Node) -> Option<(&'n str, Option<&'n Node>)> {
        let Tree::Map(pairs) = &*definition.tree else { return None };
        let is_call = Call::of(definition, self.template.version()).is_some();
        if is_call || !entries(pairs).iter().all(|(key, _)| key == "type" || key == "properties") {
            return None;
        }
        Some((definition.get("type")?.tree.as_text()?, definition.get("properties")))
    }

    /// An output of a stack of a nested template.
    pub(super) fn output_of(&self, stack: &str, output: &str) -> Option<(Expr, Ty)> {
        let handle = self.handles.get(stack)?;
        let of = handle.stack.as_ref()?;
        let shown = of.face.outputs.iter().find(|one| one.name == output)?;
        let around = Expr::call(format!("{}::{OUTPUTS}", of.module), [Expr::atom(&handle.variable)]);
        Some((around.method(&shown.method, []), shown.ty.map_or(Ty::Value, Ty::Attribute)))
    }

    /// Whether the properties of resources of the nested template `written` can be typed.
    pub(super) fn has_stacks(&self, written: &str, face: &Face) -> bool {
        let is_call = |node: &Node| Call::of(node, self.template.version()).is_some();
        self.template.resources.values().any(|resource| {
            let properties = resource.properties.as_ref();
            let of_member = || self.defined(definition(resource.kind(), properties)?);
            let is_member = of_member().is_some_and(|(ty, given)| ty == written && face.has(given, is_call));
            is_member || resource.kind() == Some(written) && face.has(properties, is_call)
        })
    }
}
