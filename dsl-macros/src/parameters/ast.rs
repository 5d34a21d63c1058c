//! The declaration as the author wrote it.

use syn::{Attribute, Data, DeriveInput, Expr, Field, Fields, Ident, LitStr, Type};

use crate::constant::argument;
use crate::errors::Errors;
use crate::keys::{Keys, Known};
use crate::{docs, names};

static KEYS: Known = Known {
    attribute: "#[parameter(...)]",
    keys: &[
        "default",
        "constraint",
        "min",
        "max",
        "min_length",
        "max_length",
        "pattern",
        "allowed",
        "constraints",
        "name",
        "label",
        "hidden",
        "immutable",
        "tags",
    ],
};
const SHAPE: &str = "write `#[derive(Parameters)] struct Settings { image: Parameter<String> }`";

/// One parameter.
pub(super) struct Declared<'a> {
    pub(super) ident: &'a Ident,
    pub(super) name: String,
    /// `T` of `Parameter<T>`.
    pub(super) ty: &'a Type,
    pub(super) description: String,
    pub(super) default: Option<Expr>,
    pub(super) constraint: Option<LitStr>,
    pub(super) min: Option<Expr>,
    pub(super) max: Option<Expr>,
    pub(super) min_length: Option<Expr>,
    pub(super) max_length: Option<Expr>,
    pub(super) pattern: Option<LitStr>,
    pub(super) allowed: Option<Expr>,
    /// Constraints that no other key expresses: a list of the model's constraints.
    pub(super) constraints: Option<Expr>,
    pub(super) label: Option<LitStr>,
    pub(super) hidden: bool,
    pub(super) immutable: bool,
    pub(super) tags: Vec<LitStr>,
}

/// The parameters of the struct; any other field is an error.
pub(super) fn declared<'a>(item: &'a DeriveInput, errors: &mut Errors) -> Vec<Declared<'a>> {
    let ident = &item.ident;
    if !item.generics.params.is_empty() {
        let help = "declare each parameter with its own type";
        errors.push(&item.generics, format!("the parameters `{ident}` are generic"), help);
    }
    match &item.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => fields.named.iter().filter_map(|field| one(field, errors)).collect(),
            Fields::Unnamed(_) | Fields::Unit => {
                errors.push(ident, format!("the parameters `{ident}` have no names"), SHAPE);
                Vec::new()
            }
        },
        Data::Enum(_) | Data::Union(_) => {
            errors.push(ident, format!("`{ident}` is not a struct of parameters"), SHAPE);
            Vec::new()
        }
    }
}

fn one<'a>(field: &'a Field, errors: &mut Errors) -> Option<Declared<'a>> {
    let ident = field.ident.as_ref()?;
    let own = names::plain(ident);
    let mut attrs = field.attrs.iter().filter(|attr| attr.path().is_ident("parameter"));
    let attr = attrs.next();
    if let Some(again) = attrs.next() {
        errors.push(
            again,
            format!("the parameter `{own}` has two `#[parameter]` attributes"),
            "write one attribute with all keys",
        );
    }
    let mut keys = attr.map_or_else(|| Keys::none(&KEYS), |attr: &Attribute| Keys::of(attr, &KEYS, errors));
    // An explicit name may be any that Heat accepts, which `check` verifies.
    let given = keys.text("name", "\"KeyName\"", errors);
    if given.is_none()
        && let Some(why) = names::refuse(&own)
    {
        errors.push(ident, format!("`{own}` cannot name a parameter: {why}"), "rename the field");
    }
    let name = given.map_or(own, |name| name.value());
    let Some(ty) = argument(&field.ty, "Parameter") else {
        let later = ["Output", "Attribute", "ForwardReference"].iter().find_map(|later| argument(&field.ty, later));
        let why = match later {
            Some(_) => "a value that is known only later is not a parameter",
            None => "a value that is chosen while building belongs in the blueprint's third argument",
        };
        let ty = docs::type_name(later.unwrap_or(&field.ty));
        let help = format!("declare it as `{name}: Parameter<{ty}>`; {why}");
        errors.push(&field.ty, format!("the parameter `{name}` is not declared as a `Parameter`"), help);
        return None;
    };
    Some(Declared {
        ident,
        ty,
        description: docs::text(&field.attrs),
        default: keys.value("default", "\"debian-12\"", errors),
        constraint: keys.text("constraint", "\"glance.image\"", errors),
        min: keys.value("min", "1", errors),
        max: keys.value("max", "5", errors),
        min_length: keys.value("min_length", "1", errors),
        max_length: keys.value("max_length", "64", errors),
        pattern: keys.text("pattern", "\"[a-z]+\"", errors),
        allowed: keys.value("allowed", "[\"small\", \"large\"]", errors),
        constraints: keys.value("constraints", "[Constraint::AllowedPattern(\"[a-z]+\".into())]", errors),
        label: keys.text("label", "\"Name of the image\"", errors),
        hidden: keys.flag("hidden", errors).is_some(),
        immutable: keys.flag("immutable", errors).is_some(),
        tags: keys.texts("tags", "[\"network\"]", errors),
        name,
    })
}
