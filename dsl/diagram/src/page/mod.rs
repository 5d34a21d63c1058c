//! The page: one HTML file with everything in it, which asks no network for anything.
//!
//! What lives here: how the file is put together. What the page does is in the scripts beside this; `page/hooks.js` says
//! what other scripts of the page may call. The scripts are concatenated into one, in an order that is their only coupling,
//! and the page's policy names that script by its hash.
//!
//! While nothing is folded, everything is where the image has it (`told`). Else ELK lays out what is seen; beyond 120 boxes, or
//! 8 seconds, the page's own `quick` does, for ELK takes minutes for a chain of a thousand, and `route` leads wires along the gaps: what is placed stands in rows of columns. What is many is drawn
//! without `opacity`, which would make a layer of every wire.
//!
//! ELK is under the Eclipse Public License 2.0, kept beside it. It is used unchanged and as a file of its own, so our licence
//! is not touched; every page that is written carries it and says where its source is. `elk/make` makes the checked-in
//! worker. `deny.toml` speaks of crates only and does not see it.

mod told;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use self::told::Told;
use super::Diagram;

const BODY: &str = include_str!("body.html");

const STYLES: [&str; 1] = [include_str!("page.css")];

/// One script, in this order.
const SCRIPTS: [&str; 15] = [
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

/// What lays out: ELK as elkjs has it, the source of a worker, by gzip. `elk/make` makes it, and tells of its licence.
const ELK: &[u8] = include_bytes!("elk/elk-worker.min.js.gz");

/// What is added to a page that shows what runs.
const LIVE_STYLE: &str = include_str!("live.css");

/// Behind the page's own scripts, in this order.
const LIVE_SCRIPTS: [&str; 9] = [
    include_str!("live.js"),
    include_str!("live-keep.js"),
    include_str!("live-legend.js"),
    include_str!("live-infrastructure.js"),
    include_str!("live-now.js"),
    include_str!("live-log.js"),
    include_str!("live-data.js"),
    include_str!("live-timeline.js"),
    include_str!("live-start.js"),
];

/// Data of the type JSON, which is no HTML whatever it says.
fn json(value: &impl serde::Serialize) -> String {
    let text = serde_json::to_string(value).expect("INVARIANT: text and numbers are JSON");
    text.replace('<', "\\u003c")
}

/// The page of a picture.
///
/// Nothing of the picture is read as HTML or as a script, whatever stands in its names and texts: it is data of the type
/// JSON in which no `<` is left, and the policy of the page lets no other script run than those that belong to it.
pub fn html(picture: &Diagram) -> String {
    let is_live = picture.live.is_some();
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
    let (data, told) = (json(picture), json(&Told::of(picture)));
    let title = escaped(&picture.stack);
    let elk = STANDARD.encode(ELK);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title} – wattle</title>\n\
         <style>{style}</style>\n</head>\n{BODY}\
         <script type=\"application/json\" id=\"picture\">{data}</script>\n\
         <script type=\"application/json\" id=\"told\">{told}</script>\n\
         <!-- elkjs, Eclipse Public License 2.0, source: https://github.com/kieler/elkjs -->\n\
         <script type=\"text/plain\" id=\"elk\">{elk}</script>\n\
         <script>{script}</script>\n</html>\n"
    )
}

/// What a policy names inline text by.
fn hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)))
}

/// Text within an element.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
