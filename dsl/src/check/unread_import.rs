//! W0706: an import that is never read.

use std::collections::HashSet;

use super::registry::check;
use super::sink::Sink;
use super::unused::is_own;

check! {
    /// A value of another stack is imported, but nothing reads it.
    ///
    /// Imports of libraries are not checked.
    ///
    /// ```standalone_crate
    /// # use wattle::prelude::*;
    /// pub const SHOP: Export<Url> = Export::new("shop", "url");
    ///
    /// # let mut t = Topology::new("demo");
    /// let _shop = t.import(SHOP);
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0706"));
    /// ```
    ///
    /// Read the imported value, or remove the import:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// pub const SHOP: Export<Url> = Export::new("shop", "url");
    ///
    /// # let mut t = Topology::new("demo");
    /// let shop = t.import(SHOP);
    /// let exports = Exports::new().entry("shop", shop);
    /// # assert!(!wattle::check::finds(&t.finish(exports), "W0706"));
    /// ```
    CHECK: "W0706", Warning, "an import that is never read", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let read = &sink.uses().imports;
    let mut reported = HashSet::new();
    for import in &sink.model.imports {
        let key = (&*import.stack, &*import.export);
        if read.contains(&key) || !is_own(&import.at) || !reported.insert(key) {
            continue;
        }
        let diagnostic = CHECK
            .diagnostic(format!(
                "the imported export `{}` of the stack `{}` is never read",
                import.export, import.stack
            ))
            .label(&import.at, "imported here")
            .help("wire it to an input, export it, or remove the import");
        sink.push(diagnostic);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, codes, sound};
    use crate::model::{Expr, Import, Model, Source, Type};

    fn importing() -> Sketch {
        let mut sketch = sound();
        let at = sketch.at();
        sketch.model.imports.push(Import { stack: "shop".into(), export: "url".into(), ty: Type::URI, at });
        sketch
    }

    pub(in crate::check) fn failing() -> Model {
        importing().model
    }

    #[test]
    fn whoever_reads_it_is_enough() {
        let shop = || Expr::import("shop", "url");
        assert!(codes(&importing().export("shop", Type::URI, shop()).model).is_empty());
        let input = importing().kind("Web", &[("shop", Type::URI)], &[]).component("db", "web", "Web");
        assert!(codes(&input.input("db/web", "shop", shop()).model).is_empty());
    }

    #[test]
    fn it_is_reported_once_and_of_no_library() {
        let mut model = failing();
        model.imports.push(model.imports[0].clone());
        assert_eq!(codes(&model), ["W0706"]);
        for import in &mut model.imports {
            import.at = Source::new("/home/ann/.cargo/registry/src/x/shop-1.0.0/src/lib.rs", 1, 1);
        }
        assert!(codes(&model).is_empty());
    }
}
