//! The plan of the output: the Rust types of resources, their properties and attributes.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::exceptions::{self, BEGUN_BY_HAND, NAMES, SETTERS, STAGED, TYPES};
use crate::naming::{camel, of_type, singular, snake};
use crate::references::{self, TARGETS};
use crate::schema::{Attribute, Property, PropertyType, ResourceType, Types};

/// The number of required properties above which `new` takes a struct of named fields: `NetRequired` of `Net`.
pub const ARGUMENTS: usize = 3;

/// The types of one service.
#[derive(Debug)]
pub struct Service {
    /// The module: `neutron`.
    pub name: String,
    /// Its types, by name.
    pub resources: Vec<Resource>,
}

/// One resource type.
#[derive(Debug)]
pub struct Resource {
    /// Heat's name.
    pub ty: String,
    /// The handle.
    pub handle: String,
    /// Heat's schema.
    pub schema: ResourceType,
    /// Its constructor arguments and setters.
    pub fields: Vec<Field>,
    /// The kinds of references that its handle can be used as.
    pub kinds: Vec<&'static str>,
    /// The types that its properties need, in the order of their use.
    pub parts: Vec<Part>,
    /// Methods of the handle: name, Heat's name, type.
    pub attributes: Vec<(String, String, &'static str, Attribute)>,
    /// Whether `new` is generated.
    pub begins: bool,
}

impl Resource {
    /// The type of its properties.
    pub fn properties(&self) -> String {
        format!("{}Properties", self.handle)
    }

    /// Whether the type of its properties tracks if a flavor is set.
    pub fn is_staged(&self) -> bool {
        self.ty == STAGED.0
    }
}

/// A property of a resource, or a key of a nested value.
#[derive(Debug)]
pub struct Field {
    /// Heat's name.
    pub heat: String,
    /// The setter.
    pub method: String,
    /// The type of its argument.
    pub ty: Type,
    /// Heat's schema.
    pub schema: Property,
    /// Whether it is an argument of `new`.
    pub required: bool,
}

/// A type that belongs to one property.
#[derive(Debug)]
pub enum Part {
    /// A map with fixed keys.
    Nested(Nested),
    /// An enumeration.
    Choice(Choice),
}

/// A map with fixed keys.
#[derive(Debug)]
pub struct Nested {
    /// Its name.
    pub name: String,
    /// The path to it: `OS::Neutron::Subnet.allocation_pools`.
    pub path: String,
    /// Heat's description of the property.
    pub doc: String,
    /// Its keys.
    pub fields: Vec<Field>,
    /// Whether only hidden items use it.
    pub hidden: bool,
}

/// An enumeration.
#[derive(Debug)]
pub struct Choice {
    /// Its name.
    pub name: String,
    /// The path to it.
    pub path: String,
    /// The variants, with Heat's values.
    pub variants: Vec<(String, Value)>,
    /// Whether numbers are allowed besides the names.
    pub numbers: bool,
    /// Whether only hidden items use it.
    pub hidden: bool,
}

/// The type of a setter's argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// A type of the catalog, of Rust, or of this service.
    Named(&'static str),
    /// A nested value of this service.
    Nested(String),
    /// An enumeration.
    Choice(String),
    /// A reference to a kind.
    Reference(&'static str),
    /// A list.
    List(Box<Type>),
}

impl Type {
    /// Its form in `IntoProperty<...>`.
    pub fn rust(&self) -> String {
        match self {
            Self::Named(name) | Self::Reference(name) => (*name).to_owned(),
            Self::Nested(name) | Self::Choice(name) => name.clone(),
            Self::List(item) => format!("ListOf<{}>", item.rust()),
        }
    }
}

/// The plan of the output, by service.
///
/// # Panics
/// If two types would have the same name, or a constraint is unknown: the tables of this crate then need another line.
pub fn services(types: &Types) -> Vec<Service> {
    let mut services: Vec<Service> = Vec::new();
    let handles: BTreeSet<(String, String)> = types.types.keys().map(|ty| of_type(ty)).collect();
    assert_eq!(handles.len(), types.types.len(), "two resource types have one name");
    for (ty, schema) in &types.types {
        let (service, handle) = of_type(ty);
        let taken = handles.iter().filter(|(of, _)| *of == service).map(|(_, handle)| handle.clone()).collect();
        let resource = Planner { ty, taken, parts: Vec::new() }.resource(handle, schema);
        match services.iter_mut().find(|known| known.name == service) {
            Some(known) => known.resources.push(resource),
            None => services.push(Service { name: service, resources: vec![resource] }),
        }
    }
    services.sort_by(|one, other| one.name.cmp(&other.name));
    services
}

struct Planner<'t> {
    ty: &'t str,
    /// The names of the service that are already used.
    taken: BTreeSet<String>,
    parts: Vec<Part>,
}

impl Planner<'_> {
    fn resource(mut self, handle: String, schema: &ResourceType) -> Resource {
        let ty = self.ty.to_owned();
        let hidden = schema.support.is_hidden();
        let mut fields = self.fields(&ty, &handle, &schema.props, hidden);
        let begins = !BEGUN_BY_HAND.contains(&self.ty);
        for field in &mut fields {
            field.required &= begins && (self.ty, &*field.heat) != STAGED;
        }
        let kinds = TARGETS.iter().filter(|kind| kind.types.contains(&self.ty)).map(|kind| kind.rust).collect();
        let attributes = schema
            .attrs
            .iter()
            .filter(|(name, _)| *name != "show")
            .map(|(name, attribute)| (snake(name), name.clone(), attribute_type(attribute), attribute.clone()))
            .collect();
        let schema = ResourceType {
            support: schema.support.clone(),
            doc: schema.doc.clone(),
            props: schema.props.clone(),
            attrs: schema.attrs.clone(),
        };
        Resource { ty, handle, schema, fields, kinds, parts: self.parts, attributes, begins }
    }

