//! Multipart messages for cloud-init, written as by Python's `email`, with a boundary that is deterministic.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// The second half of its type, `text/SUBTYPE`; `plain` if it is empty.
    pub(crate) subtype: String,
    /// The file name; empty if there is none.
    pub(crate) filename: String,
    /// The content.
    pub(crate) content: String,
}

/// The line length of base64, in characters.
const LINE: usize = 76;

/// The message of these parts.
pub(crate) fn message(parts: &[Part]) -> String {
    let parts: Vec<String> = parts.iter().map(Part::written).collect();
    let mut digest = Sha256::new();
    for part in &parts {
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part);
    }
    let digits: String = digest.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let boundary = format!("==============={digits}==");
    let mut text = format!("Content-Type: multipart/mixed; boundary=\"{boundary}\"\nMIME-Version: 1.0\n\n");
    for part in parts {
        text.push_str(&format!("--{boundary}\n{part}\n"));
    }
    text.push_str(&format!("--{boundary}--\n"));
    text
}

impl Part {
    fn written(&self) -> String {
        let subtype = if self.subtype.is_empty() { "plain" } else { &self.subtype };
        let is_ascii = self.content.is_ascii();
        let (charset, encoding) = if is_ascii { ("us-ascii", "7bit") } else { ("utf-8", "base64") };
        let mut text = format!(
            "Content-Type: text/{subtype}; charset=\"{charset}\"\nMIME-Version: 1.0\nContent-Transfer-Encoding: {encoding}\n"
        );
        if !self.filename.is_empty() {
            let name = self.filename.replace('\\', "\\\\").replace('"', "\\\"");
            text.push_str(&format!("Content-Disposition: attachment; filename=\"{name}\"\n"));
        }
        text.push('\n');
        if is_ascii {
            text.push_str(&self.content);
        } else {
            let encoded = STANDARD.encode(&self.content);
            for line in encoded.as_bytes().chunks(LINE) {
                text.extend(line.iter().map(|byte| char::from(*byte)));
                text.push('\n');
            }
        }
        text
    }
}

/// The parts of a message; none if it is not a multipart message.
pub(crate) fn parts(message: &str) -> Vec<Part> {
    let message = message.replace("\r\n", "\n");
    let Some((head, body)) = message.split_once("\n\n") else { return Vec::new() };
    let Some(ty) = header(head, "content-type").filter(|ty| ty.to_ascii_lowercase().starts_with("multipart/")) else {
        return Vec::new();
    };
    let Some(boundary) = parameter(&ty, "boundary") else { return Vec::new() };
    let (line, end) = (format!("--{boundary}"), format!("--{boundary}--"));
    let mut found: Vec<Vec<&str>> = Vec::new();
    for each in body.split('\n') {
        match each.trim_end() {
            each if each == end => break,
            each if each == line => found.push(Vec::new()),
            _ => found.last_mut().into_iter().for_each(|part| part.push(each)),
        }
    }
    found.into_iter().map(|lines| part(&lines.join("\n"))).collect()
}

fn part(text: &str) -> Part {
    let (head, content) = match text.strip_prefix('\n') {
        Some(content) => ("", content),
        None => text.split_once("\n\n").unwrap_or((text, "")),
    };
    let ty = header(head, "content-type").unwrap_or_default();
    let subtype = ty.split(';').next().and_then(|ty| ty.split_once('/')).map_or("plain", |(_, subtype)| subtype.trim());
    let disposition = header(head, "content-disposition").unwrap_or_default();
    let filename = parameter(&disposition, "filename").or_else(|| parameter(&ty, "name")).unwrap_or_default();
    let is_encoded = header(head, "content-transfer-encoding").is_some_and(|how| how.eq_ignore_ascii_case("base64"));
    let decode = || {
        let packed: String = content.chars().filter(|character| !character.is_whitespace()).collect();
        STANDARD.decode(packed).ok().and_then(|bytes| String::from_utf8(bytes).ok())
    };
    let decoded = is_encoded.then(decode).flatten();
    Part { subtype: subtype.to_owned(), filename, content: decoded.unwrap_or_else(|| content.to_owned()) }
}

/// The value of a header, with its continuation lines joined.
fn header(head: &str, name: &str) -> Option<String> {
    let mut found: Option<String> = None;
    for line in head.split('\n') {
        if let Some(value) = found.as_mut() {
            if !line.starts_with([' ', '\t']) {
                break;
            }
            value.push(' ');
            value.push_str(line.trim());
        } else if let Some((key, value)) = line.split_once(':')
            && key.trim().eq_ignore_ascii_case(name)
        {
            found = Some(value.trim().to_owned());
        }
    }
    found
}

/// A parameter of a header's value, without its quotes.
fn parameter(value: &str, name: &str) -> Option<String> {
    value.split(';').skip(1).find_map(|each| {
        let (key, value) = each.split_once('=')?;
        key.trim().eq_ignore_ascii_case(name).then(|| value.trim().trim_matches('"').to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(subtype: &str, filename: &str, content: &str) -> Part {
        Part { subtype: subtype.into(), filename: filename.into(), content: content.into() }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let parts = [part("x-shellscript", "a.sh", "#!/bin/sh\n\necho a"), part("plain", "", "grüß dich\n")];
        let text = message(&parts);
        assert_eq!(super::parts(&text), parts);
        assert_eq!(text, message(&parts));
        assert_ne!(text, message(&parts[..1]));
    }

    #[test]
    fn a_text_is_no_message() {
        for text in ["", "#!/bin/sh\n\necho", "Content-Type: text/plain\n\na", "Content-Type: multipart/mixed\n\na"] {
            assert_eq!(super::parts(text), [], "{text}");
        }
    }
}
