//! Modules that a blueprint builds and drops, where they are in no topology.
//!
//! A resource's and a component's types say that they must be used. A module is a struct of the author's, which need not say so: so
//! the value of each statement that builds something goes through what says it of modules.
//!
//! Only what stands as `Pair { .. };`, `Pair::new(..).size(3);` and `pair(..);` is looked at: methods of what has a name, macros and
//! functions that are given the topology keep their tokens.

use syn::spanned::Spanned;
use syn::{Block, Expr, Ident, Stmt, parse_quote_spanned};

/// Has the statements of a blueprint, to which the topology is `topology`, tell of modules that they drop.
pub(crate) fn mark(block: &mut Block, topology: Option<&Ident>) {
    for statement in &mut block.stmts {
        match statement {
            Stmt::Expr(value, Some(_)) if builds(value, topology) => {
                let span = value.span();
                *value = parse_quote_spanned! {span=>
                    #[allow(clippy::unit_arg, clippy::no_effect)]
                    ::wattle::author::Dropped(#value).dropped()
                };
            }
            Stmt::Expr(value, _) => inside(value, topology),
            Stmt::Local(_) | Stmt::Item(_) | Stmt::Macro(_) => {}
        }
    }
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

/// Whether an expression builds something out of a type's or a function's name.
fn builds(value: &Expr, topology: Option<&Ident>) -> bool {
    match value {
        Expr::Struct(_) => true,
        Expr::MethodCall(call) => builds(&call.receiver, topology),
        Expr::Call(call) => matches!(&*call.func, Expr::Path(_)) && !call.args.iter().any(|one| names(one, topology)),
        _ => false,
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