    fn fields(
        &mut self,
        path: &str,
        owner: &str,
        properties: &indexmap::IndexMap<String, Property>,
        hidden: bool,
    ) -> Vec<Field> {
        let mut fields: Vec<Field> = Vec::new();
        for (heat, property) in properties {
            // A former name of a property that `new` takes anyway: Heat refuses both at once.
            let now = property.replaced_by().or_else(|| heat.strip_suffix("_id").filter(|_| property.is_hidden()));
            if now.and_then(|now| properties.get(now)).is_some_and(Property::is_required) {
                continue;
            }
            let path = format!("{path}.{heat}");
            let method = exceptions::name(&SETTERS, &path).map_or_else(|| snake(heat), str::to_owned);
            assert!(fields.iter().all(|known| known.method != method), "{path}: two setters have one name");
            let ty = self.property(&path, owner, heat, property, hidden || property.is_hidden());
            let required = property.is_required();
            fields.push(Field { heat: heat.clone(), method, ty, schema: property.clone(), required });
        }
        fields
    }

    fn property(&mut self, path: &str, owner: &str, heat: &str, property: &Property, hidden: bool) -> Type {
        match property.t {
            PropertyType::List => {
                let item_path = format!("{path}[]");
                let one = singular(heat);
                let item = match (&property.item, property.allowed()) {
                    (_, Some(allowed)) => self.choice(&item_path, owner, &one, allowed, hidden),
                    (Some(item), None) => {
                        // The items of a property have its description.
                        let item = Property { d: property.d.clone(), ..(**item).clone() };
                        self.property(&item_path, owner, &one, &item, hidden)
                    }
                    (None, None) => {
                        match (exceptions::name(&TYPES, &item_path), references::described_target(&item_path)) {
                            (Some(ty), _) => Type::Named(ty),
                            (None, Some(kind)) => Type::Reference(kind.rust),
                            (None, None) => return Type::Named("AnyList"),
                        }
                    }
                };
                Type::List(Box::new(item))
            }
            PropertyType::Map if !property.keys.is_empty() => self.nested(path, owner, heat, property, hidden),
            PropertyType::Map => Type::Named("AnyMap"),
            PropertyType::Any => Type::Named("AnyValue"),
            PropertyType::Boolean => Type::Named("bool"),
            PropertyType::Number => Type::Named("Numeric"),
            PropertyType::Integer => match property.allowed() {
                Some(allowed) => self.choice(path, owner, heat, allowed, hidden),
                None => Type::Named(integer(property.bounds())),
            },
            PropertyType::Str => match property.allowed() {
                Some(allowed) => self.choice(path, owner, heat, allowed, hidden),
                None => text(path, heat, property),
            },
        }
    }

