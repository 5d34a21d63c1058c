//! `#[blueprint]`: turns a function into a value that `wattle::main` accepts.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{FnArg, Item, ItemFn, Pat, ReturnType, Signature, Type};

use crate::constant::last_segment;
use crate::errors::{Errors, error};
use crate::keys::{Keys, Known};
use crate::{decided, docs, dropped, names, settings, source};

static KEYS: Known = Known { attribute: "#[blueprint(...)]", keys: &["name"] };
const SHAPE: &str = "write `pub fn NAME(t: &mut Topology, p: Settings, config: Config) -> Exports`; parameters and configuration are optional";

/// Whether Heat accepts a stack name: `[a-zA-Z][a-zA-Z0-9_.-]{0,254}`.
fn is_stack_name(name: &str) -> bool {
    let rest = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | '-');
    name.len() <= 255 && name.starts_with(|first: char| first.is_ascii_alphabetic()) && name.chars().all(rest)
}

pub(crate) fn expand(keys: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let mut keys = Keys::parse(keys, &KEYS, &mut errors);
    let given = keys.text("name", "\"connections\"", &mut errors);
    let function = match syn::parse2::<Item>(item) {
        Ok(Item::Fn(function)) => function,
        Ok(other) => {
            let first: TokenStream = other.to_token_stream().into_iter().take(1).collect();
            errors.push(first, "`#[blueprint]` is used on something that is not a function", SHAPE);
            let errors = errors.into_tokens();
            return quote!(#errors #other);
        }
        Err(error) => return error.into_compile_error(),
    };
    let ident = &function.sig.ident;
    let name = given.as_ref().map_or_else(|| names::plain(ident), syn::LitStr::value);
    if !is_stack_name(&name) {
        let help = "a name starts with a letter, and has at most 255 letters, digits, `_`, `.` and `-`";
        let at = given.as_ref().map_or_else(|| ident.to_token_stream(), ToTokens::to_token_stream);
        let help =
            if given.is_none() { format!("{help}; set one with `#[blueprint(name = \"...\")]`") } else { help.into() };
        errors.push(at, format!("Heat does not accept `{name}` as a stack's name"), help);
    }
    check(&function.sig, &mut errors);
    if function.sig.receiver().is_some() {
        // The items of a stub are not allowed inside an `impl`.
        return errors.into_tokens();
    }
    if !errors.is_empty() {
        return stub(&function, errors);
    }
    let types: Vec<&Type> = types(&function.sig).collect();
    let parameters = types.get(1).map_or_else(|| quote!(()), |ty| quote!(#ty));
    let settings = types.get(2).map_or_else(|| quote!(&[]), |ty| settings::expand(ty));
    let config = types.get(2).map_or_else(|| quote!(::wattle::author::NoConfig), |ty| quote!(#ty));
    // Names that differ from the function's own name, whatever it is.
    let [t, p, c] =
        ["t", "parameters", "config"].map(|name| format_ident!("{ident}_{name}", span = Span::mixed_site()));
    let arguments = [&t, &p, &c].into_iter().take(types.len());
    let unused = [&p, &c].into_iter().skip(types.len() - 1);
    let call = quote!(#ident(#(#arguments),*));
    let result = match &function.sig.output {
        ReturnType::Type(_, ty) if !is_nothing(ty) => call,
        _ => quote!(#call; ::wattle::author::Exports::new()),
    };
    let item = item_of(&function);
    let description = docs::text(&function.attrs);
    let at = source::expand(ident.span());
    let attrs = function.attrs.iter().filter(|attr| !docs::is_doc(attr));
    let mut block = function.block.clone();
    dropped::mark(&mut block, topology_name(&function.sig));
    let (sig, block) = (&function.sig, decided::mark(block.to_token_stream()));
    quote! {
        #item

        impl ::wattle::author::Blueprint for #ident {
            const NAME: &'static str = #name;
            const DESCRIPTION: &'static str = #description;
            const SETTINGS: &'static [::wattle::author::Setting] = #settings;
            type Parameters = #parameters;
            type Config = #config;

            fn at(&self) -> ::wattle::model::Source {
                #at
            }

            fn build(
                &self,
                #t: &mut ::wattle::author::Topology,
                #p: Self::Parameters,
                #c: Self::Config,
            ) -> ::wattle::author::Exports {
                use ::wattle::author::{KnownOperand as _, OfNoModule as _};
                #[allow(clippy::needless_pass_by_value)]
                #(#attrs)*
                #sig #block
                #(let _ = #unused;)*
                #result
            }
        }
    }
}

/// The value that carries the blueprint's name.
fn item_of(function: &ItemFn) -> TokenStream {
    let (vis, ident) = (&function.vis, &function.sig.ident);
    let docs = function.attrs.iter().filter(|attr| docs::is_doc(attr));
    quote! {
        #(#docs)*
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy)]
        #vis struct #ident;
    }
}

/// A stub that keeps the blueprint's users free of errors.
fn stub(function: &ItemFn, errors: Errors) -> TokenStream {
    let (item, ident, errors) = (item_of(function), &function.sig.ident, errors.into_tokens());
    quote! {
        #errors
        #item

        impl ::wattle::author::Blueprint for #ident {
            const NAME: &'static str = "";
            const DESCRIPTION: &'static str = "";
            type Parameters = ();
            type Config = ::wattle::author::NoConfig;

            fn at(&self) -> ::wattle::model::Source {
                ::core::unimplemented!()
            }

            fn build(
                &self,
                _: &mut ::wattle::author::Topology,
                (): (),
                _: ::wattle::author::NoConfig,
            ) -> ::wattle::author::Exports {
                ::core::unimplemented!()
            }
        }
    }
}

fn check(sig: &Signature, errors: &mut Errors) {
    if let Some(asyncness) = &sig.asyncness {
        errors.push(
            asyncness,
            "a blueprint cannot be `async`",
            "remove `async`: a blueprint only describes a stack, and nothing in it waits",
        );
    }
    if let Some(unsafety) = &sig.unsafety {
        errors.push(unsafety, "a blueprint cannot be `unsafe`", "remove `unsafe`");
    }
    if let Some(constness) = &sig.constness {
        errors.push(constness, "a blueprint cannot be `const`", "remove `const`");
    }
    if let Some(abi) = &sig.abi {
        errors.push(abi, "a blueprint cannot have an ABI", "remove it");
    }
    if !sig.generics.params.is_empty() {
        let help = "make choices while building with the third argument, or write a generic `Module`";
        errors.push(&sig.generics, "a blueprint cannot be generic", help);
    }
    let mut inputs = sig.inputs.iter();
    match inputs.next() {
        None => {
            let message = format!("the blueprint `{}` takes no topology", sig.ident);
            errors.push(&sig.ident, message, SHAPE);
        }
        Some(FnArg::Receiver(receiver)) => {
            errors.push(receiver, "a blueprint is a free function, not a method", SHAPE);
        }
        Some(FnArg::Typed(argument)) => errors.keep(topology(&argument.ty, types(sig))).unwrap_or_default(),
    }
    if let Some(argument) = inputs.nth(2) {
        errors.push(argument, "a blueprint takes at most three arguments", SHAPE);
    }
    if let ReturnType::Type(_, ty) = &sig.output
        && !is_nothing(ty)
        && last_segment(ty).is_none_or(|name| name != "Exports")
    {
        let message = format!("a blueprint returns `Exports` or nothing, not `{}`", docs::type_name(ty));
        errors.push(ty, message, "export what others may read: `Exports::new().entry(\"url\", url)`");
    }
    let own = |pat: &Pat| matches!(pat, Pat::Ident(pat) if pat.ident == sig.ident);
    for argument in &sig.inputs {
        if let FnArg::Typed(argument) = argument
            && own(&argument.pat)
        {
            let message = format!("the blueprint `{}` has an argument of the same name", sig.ident);
            errors.push(&argument.pat, message, "rename one of the two");
        }
    }
    for (argument, what) in types(sig).skip(1).zip(["parameters", "configuration"]) {
        if matches!(argument, Type::Reference(_)) && !is_topology(argument) {
            errors.push(argument, format!("a blueprint takes its {what} by value"), "remove the `&`");
        }
    }
}

fn is_nothing(ty: &Type) -> bool {
    matches!(ty, Type::Tuple(tuple) if tuple.elems.is_empty())
}

fn topology<'a>(first: &Type, mut all: impl Iterator<Item = &'a Type>) -> syn::Result<()> {
    if is_topology(first) {
        return Ok(());
    }
    let message = format!("the first argument of a blueprint is `&mut Topology`, not `{}`", docs::type_name(first));
    Err(error(first, message, if all.any(is_topology) { "move `&mut Topology` to the front" } else { SHAPE }))
}

fn is_topology(ty: &Type) -> bool {
    matches!(ty, Type::Reference(reference)
        if reference.mutability.is_some() && last_segment(&reference.elem).is_some_and(|name| name == "Topology"))
}

/// The blueprint's name for its topology.
fn topology_name(sig: &Signature) -> Option<&Ident> {
    match sig.inputs.first() {
        Some(FnArg::Typed(argument)) => match &*argument.pat {
            Pat::Ident(name) => Some(&name.ident),
            _ => None,
        },
        _ => None,
    }
}

fn types(sig: &Signature) -> impl Iterator<Item = &Type> {
    sig.inputs.iter().filter_map(|argument| match argument {
        FnArg::Typed(argument) => Some(&*argument.ty),
        FnArg::Receiver(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::is_stack_name;

    #[test]
    fn stack_names_follow_heat() {
        assert!(is_stack_name("connections"));
        assert!(is_stack_name("a.b-c_d9"));
        assert!(is_stack_name(&"a".repeat(255)));
        for name in ["", "_a", "9a", "a b", "ä", &"a".repeat(256)] {
            assert!(!is_stack_name(name), "{name}");
        }
    }
}
