//! The ports on which a component listens: `#[input(listen)]`, `#[component(listen = "tcp/5432")]`.

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::{Attribute, Ident, LitStr, Meta, Type};

use crate::constant::argument;
use crate::docs;
use crate::errors::Errors;
use crate::keys::Keys;

use super::ast::{Component, Field, Listen, Protocol, Role};

const FIXED: &str = "\"tcp/5432\"";
const PORTS: &str = "write the protocol and the port: \"tcp/5432\", \"udp/53\", \"tcp/8000-8010\"";

/// Reads `listen` of `#[component(...)]`: fixed ports.
pub(super) fn fixed(keys: &mut Keys, errors: &mut Errors) -> Vec<Listen> {
    let words = match keys.words("listen", FIXED, errors) {
        None => return Vec::new(),
        Some(Ok(words)) => words,
        Some(Err(span)) => {
            let message = "`listen` of `#[component(...)]` has no value";
            errors.push(Ident::new("listen", span), message, format_args!("write `listen = {FIXED}`"));
            return Vec::new();
        }
    };
    let read = |word: &LitStr| {
        let listen = ports(&word.value());
        if listen.is_none() {
            errors.push(word, format!("`{}` does not name a port to listen on", word.value()), PORTS);
        }
        listen
    };
    words.iter().filter_map(read).collect()
}

/// `tcp/8000-8010`.
fn ports(text: &str) -> Option<Listen> {
    let (protocol, ports) = text.split_once('/')?;
    let (first, last) = ports.split_once('-').unwrap_or((ports, ports));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (0 < first && first <= last).then_some(Listen { protocol: protocol_of(protocol)?, first, last })
}

fn protocol_of(text: &str) -> Option<Protocol> {
    match text {
        "tcp" => Some(Protocol::Tcp),
        "udp" => Some(Protocol::Udp),
        _ => None,
    }
}

/// Reads `listen` of an input: the protocols.
pub(super) fn of_input(name: &str, ty: &Type, keys: &mut Keys, errors: &mut Errors) -> Vec<Protocol> {
    let Some(words) = keys.words("listen", "\"udp\"", errors) else { return Vec::new() };
    let word = docs::type_name(argument(ty, "Option").unwrap_or(ty));
    if word != "u16" {
        let message = format!("the component cannot listen on `{name}`, which is a `{word}`, not a port");
        errors.push(ty, message, "a port of TCP or UDP is a `u16`");
    }
    let Ok(words) = words else { return vec![Protocol::Tcp] };
    let read = |word: &LitStr| {
        let protocol = protocol_of(&word.value());
        if protocol.is_none() {
            let help = "write `listen` for TCP, `listen = \"udp\"`, or `listen = [\"tcp\", \"udp\"]`";
            errors.push(word, format!("`{}` is not a protocol with ports", word.value()), help);
        }
        protocol
    };
    words.iter().filter_map(read).collect()
}

/// Reports a `listen` of an output, and returns its attribute without it.
pub(super) fn none_of_output(name: &str, attr: &Attribute, errors: &mut Errors) -> Attribute {
    let mut attr = attr.clone();
    let Meta::List(list) = &mut attr.meta else { return attr };
    let is_listen = |token: &TokenTree| matches!(token, TokenTree::Ident(ident) if ident == "listen");
    let Some(at) = list.tokens.clone().into_iter().find(is_listen) else { return attr };
    let message = format!("the output `{name}` cannot declare what the component listens on");
    let help = "a security group is created before any server runs: make the port an `#[input(listen)]`, \
                or write `#[component(listen = \"tcp/5432\")]`";
    errors.push(at, message, help);
    list.tokens = TokenStream::new();
    attr
}

/// The ports that the component listens on, in the model's form.
pub(super) fn expand(component: &Component) -> TokenStream {
    let fixed = component.keys.listen.iter().map(|Listen { protocol, first, last }| {
        listen(*protocol, &quote!(::wattle::model::Ports::Fixed { first: #first, last: #last }))
    });
    let of_inputs = component.fields.iter().flat_map(|Field { name, role, .. }| {
        let protocols = if let Role::Input { listen, .. } = role { &listen[..] } else { &[] };
        let ports = quote!(::wattle::model::Ports::OfInput(::wattle::model::Name::from(#name)));
        protocols.iter().map(move |protocol| listen(*protocol, &ports))
    });
    let all = fixed.chain(of_inputs);
    quote!(::std::vec![#(#all),*])
}

fn listen(protocol: Protocol, ports: &TokenStream) -> TokenStream {
    let protocol = match protocol {
        Protocol::Tcp => quote!(::wattle::model::Protocol::Tcp),
        Protocol::Udp => quote!(::wattle::model::Protocol::Udp),
    };
    quote!(::wattle::model::Listen { protocol: #protocol, ports: #ports })
}
