//! The variables `OS_*` as the settings of a cloud.

use std::collections::BTreeMap;

use crate::clouds::Settings;

/// The name of the cloud that the variables describe, as in other clients.
pub(crate) const NAME: &str = "envvars";

/// Former names of variables, and their present names.
const FORMER: [(&str, &str); 2] = [("tenant_name", "project_name"), ("tenant_id", "project_id")];

/// The settings in the variables: `OS_PROJECT_NAME` becomes `project_name`.
pub(crate) fn settings(environment: &BTreeMap<String, String>) -> Settings {
    let mut settings = Settings { name: NAME.to_owned(), ..Settings::default() };
    for (name, value) in environment {
        let Some(key) = name.strip_prefix("OS_").filter(|_| !value.is_empty()) else { continue };
        settings.values.insert(key.to_lowercase(), value.clone());
    }
    for (former, now) in FORMER {
        if let Some(value) = settings.values.remove(former) {
            settings.values.entry(now.to_owned()).or_insert(value);
        }
    }
    settings
}
