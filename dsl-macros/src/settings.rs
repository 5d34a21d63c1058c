//! The settings of a blueprint, as described in the source: the documentation of each field, and its default if that is a
//! constant.
//!
//! A configuration is any struct that serde reads, and serde knows only the names of its fields. So this module searches
//! the source: the file of the blueprint, then the other files of the crate. A struct that is not found, or that a macro
//! generates, has no documentation here.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Expr, Fields, File, ImplItem, Item, ItemStruct, Lit, Stmt, Type};

use crate::component::Crate;
use crate::constant::last_segment;
use crate::docs;

/// One setting, as described in the source.
struct Setting {
    name: String,
    doc: String,
    default: Option<String>,
}

/// The settings of the configuration `ty`, as an associated constant of a blueprint.
pub(crate) fn expand(ty: &Type) -> TokenStream {
    let settings = last_segment(ty).and_then(|name| find(&name)).unwrap_or_default();
    let settings = settings.iter().map(|Setting { name, doc, default }| {
        let default = default.as_ref().map_or_else(
            || quote!(::core::option::Option::None),
            |default| quote!(::core::option::Option::Some(#default)),
        );
        quote!(::wattle::author::Setting { name: #name, doc: #doc, default: #default })
    });
    quote!(&[#(#settings),*])
}

fn find(name: &str) -> Option<Vec<Setting>> {
    if !proc_macro::is_available() {
        return None;
    }
    // The compiler names files relative to its own directory.
    let own = Span::call_site().unwrap().local_file().and_then(|path| std::fs::read_to_string(path).ok());
    let own = own.and_then(|text| of_file(&text, name));
    own.or_else(|| {
        let files = Crate::current()?.files("source", "src").ok()?;
        files.iter().filter(|file| file.path.ends_with(".rs")).find_map(|file| of_file(file.text()?, name))
    })
}

fn of_file(text: &str, name: &str) -> Option<Vec<Setting>> {
    // Most files do not contain the struct, and parsing takes longer than searching.
    if !text.contains(&format!("struct {name}")) {
        return None;
    }
    let File { items, .. } = syn::parse_file(text).ok()?;
    of_items(&items, name)
}

fn of_items(items: &[Item], name: &str) -> Option<Vec<Setting>> {
    items.iter().find_map(|item| match item {
        Item::Struct(found) if found.ident == name => Some(of_struct(found, items)),
        Item::Mod(module) => of_items(&module.content.as_ref()?.1, name),
        _ => None,
    })
}

fn of_struct(found: &ItemStruct, beside: &[Item]) -> Vec<Setting> {
    let Fields::Named(fields) = &found.fields else { return Vec::new() };
    let written = beside.iter().find_map(|item| defaults(item, found));
    let is_derived = found.attrs.iter().any(|attr| {
        attr.path().is_ident("derive")
            && quote!(#attr).to_string().split(|c: char| !c.is_alphanumeric()).any(|word| word == "Default")
    });
    let setting = |field: &syn::Field| {
        let name = field.ident.as_ref()?.to_string().trim_start_matches("r#").to_owned();
        let default = match &written {
            Some(values) => values.iter().find(|(own, _)| *own == name).and_then(|(_, value)| constant(value)),
            None if is_derived => of_type(&field.ty),
            None => None,
        };
        Some(Setting { doc: docs::text(&field.attrs), default, name })
    };
    fields.named.iter().filter_map(setting).collect()
}

/// The fields of the literal that `impl Default` returns.
fn defaults<'i>(item: &'i Item, of: &ItemStruct) -> Option<Vec<(String, &'i Expr)>> {
    let Item::Impl(item) = item else { return None };
    let (_, path, _) = item.trait_.as_ref()?;
    let is_it =
        path.segments.last()?.ident == "Default" && last_segment(&item.self_ty).is_some_and(|name| of.ident == name);
    let Some(ImplItem::Fn(function)) = item.items.first().filter(|_| is_it) else { return None };
    let Some(Stmt::Expr(Expr::Struct(literal), None)) = function.block.stmts.last() else { return None };
    let field = |value: &'i syn::FieldValue| match &value.member {
        syn::Member::Named(name) => Some((name.to_string().trim_start_matches("r#").to_owned(), &value.expr)),
        syn::Member::Unnamed(_) => None,
    };
    Some(literal.fields.iter().filter_map(field).collect())
}

/// A constant in the form that `--set` accepts.
fn constant(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            Lit::Int(number) => Some(number.base10_digits().to_owned()),
            Lit::Float(number) => Some(number.base10_digits().to_owned()),
            Lit::Bool(value) => Some(value.value.to_string()),
            _ => None,
        },
        Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Neg(_)) => Some(format!("-{}", constant(&unary.expr)?)),
        // `"debian-12".into()`
        Expr::MethodCall(call) if call.args.is_empty() => {
            matches!(call.method.to_string().as_str(), "into" | "to_owned" | "to_string")
                .then(|| constant(&call.receiver))?
        }
        // `String::from("debian-12")`
        Expr::Call(call) if call.args.len() == 1 => {
            let Expr::Path(function) = &*call.func else { return None };
            let name = function.path.segments.last()?.ident.to_string();
            (name == "from" || name == "Some").then(|| constant(call.args.first()?))?
        }
        // `Size::Small`
        Expr::Path(path) if path.path.segments.len() > 1 => Some(path.path.segments.last()?.ident.to_string()),
        _ => None,
    }
}

/// The `Default` value of a type.
fn of_type(ty: &Type) -> Option<String> {
    Some(
        match last_segment(ty)?.as_str() {
            "bool" => "false",
            "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => "0",
            _ => return None,
        }
        .to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::of_file;

    #[test]
    fn fields_are_found_with_their_text_and_defaults() {
        let text = r#"
            mod inner {
                /// The shop.
                #[derive(Deserialize)]
                #[serde(default)]
                pub struct Config {
                    /// How many.
                    ///
                    /// Never none.
                    pub nodes: u32,
                    pub size: Size,
                    /// Image.
                    r#type: String,
                    computed: u32,
                }
                impl Default for Config {
                    fn default() -> Self {
                        Self { nodes: 3, size: Size::Small, r#type: "debian-12".into(), computed: 1 + 1 }
                    }
                }
            }
        "#;
        let found = of_file(text, "Config").expect("it is there");
        let shown: Vec<_> =
            found.iter().map(|one| (one.name.as_str(), one.doc.as_str(), one.default.as_deref())).collect();
        assert_eq!(
            shown,
            [
                ("nodes", "How many.\nNever none.", Some("3")),
                ("size", "", Some("Small")),
                ("type", "Image.", Some("debian-12")),
                ("computed", "", None),
            ]
        );
        assert!(of_file(text, "Other").is_none());
    }

    #[test]
    fn what_is_derived_is_the_types_own_default() {
        let text = "#[derive(Clone, Default, Deserialize)] struct C { a: u8, b: bool, c: String, d: Option<u8> }";
        let found = of_file(text, "C").expect("it is there");
        let defaults: Vec<_> = found.iter().map(|one| one.default.as_deref()).collect();
        assert_eq!(defaults, [Some("0"), Some("false"), None, None]);
    }
}
