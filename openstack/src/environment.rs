//! The variables `OS_*`, as the settings of a cloud.

use std::collections::BTreeMap;

use crate::clouds::Settings;

/// What a cloud is called that is said by variables, as other clients have it.
pub(crate) const NAME: &str = "envvars";

/// Older names of variables, and what they are called now.
const FORMER: [(&str, &str); 2] = [("tenant_name", "project_name"), ("tenant_id", "project_id")];

/// The settings that the variables say: `OS_PROJECT_NAME` is `project_name`.
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
