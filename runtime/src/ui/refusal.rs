//! What a browser shows instead of the page: why there is none, and what to do.

use wattle::diagram::escaped;

/// The colours and letters of the page itself.
const STYLE: &str = "
:root { color-scheme: light dark; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; background: light-dark(#f8fafc, #0f172a); color: light-dark(#0f172a, #e2e8f0); }
main {
  box-sizing: border-box; max-width: 36rem; margin: 12vh auto 0; padding: 1.2rem 1.6rem; overflow-wrap: anywhere;
  background: light-dark(#ffffff, #1e293b); border: 1px solid light-dark(#cbd5e1, #3b4a60); border-radius: 10px;
}
h1 { font-size: 1.25rem; margin: 0 0 .6rem; }
p { margin: .4rem 0; }
code { font: .9em ui-monospace, monospace; padding: .1em .3em; background: light-dark(#f1f5f9, #273449); border-radius: 4px; }
@media (max-width: 38rem) { main { margin: 1rem; } }
";

/// A page with a title and paragraphs, in which what stands between backticks is code.
pub(super) fn page(title: &str, paragraphs: &[&str]) -> String {
    let paragraphs: String = paragraphs.iter().map(|text| format!("<p>{}</p>\n", marked(text))).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{} – wattle</title>\n<style>{STYLE}</style>\n</head>\n\
         <body>\n<main>\n<h1>{}</h1>\n{paragraphs}</main>\n</body>\n</html>\n",
        escaped(title),
        marked(title),
    )
}

fn marked(text: &str) -> String {
    let part = |(at, part): (usize, &str)| {
        let part = escaped(part);
        if at % 2 == 1 { format!("<code>{part}</code>") } else { part }
    };
    text.split('`').enumerate().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_backticks_are_markup() {
        assert_eq!(marked("run `wattle <x>` & see"), "run <code>wattle &lt;x&gt;</code> &amp; see");
        let page = page("a <b>", &["<script>"]);
        assert!(page.contains("<h1>a &lt;b&gt;</h1>") && page.contains("<p>&lt;script&gt;</p>"), "{page}");
    }
}
