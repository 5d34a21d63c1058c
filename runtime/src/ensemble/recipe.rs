//! A member's user data: the recipe of the catalog's part, with its inputs.

use std::fmt::Write as _;

use serde_json::json;

use super::Member;

/// The recipe, and the file that it shares with others.
const FILES: [(&str, &str); 2] = [("zookeeper.sh", include_str!("zookeeper.sh")), ("lib.sh", include_str!("lib.sh"))];

/// A text that is not a line of those files.
const END: &str = "END OF THE FILE";

/// Returns the user data of the member with this number, from 1. `issued` is its key, its certificate and the
/// authority's, in PEM.
///
/// # Panics
/// There is no certificate in `issued`.
pub fn user_data(number: usize, members: &[Member], issued: &str, authority: &str) -> String {
    let (key, certificate) = issued.split_at(issued.find("-----BEGIN CERTIFICATE").expect("a key and its certificate"));
    let certificates: Vec<&str> =
        (1..=members.len()).map(|other| if other == number { certificate } else { "" }).collect();
    let addresses: Vec<String> = members.iter().map(|member| member.address.to_string()).collect();
    let variables = [
        ("address", addresses[number - 1].clone()),
        ("number", number.to_string()),
        ("members", json!(addresses).to_string()),
        ("certificates", json!(certificates).to_string()),
        ("trusted", authority.trim_end().to_owned()),
        ("port", super::PORT.to_string()),
        ("peer_port", super::PEERS[0].to_string()),
        ("election_port", super::PEERS[1].to_string()),
        ("heap", "512".to_owned()),
    ];
    let mut text = "#!/bin/sh
# A member of wattle's data space: what `wattle space new` gives it.
set -eu
folder=${WATTLE_SPACE_FOLDER:-/opt/wattle-space}
mkdir -p \"$folder\"
chmod 0700 \"$folder\"
"
    .to_owned();
    for (name, content) in FILES {
        let _ = write!(text, "cat >\"$folder/{name}\" <<'{END}'\n{}\n{END}\n", content.trim_end());
    }
    let _ = writeln!(text, "printf '%s\\n' {} >\"$folder/key.pem\"", quoted(key.trim_end()));
    for (name, value) in variables {
        let _ = writeln!(text, "export {name}={}", quoted(&value));
    }
    text + "export key=\"$folder/key.pem\" WATTLE_RUN_DIR=\"$folder/zookeeper\" heat_outputs_path=\"$folder/output\"
exec sh \"$folder/zookeeper.sh\"
"
}

/// Quotes a text as one word for any POSIX shell: only Bash knows quotes with escapes.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
