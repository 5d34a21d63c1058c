//! The outline of a document.

use lsp_types::{DocumentSymbol, SymbolKind};
use wattle_heat::yaml::{Node, Span};

use crate::document::Analysis;
use crate::software::components;
use crate::text::Text;

/// The sections of a template with their contents, and components below their servers.
pub(crate) fn symbols(text: &Text, analysis: &Analysis) -> Vec<DocumentSymbol> {
    let template = &analysis.loaded.template;
    let outline = Outline { text };
    let parameters = template.parameters.iter().map(|(name, one)| {
        let detail = one.kind.map(|kind| kind.name().to_owned());
        outline.symbol(name, detail, SymbolKind::VARIABLE, one.name_span, &one.node)
    });
    let conditions = template
        .conditions
        .iter()
        .map(|(name, one)| outline.symbol(name, None, SymbolKind::BOOLEAN, one.name_span, &one.node));
    let software = components(template);
    let resources = template.resources.iter().map(|(name, one)| {
        let detail = one.kind().map(str::to_owned);
        let mut symbol = outline.symbol(name, detail, SymbolKind::CLASS, one.name_span, &one.node);
        let own = software.iter().filter(|component| component.server == name);
        let own: Vec<_> = own.map(|one| outline.symbol(one.name, None, SymbolKind::MODULE, one.at, one.node)).collect();
        symbol.children = (!own.is_empty()).then_some(own);
        symbol
    });
    let outputs = template
        .outputs
        .iter()
        .map(|(name, one)| outline.symbol(name, None, SymbolKind::FIELD, one.name_span, &one.node));
    let sections = [
        ("parameters", parameters.collect::<Vec<_>>()),
        ("conditions", conditions.collect()),
        ("resources", resources.collect()),
        ("outputs", outputs.collect()),
    ];
    let section = |(name, children): (&str, Vec<DocumentSymbol>)| {
        let pair = template.root.pair(name)?;
        let mut symbol = outline.symbol(name, None, SymbolKind::NAMESPACE, pair.key.span, &pair.value);
        symbol.children = Some(children);
        Some(symbol)
    };
    let mut symbols: Vec<_> = sections.into_iter().filter_map(section).collect();
    symbols.sort_by_key(|symbol| symbol.range.start);
    symbols
}

struct Outline<'t> {
    text: &'t Text,
}

impl Outline<'_> {
    /// The symbol `name` at `at`, with the value `node`. Its extent includes both.
    #[expect(deprecated, reason = "the protocol's struct has a deprecated field, which stays empty")]
    fn symbol(&self, name: &str, detail: Option<String>, kind: SymbolKind, at: Span, node: &Node) -> DocumentSymbol {
        let named = self.text.bytes(at);
        let value = self.text.bytes(node.span);
        let start = if value.start < named.start && value.end >= named.end { value.start } else { named.start };
        let end = value.end.max(named.end);
        let end = (start + self.text.whole[start..end].trim_end().len()).max(named.end);
        DocumentSymbol {
            name: if name.is_empty() { "-".to_owned() } else { name.to_owned() },
            detail,
            kind,
            tags: None,
            deprecated: None,
            range: self.text.range(start..end),
            selection_range: self.text.range(named),
            children: None,
        }
    }
}
