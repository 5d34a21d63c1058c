//! How what stands in the way of `up` is told.

use wattle::manners::reason;

use crate::cli::failure::Failure;
use crate::local::UpError;

impl From<UpError> for Failure {
    fn from(error: UpError) -> Self {
        let text = error.to_string();
        match error {
            UpError::Parameters { names, unknown } => {
                let mut failure = unknown.into_iter().fold(Self::usage(text), Self::note);
                for (name, is_secret) in &names {
                    let kind = if *is_secret { ", a secret" } else { "" };
                    failure = failure.note(format!("`{name}`{kind}"));
                }
                let flags: Vec<String> = names.keys().map(|name| format!("--parameter {name}=VALUE")).collect();
                failure = failure.help(format!("add `{}`", flags.join(" ")));
                if names.values().any(|is_secret| *is_secret) {
                    failure = failure.help("or `--generate-secrets`, which makes up secrets");
                }
                failure.help("or fill in `environment.yaml` beside the seed")
            }
            UpError::Attributes { names } => {
                let mut failure = Self::usage(text);
                for (name, server) in &names {
                    failure = failure.note(format!("`{name}`, which {server} is told"));
                }
                let flags: Vec<String> = names.keys().map(|name| format!("--attribute {name}=VALUE")).collect();
                failure.help(format!("add `{}`", flags.join(" ")))
            }
            UpError::Seed(error) => error.into(),
            UpError::Space(error) => error.into(),
            UpError::Network { .. } => Self::new(text).help("`--network loopback` does without"),
            UpError::File { path, source } => {
                Self::new(format!("cannot use `{}`: {}", path.display(), reason(&source)))
            }
            _ => Self::new(text),
        }
    }
}
