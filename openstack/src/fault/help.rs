//! Advice on how to fix a fault.

use super::{Fault, is_quota};
use crate::Flaw;

impl Fault {
    /// Returns advice on how to fix the fault, if there is any.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::LoggedOut { .. } => Some(
                "check the user, the project, their domains and the password in clouds.yaml or in the `OS_*` variables, or the application \
                 credential, which may have expired: `openstack token issue` must work with the same settings"
                    .into(),
            ),
            Self::Ended { .. } => Some(
                "the token has expired, or was revoked: `openstack token issue -f value -c id` prints a new one, for `token` of the cloud in \
                 clouds.yaml or for `OS_TOKEN`; then run the same command again. A password or an application credential lasts longer"
                    .into(),
            ),
            Self::NoRegion { known, region, .. } => {
                let known = known.iter().map(String::as_str);
                let has = format!("it has {}:", wattle_words::names::some(known.clone(), 6));
                let has = wattle_words::names::meant(region, known).unwrap_or(has);
                Some(format!("{has} set `region_name` of the cloud in clouds.yaml, or `OS_REGION_NAME`"))
            }
            Self::NoService { known, service, .. } if known.contains(service) => Some(format!(
                "it has one in another region or with another interface, as `openstack catalog show {service}` shows: set \
                 the cloud's `region_name` and `interface` in clouds.yaml, or `OS_REGION_NAME` and `OS_INTERFACE`"
            )),
            Self::NoService { known, service, .. } => {
                let known = known.iter().map(String::as_str);
                let has = wattle_words::names::some(known.clone(), 12);
                let meant = wattle_words::names::meant(service, known);
                Some(meant.unwrap_or_else(|| {
                    format!(
                        "its catalogue has {has}; ask the cloud's operator whether the service exists, and if it does, set \
                         `{}_endpoint_override` of the cloud in clouds.yaml",
                        service.replace('-', "_")
                    )
                }))
            }
            Self::Unreachable { service, .. } if service == "identity" => Some(
                "check `auth_url` of the cloud in clouds.yaml, or `OS_AUTH_URL`: whether it is `http://` or `https://`, and whether that host \
                 answers at all: it may be behind a VPN that is off, or behind a proxy, which wattle does not use"
                    .into(),
            ),
            Self::Unreachable { service, .. } => Some(format!(
                "its address comes from the catalogue (`openstack catalog show {service}`) or from `{}_endpoint_override` in \
                 clouds.yaml: check that this machine can reach it. To choose another address of the catalogue, set `interface` in \
                 clouds.yaml, or `OS_INTERFACE`",
                service.replace('-', "_")
            )),
            Self::NoIdentity { .. } => Some(
                "`auth_url` of the cloud in clouds.yaml, or `OS_AUTH_URL`, is the address of its identity service up to `/v3`, such as \
                 `https://HOST:5000/v3` or `https://HOST/identity/v3`: the file that you can download from the dashboard, under `API Access`, has it"
                    .into(),
            ),
            Self::Untrusted { flaw, .. } => Some(distrusted(*flaw)),
            Self::Version { .. } => Some("use a cloud with a release of OpenStack that supports it".into()),
            Self::Refused { message, .. } if is_quota(message) => Some(
                "the project's quota does not allow it: `openstack quota show` shows the quota; delete what is not needed, or ask the cloud's \
                 operator to raise it with `openstack quota set`"
                    .into(),
            ),
            Self::Refused { status: 401 | 403, .. } => {
                Some("the user needs the role `member` in the project, or the cloud's policy allows it only to administrators".into())
            }
            Self::Refused { service, status: 500.., .. } | Self::Busy { service, .. } => Some(format!(
                "run the same command again once {service} answers; if this persists, ask the cloud's operator"
            )),
            Self::Refused { .. }
            | Self::TooLate { .. }
            | Self::Unknown { .. }
            | Self::Senseless { .. } => None,
        }
    }
}

/// Advice on a certificate that is not trusted.
fn distrusted(flaw: Flaw) -> String {
    let help = match flaw {
        Flaw::Issuer => {
            "set `cacert` of the cloud in clouds.yaml, or `OS_CACERT`, to the PEM file of the authority that issued it"
        }
        Flaw::Host => {
            "use a host name that the certificate covers, in `auth_url` or in the service's address in the cloud's catalogue"
        }
        Flaw::Time => {
            "check the clock of this machine; if it is right, the cloud's operator has to renew the certificate"
        }
        Flaw::Other => "the cloud's operator has to replace the certificate",
    };
    format!("{help}; `verify: false` in clouds.yaml trusts anyone, even an attacker between this machine and the cloud")
}
