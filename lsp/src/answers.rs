//! The results of requests about open documents.

use std::collections::HashMap;

use lsp_server::ErrorCode;
use lsp_types::{
    CompletionItem, CompletionParams, DocumentSymbol, DocumentSymbolParams, GotoDefinitionParams, Hover, HoverContents,
    HoverParams, Location, MarkupContent, MarkupKind, PrepareRenameResponse, Range, ReferenceParams, RenameParams,
    TextDocumentPositionParams, WorkspaceEdit,
};

use wattle_heat::files::join;
use wattle_heat::yaml::{Node, Tree};

use crate::document::{Analysis, Document};
use crate::files;
use crate::server::{Refused, Server};
use crate::{complete, hover as about, rename as naming, symbols as outline};

/// A document, its analysis, and the byte at a position. `None` if it is not a template.
type Looked<'s> = Option<(&'s Document, &'s Analysis, usize)>;

fn look<'s>(server: &'s Server<'_>, at: &TextDocumentPositionParams) -> Result<Looked<'s>, Refused> {
    let document = server.document(&at.text_document.uri)?;
    let known = || (document, server.analysis(document), document.text.offset(at.position));
    Ok(document.is_template().then(known))
}

pub(crate) fn hover(server: &Server<'_>, params: &HoverParams) -> Result<Option<Hover>, Refused> {
    let Some((document, analysis, offset)) = look(server, &params.text_document_position_params)? else {
        return Ok(None);
    };
    Ok(about::hover(&document.text, analysis, offset).map(|(value, bytes)| Hover {
        contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value }),
        range: Some(document.text.range(bytes)),
    }))
}

pub(crate) fn completion(server: &Server<'_>, params: &CompletionParams) -> Result<Vec<CompletionItem>, Refused> {
    let at = &params.text_document_position;
    if let Some((document, analysis, offset)) = look(server, at)? {
        return Ok(complete::complete(&document.text, analysis, offset, server.snippets()));
    }
    let text = &server.document(&at.text_document.uri)?.text;
    Ok(complete::begin(text, text.offset(at.position)))
}

/// The definition of the name at a position, or the file that is named there.
pub(crate) fn definition(server: &Server<'_>, params: &GotoDefinitionParams) -> Result<Vec<Location>, Refused> {
    let Some((document, analysis, offset)) = look(server, &params.text_document_position_params)? else {
        return Ok(Vec::new());
    };
    if let Some(occurrence) = analysis.names.at(offset) {
        let given = analysis.names.of_symbol(&occurrence.symbol).filter(|one| one.gives);
        return Ok(given.map(|one| location(document, one.bytes.clone())).collect());
    }
    let is_here = |mention: &&wattle_heat::Mention| {
        let bytes = document.text.bytes(mention.span);
        mention.file == analysis.loaded.template.file && bytes.start <= offset && offset <= bytes.end
    };
    let mention = analysis.loaded.library.mentions.iter().find(is_here);
    let path = mention.map(|mention| mention.path.clone()).or_else(|| recipe(document, analysis, offset));
    let uri = path.and_then(|path| files::uri(&server.near(document).whole(&path)?));
    Ok(uri.map(|uri| Location { uri, range: Range::default() }).into_iter().collect())
}

/// The path of the recipe that is named at an offset.
fn recipe(document: &Document, analysis: &Analysis, offset: usize) -> Option<String> {
    let is_here = |node: &Node| {
        let bytes = document.text.bytes(node.span);
        bytes.start <= offset && offset <= bytes.end
    };
    let template = &analysis.loaded.template;
    let path = join(&template.file, text_at(&template.root, &is_here)?);
    analysis.loaded.library.recipes.contains_key(&path).then_some(path)
}

/// The text that is the innermost node at a place.
fn text_at<'n>(node: &'n Node, is_here: &dyn Fn(&Node) -> bool) -> Option<&'n str> {
    match &*node.tree {
        Tree::List(items) => items.iter().find_map(|item| text_at(item, is_here)),
        Tree::Map(pairs) => pairs.iter().find_map(|pair| text_at(&pair.value, is_here)),
        tree => tree.as_text().filter(|_| is_here(node)),
    }
}

pub(crate) fn references(server: &Server<'_>, params: &ReferenceParams) -> Result<Vec<Location>, Refused> {
    let Some((document, analysis, offset)) = look(server, &params.text_document_position)? else {
        return Ok(Vec::new());
    };
    let Some(occurrence) = analysis.names.at(offset) else { return Ok(Vec::new()) };
    let all = analysis.names.of_symbol(&occurrence.symbol);
    let wanted = all.filter(|one| params.context.include_declaration || !one.gives);
    Ok(wanted.map(|one| location(document, one.bytes.clone())).collect())
}

pub(crate) fn prepare_rename(
    server: &Server<'_>,
    params: &TextDocumentPositionParams,
) -> Result<Option<PrepareRenameResponse>, Refused> {
    let Some((document, analysis, offset)) = look(server, params)? else { return Ok(None) };
    let occurrence = naming::prepare(analysis, offset).map_err(failed)?;
    let range = document.text.range(occurrence.bytes.clone());
    let placeholder = occurrence.symbol.name().to_owned();
    Ok(Some(PrepareRenameResponse::RangeWithPlaceholder { range, placeholder }))
}

#[expect(clippy::mutable_key_type, reason = "the protocol's own type of changes; addresses never change")]
pub(crate) fn rename(server: &Server<'_>, params: &RenameParams) -> Result<Option<WorkspaceEdit>, Refused> {
    let Some((document, analysis, offset)) = look(server, &params.text_document_position)? else { return Ok(None) };
    let edits = naming::rename(analysis, &document.text, offset, &params.new_name).map_err(failed)?;
    let changes = HashMap::from([(document.uri.clone(), edits)]);
    Ok(Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }))
}

pub(crate) fn symbols(server: &Server<'_>, params: &DocumentSymbolParams) -> Result<Vec<DocumentSymbol>, Refused> {
    let document = server.document(&params.text_document.uri)?;
    if !document.is_template() {
        return Ok(Vec::new());
    }
    Ok(outline::symbols(&document.text, server.analysis(document)))
}

fn location(document: &Document, bytes: std::ops::Range<usize>) -> Location {
    Location { uri: document.uri.clone(), range: document.text.range(bytes) }
}

fn failed(why: String) -> Refused {
    (ErrorCode::RequestFailed, why)
}
