//! Modules that a blueprint builds and drops, so that they are in no topology.
//!
//! The types of resources and components have `#[must_use]`. A module is one of the author's structs, which may lack it. So
//! the value of each statement that builds something goes through a function that adds it for modules.
//!
//! Only these forms are examined: `Pair { .. };`, `Pair::new(..).size(3);`, `pair(..);`, `vec![..];` and `[..];`, or a
//! value under a name that is marked as unused and is not used: `let _pairs = [Pair { .. }];`. With a name, values that a
//! closure builds are examined as well: `(0..3).map(|number| Pair { number }).collect()`. Methods of named values, other
//! macros, and functions that receive the topology keep their tokens, and so does `let _ = ..`, which drops a value on
//! purpose.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::token::Semi;
use syn::{Block, Expr, ExprMacro, Ident, Pat, Stmt, parse_quote_spanned};

/// Makes the statements of a blueprint report the modules that they drop. `topology` is the name of its topology.
pub(crate) fn mark(block: &mut Block, topology: Option<&Ident>) {
    let unused: Vec<(usize, Ident)> = unused(&block.stmts, topology);
    for statement in &mut block.stmts {
        match statement {
            Stmt::Expr(value, Some(_)) if builds(value, topology) => {
                *value = says(value);
            }
            Stmt::Expr(value, _) => inside(value, topology),
            Stmt::Macro(called) if called.semi_token.is_some() && called.mac.path.is_ident("vec") => {
                let (attrs, mac) = (std::mem::take(&mut called.attrs), called.mac.clone());
                let value = Expr::Macro(ExprMacro { attrs, mac });
                *statement = Stmt::Expr(says(&value), Some(Semi::default()));
            }
            Stmt::Local(_) | Stmt::Item(_) | Stmt::Macro(_) => {}
        }
    }
    for (at, name) in unused.into_iter().rev() {
        let span = name.span();
        // After the value's own statement, so that borrows do not last longer than before.
        let named = parse_quote_spanned! {span=>
            #[allow(unreachable_code, clippy::unit_arg, clippy::no_effect, clippy::used_underscore_binding)]
            ::wattle::author::Named(&#name).dropped();
        };
        block.stmts.insert(at + 1, named);
    }
}

/// The value of a statement, with a warning if it is a module.
fn says(value: &Expr) -> Expr {
    let span = value.span();
    parse_quote_spanned! {span=>
        #[allow(clippy::unit_arg, clippy::no_effect)]
        ::wattle::author::Dropped(#value).dropped()
    }
}

/// The names of values that are built but never used, and their places.
fn unused(statements: &[Stmt], topology: Option<&Ident>) -> Vec<(usize, Ident)> {
    let named = statements.iter().enumerate().filter_map(|(at, statement)| {
        let Stmt::Local(local) = statement else { return None };
        let pattern = match &local.pat {
            Pat::Type(typed) => &*typed.pat,
            pattern => pattern,
        };
        let (Pat::Ident(pattern), Some(init), []) = (pattern, &local.init, &local.attrs[..]) else { return None };
        let name = &pattern.ident;
        let is_left = name.to_string().starts_with('_') && (builds(&init.expr, topology) || maps(&init.expr, topology));
        (is_left && !statements[at + 1..].iter().any(|later| mentions(later.to_token_stream(), name)))
            .then(|| (at, name.clone()))
    });
    named.collect()
}

fn mentions(tokens: TokenStream, name: &Ident) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *name,
        TokenTree::Group(group) => mentions(group.stream(), name),
        TokenTree::Literal(literal) => literal.to_string().contains(&name.to_string()),
        TokenTree::Punct(_) => false,
    })
}

/// The blocks of a statement.
fn inside(value: &mut Expr, topology: Option<&Ident>) {
    match value {
        Expr::ForLoop(looped) => mark(&mut looped.body, topology),
        Expr::While(looped) => mark(&mut looped.body, topology),
        Expr::Loop(looped) => mark(&mut looped.body, topology),
        Expr::Block(block) => mark(&mut block.block, topology),
        Expr::If(branch) => {
            mark(&mut branch.then_branch, topology);
            branch.else_branch.iter_mut().for_each(|(_, other)| inside(other, topology));
        }
        Expr::Match(choice) => choice.arms.iter_mut().for_each(|arm| inside(&mut arm.body, topology)),
        _ => {}
    }
}

/// Whether an expression builds something by the name of a type or a function.
fn builds(value: &Expr, topology: Option<&Ident>) -> bool {
    match value {
        Expr::Struct(_) => true,
        Expr::Macro(called) => called.mac.path.is_ident("vec"),
        Expr::Array(array) => array.elems.iter().any(|one| builds(one, topology)),
        Expr::Repeat(array) => builds(&array.expr, topology),
        Expr::Paren(inner) => builds(&inner.expr, topology),
        Expr::MethodCall(call) => builds(&call.receiver, topology),
        Expr::Call(call) => matches!(&*call.func, Expr::Path(_)) && !call.args.iter().any(|one| names(one, topology)),
        _ => false,
    }
}

/// Whether a closure in a chain of methods builds something.
fn maps(value: &Expr, topology: Option<&Ident>) -> bool {
    let Expr::MethodCall(call) = value else { return false };
    let is_built = |one: &Expr| matches!(one, Expr::Closure(closure) if builds(result(&closure.body), topology));
    call.args.iter().any(is_built) || maps(&call.receiver, topology)
}

/// The result of a closure's body.
fn result(body: &Expr) -> &Expr {
    match body {
        Expr::Block(block) => match block.block.stmts.last() {
            Some(Stmt::Expr(value, None)) => value,
            _ => body,
        },
        _ => body,
    }
}

/// Whether an argument is the topology.
fn names(argument: &Expr, topology: Option<&Ident>) -> bool {
    match argument {
        Expr::Path(path) => topology.is_some_and(|topology| path.path.is_ident(topology)),
        Expr::Reference(reference) => names(&reference.expr, topology),
        _ => false,
    }
}
