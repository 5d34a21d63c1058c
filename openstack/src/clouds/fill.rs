//! Fills in missing settings of a cloud in clouds.yaml from the variables `OS_*`.

use super::login::{Method, without_version};
use super::read::Settings;

/// Groups of settings that override each other or have the same meaning. If a cloud has one of a group, the environment
/// adds none of it.
const SAME: [&[&str]; 8] = [
    &["username", "user_name", "user_id"],
    &["project_name", "project_id", "tenant_name", "tenant_id", "domain_name", "domain_id", "system_scope"],
    &["user_domain_name", "user_domain_id"],
    &["project_domain_name", "project_domain_id"],
    &["default_domain", "default_domain_name", "default_domain_id"],
    &["application_credential_name", "application_credential_id"],
    &["interface", "endpoint_type"],
    &["verify", "insecure"],
];

/// The settings that are secret.
const SECRETS: [&str; 5] = ["password", "token", "auth_token", "application_credential_secret", "passcode"];

/// Adds the missing settings. Those of the cloud take precedence, and different ways to log in are not mixed. An
/// environment for another cloud adds nothing, so that its password does not reach this one. An environment that does
/// not say which cloud it is for gives no secret to a cloud that someone else may have described, unless the user has
/// named the file (`is_named`).
pub(super) fn fill(settings: &mut Settings, environment: Settings, is_named: bool) {
    let address = |of: &Settings| of.get("auth_url").map(|url| without_version(url).to_lowercase());
    let (own, theirs) = (address(settings), address(&environment));
    if own.is_some() && theirs.is_some() && own != theirs {
        return;
    }
    // The source of the address determines the server to which secrets are sent.
    let is_trusted = is_named || theirs.is_some();
    let method = Method::of(settings);
    let added = environment.values.into_iter().filter(|(key, _)| lacks(settings, key) && suits(method, key));
    let (added, withheld): (Vec<_>, Vec<_>) =
        added.partition(|(key, _)| is_trusted || !SECRETS.contains(&key.as_str()));
    settings.values.extend(added);
    settings.withheld.extend(withheld.into_iter().map(|(key, _)| key));
}

fn lacks(settings: &Settings, key: &str) -> bool {
    let same = SAME.iter().find(|same| same.contains(&key)).copied().unwrap_or_default();
    let says = |key: &str| settings.get(key).is_some();
    let says_otherwise = match key {
        "user_domain_name" | "user_domain_id" | "project_domain_name" | "project_domain_id" => {
            SAME[4].iter().any(|key| says(key))
        }
        // `verify` may also contain the certificate authorities.
        "cacert" => settings.get("verify").is_some_and(|verify| verify.contains('/')),
        _ => false,
    };
    !says(key) && !same.iter().any(|key| says(key)) && !says_otherwise
}

/// Whether a setting belongs to this authentication method, or to none in particular.
fn suits(method: Option<Method>, key: &str) -> bool {
    let Some(method) = method else { return true };
    match key {
        "auth_type" => false,
        "password" => method == Method::Password,
        "token" | "auth_token" => method == Method::Token,
        _ => method == Method::Application || !key.starts_with("application_credential_"),
    }
}
