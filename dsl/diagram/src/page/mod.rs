//! The page: one HTML file with everything in it, which requests nothing from the network.
//!
//! What lives here: how the file is assembled. The scripts beside this file do what the page does, and `page/hooks.js`
//! documents what other scripts of the page can call. The scripts are concatenated into one, and their order is their only
//! coupling. The page's content security policy allows that script by its hash.
//!
//! As long as nothing is folded, everything is where the image has it (`told`). Otherwise ELK lays out what is visible.
//! Beyond 120 boxes, or after 8 seconds, the page's own `quick` does, because ELK takes minutes for a chain of a thousand
//! boxes, and `route` leads the wires along the gaps: boxes are placed in rows of columns. Things that occur in large
//! numbers are drawn without `opacity`, which would create a layer for every wire.
//!
//! ELK is under the Eclipse Public License 2.0, which is kept beside it. It is used unchanged and as a separate file, so our
//! licence is not affected. Every page embeds ELK and says where its source is. `elk/make` builds the checked-in worker.
//! `deny.toml` covers only crates, so it does not include ELK.

mod data;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use self::data::PageData;
use super::Diagram;

const BODY: &str = include_str!("body.html");

const STYLES: [&str; 1] = [include_str!("page.css")];

/// The page's scripts, in the order of concatenation.
const SCRIPTS: [&str; 17] = [
    include_str!("order.js"),
    include_str!("duration.js"),
    include_str!("data.js"),
    include_str!("prose.js"),
    include_str!("panel.js"),
    include_str!("scene.js"),
    include_str!("route.js"),
    include_str!("quick.js"),
    include_str!("arrange.js"),
    include_str!("draw.js"),
    include_str!("camera.js"),
    include_str!("page.js"),
    include_str!("details.js"),
    include_str!("search.js"),
    include_str!("keys.js"),
    include_str!("hooks.js"),
    include_str!("start.js"),
];

/// The layout engine: ELK as elkjs ships it, as the gzipped source of a worker. `elk/make` builds it and copies its licence.
const ELK: &[u8] = include_bytes!("elk/elk-worker.min.js.gz");

/// The additional style of a page that shows live states.
const LIVE_STYLE: &str = include_str!("live.css");

/// The scripts that follow the page's own, in this order.
const LIVE_SCRIPTS: [&str; 10] = [
    include_str!("live.js"),
    include_str!("live-keep.js"),
    include_str!("live-legend.js"),
    include_str!("live-infrastructure.js"),
    include_str!("live-now.js"),
    include_str!("live-log.js"),
    include_str!("live-data.js"),
    include_str!("live-bars.js"),
    include_str!("live-timeline.js"),
    include_str!("live-start.js"),
];

/// JSON data for a script element, safe to embed in HTML whatever it contains.
fn json(value: &impl serde::Serialize) -> String {
    let text = serde_json::to_string(value).expect("INVARIANT: text and numbers are JSON");
    text.replace('<', "\\u003c")
}

/// The page of a diagram.
///
/// Nothing in the diagram is interpreted as HTML or as a script, whatever its names and texts contain: it is embedded as
/// JSON data without any `<`, and the page's policy allows only the scripts that belong to it.
pub fn html(diagram: &Diagram) -> String {
    let is_live = diagram.live.is_some();
    let mut style = STYLES.concat();
    let mut script = format!("'use strict';\n{}", SCRIPTS.concat());
    if is_live {
        style.push_str(LIVE_STYLE);
        script.push_str(&LIVE_SCRIPTS.concat());
    }
    let connect = if is_live { "'self'" } else { "'none'" };
    let policy = format!(
        "default-src 'none'; script-src {}; style-src {}; connect-src {connect}; worker-src blob:; img-src data:; \
         base-uri 'none'; form-action 'none'",
        hash(&script),
        hash(&style),
    );
    let (data, page_data) = (json(diagram), json(&PageData::of(diagram)));
    let title = escaped(&diagram.stack);
    let elk = STANDARD.encode(ELK);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title} – wattle</title>\n\
         <style>{style}</style>\n</head>\n{BODY}\
         <script type=\"application/json\" id=\"picture\">{data}</script>\n\
         <script type=\"application/json\" id=\"told\">{page_data}</script>\n\
         <!-- elkjs, Eclipse Public License 2.0, source: https://github.com/kieler/elkjs -->\n\
         <script type=\"text/plain\" id=\"elk\">{elk}</script>\n\
         <script>{script}</script>\n</html>\n"
    )
}

/// The hash by which a content security policy allows inline text.
fn hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)))
}

/// Escapes text for an element of HTML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
