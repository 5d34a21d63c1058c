//! The expansion as an editor sees it.
//!
//! Many generated tokens have the span of a name that the author wrote, because the compiler shows that span in its
//! messages. rust-analyzer treats each such token as a further meaning of the name, so it would explain a field by its
//! setter, and then by `::wattle`, `line!` and all other tokens that are generated there. For rust-analyzer, only the name
//! itself has this span.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::OnceLock;

use proc_macro2::{Group, Span, TokenStream, TokenTree};

/// The output of a macro for this input, adapted to the tool that runs it: an editor, or the compiler.
pub(crate) fn shown(input: &TokenStream, output: TokenStream) -> TokenStream {
    if !is_editor() {
        return output;
    }
    let mut names = BTreeSet::new();
    collect(input, &mut names);
    quiet(output, &names)
}

/// Whether rust-analyzer runs the macro rather than the compiler.
fn is_editor() -> bool {
    static IS_EDITOR: OnceLock<bool> = OnceLock::new();
    *IS_EDITOR.get_or_init(|| {
        let program = std::env::current_exe().ok();
        let name = program.as_deref().and_then(Path::file_name);
        name.is_some_and(|name| name.to_string_lossy().starts_with("rust-analyzer"))
    })
}

/// A name that the author wrote, and its span. Spans cannot be compared, but their descriptions can.
type Name = (String, String);

fn name(token: &proc_macro2::Ident) -> Name {
    (token.to_string(), format!("{:?}", token.span()))
}

fn collect(tokens: &TokenStream, names: &mut BTreeSet<Name>) {
    for token in tokens.clone() {
        match token {
            TokenTree::Ident(ident) => drop(names.insert(name(&ident))),
            TokenTree::Group(group) => collect(&group.stream(), names),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// The same tokens. Names that the author did not write get the span of the macro.
fn quiet(tokens: TokenStream, names: &BTreeSet<Name>) -> TokenStream {
    let quiet = |token| match token {
        TokenTree::Ident(mut ident) => {
            if !names.contains(&name(&ident)) {
                ident.set_span(Span::call_site());
            }
            TokenTree::Ident(ident)
        }
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), quiet(group.stream(), names));
            inner.set_span(group.span());
            TokenTree::Group(inner)
        }
        other => other,
    };
    tokens.into_iter().map(quiet).collect()
}