    fn name(&mut self, path: &str, owner: &str, heat: &str) -> String {
        let name = exceptions::name(&NAMES, path.trim_end_matches("[]"))
            .map_or_else(|| owner.to_owned() + &camel(heat), str::to_owned);
        let name = if self.taken.contains(&name) { name + "Entry" } else { name };
        assert!(self.taken.insert(name.clone()), "{path}: the name `{name}` is taken");
        name
    }

    fn nested(&mut self, path: &str, owner: &str, heat: &str, property: &Property, hidden: bool) -> Type {
        let name = self.name(path, owner, heat);
        let at = self.parts.len();
        let fields = self.fields(path, &name, &property.keys, hidden);
        let nested = Nested { name: name.clone(), path: path.to_owned(), doc: property.d.clone(), fields, hidden };
        self.parts.insert(at, Part::Nested(nested));
        Type::Nested(name)
    }

    fn choice(&mut self, path: &str, owner: &str, heat: &str, allowed: &[Value], hidden: bool) -> Type {
        let name = self.name(path, owner, heat);
        let mut variants: Vec<(String, Value)> = Vec::new();
        let mut numbers = false;
        let named = allowed.iter().any(Value::is_string);
        for value in allowed {
            match value {
                Value::String(text) => {
                    let variant = camel(text);
                    assert!(variants.iter().all(|(known, _)| *known != variant), "{path}: `{variant}` twice");
                    variants.push((variant, value.clone()));
                }
                // Protocols have names and numbers.
                Value::Number(number) if named => {
                    assert!(number.as_u64().is_some_and(|number| number < 256), "{path}: {number} is no byte");
                    numbers = true;
                }
                Value::Number(number) => variants.push((format!("V{number}"), value.clone())),
                _ => panic!("{path}: {value} is neither text nor a number"),
            }
        }
        self.parts.push(Part::Choice(Choice { name: name.clone(), path: path.to_owned(), variants, numbers, hidden }));
        Type::Choice(name)
    }
}

fn text(path: &str, heat: &str, property: &Property) -> Type {
    if let Some(ty) = exceptions::name(&TYPES, path) {
        return Type::Named(ty);
    }
    match property.custom() {
        Some("ip_addr") => Type::Named("IpAddress"),
        Some("net_cidr") => Type::Named("Cidr"),
        Some("ip_or_cidr") => Type::Named("IpOrCidr"),
        Some("mac_addr") => Type::Named("Mac"),
        Some(
            "cron_expression" | "dns_domain" | "dns_name" | "expiration" | "json_string" | "rel_dns_name" | "timezone",
        ) => Type::Named("String"),
        Some(custom) => match references::target(custom) {
            Some(kind) => Type::Reference(kind.rust),
            None => panic!("{path}: the constraint `{custom}` is not known"),
        },
        None => match references::described_target(path) {
            Some(kind) => Type::Reference(kind.rust),
            None if is_secret(path, heat) => Type::Named("SecretText"),
            None if references::is_an_identity(heat) => Type::Named("AnyRef"),
            None => Type::Named("String"),
        },
    }
}

/// Whether the property is secret.
fn is_secret(path: &str, heat: &str) -> bool {
    heat.contains("pass") || heat == "psk" || path == "OS::Barbican::Secret.payload"
}

/// The narrowest common type that contains the numbers within the bounds.
fn integer(bounds: Option<[Option<f64>; 2]>) -> &'static str {
    match bounds {
        Some([Some(min), Some(max)]) if min >= 0.0 && max <= f64::from(u8::MAX) => "u8",
        Some([Some(min), Some(max)]) if min >= 0.0 && max <= f64::from(u16::MAX) => "u16",
        Some([Some(min), Some(max)]) if min >= 0.0 && max <= f64::from(u32::MAX) => "u32",
        Some([Some(min), None]) if min >= 0.0 => "u32",
        _ => "i64",
    }
}

fn attribute_type(attribute: &Attribute) -> &'static str {
    match attribute.t {
        PropertyType::Str => "String",
        PropertyType::Integer => "i64",
        PropertyType::Number => "f64",
        PropertyType::Boolean => "bool",
        PropertyType::List => "AnyList",
        PropertyType::Map => "AnyMap",
        PropertyType::Any => "Untyped",
    }
}
