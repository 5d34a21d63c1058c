//! Compares the ports that a server should have with its present ones.

use serde_json::{Map, Value, json};

use super::super::find::Sort;
use super::super::json::{agrees, encoded, given, given_text, items, text};
use super::super::stop::Stop;
use super::super::work::{Work, get};

/// The wanted connections of a server.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Nics {
    /// Whatever Nova chooses.
    Any,
    /// Whatever Nova chooses, except these ports, which a template gave until now.
    Others(Vec<Nic>),
    /// Nothing.
    None,
    /// These, in order.
    These(Vec<Nic>),
}

/// One of a server's ports: an existing one, or one that Nova creates on a network.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Nic {
    port: Option<String>,
    network: String,
    address: Option<String>,
    tag: Option<String>,
    /// The port that Nova created for it where a template gives none. Any other port on the network would have other
    /// addresses.
    chosen: Option<String>,
}

/// The connection that Nova chooses.
static ANY: Nic = Nic { port: None, network: String::new(), address: None, tag: None, chosen: None };

/// What Heat creates for an item of `networks` besides the port.
pub(super) fn beyond(properties: &Value) -> Option<(String, &'static str)> {
    let is_given = |value: &Value| value.as_object().is_none_or(|map| !map.is_empty());
    let of_nic =
        |nic| ["port_extra_properties", "floating_ip"].into_iter().find(|key| given(nic, key).is_some_and(is_given));
    let key = given(properties, "networks").map(items).unwrap_or_default().iter().find_map(of_nic)?;
    let what = format!("`{key}` in `networks` of a server is only for Heat");
    Some((what, "give it a `port`, which is a resource of its own"))
}

impl Nics {
    /// The connections in a template.
    pub(super) async fn of(work: &Work<'_>, properties: &Value) -> Result<Self, Stop> {
        let listed = given(properties, "networks").map(items).unwrap_or_default();
        if work.has_left("networks") && listed.is_empty() {
            return Ok(match Self::chosen(work) {
                Self::These(nics) => Self::Others(nics),
                _ => Self::Others(Vec::new()),
            });
        }
        match listed.first().and_then(|nic| given_text(nic, "allocate_network")) {
            Some("none") => return Ok(Self::None),
            Some(_) => return Ok(Self::chosen(work)),
            None if listed.is_empty() => return Ok(Self::chosen(work)),
            None => {}
        }
        let mut nics = Vec::new();
        for nic in listed {
            nics.push(Nic::of(work, nic).await?);
        }
        Ok(Self::These(nics))
    }

    /// The connections that Nova chose: the server's ports after the last action on it, if they are known.
    fn chosen(work: &Work<'_>) -> Self {
        let addresses = work.noted("addresses").unwrap_or_default();
        let mut nics: Vec<Nic> = Vec::new();
        for (network, listed) in addresses.as_object().into_iter().flatten() {
            // A network appears there both by its name and by its id.
            for port in items(listed).iter().filter_map(|address| given_text(address, "port")) {
                let is_known = |nic: &Nic| nic.chosen.as_deref() == Some(port);
                if is_id(network) && !nics.iter().any(is_known) {
                    let (network, chosen) = (network.clone(), Some(port.to_owned()));
                    nics.push(Nic { port: None, network, address: None, tag: None, chosen });
                }
            }
        }
        if nics.is_empty() { Self::Any } else { Self::These(nics) }
    }

    /// Converts them to Nova's form for creating a server.
    pub(super) fn sent(&self) -> Value {
        match self {
            Self::Any | Self::Others(_) => "auto".into(),
            Self::None => "none".into(),
            Self::These(nics) => nics.iter().map(Nic::sent).collect::<Vec<_>>().into(),
        }
    }

    /// Checks, before anything is removed from the server, that Nova can choose a network where it has to: it can if
    /// the project has only one.
    pub(super) async fn can_be_had(&self, work: &Work<'_>, server: &Value) -> Result<(), Stop> {
        if !matches!(self, Self::Others(_)) {
            return Ok(());
        }
        let mut networks = work.listed(get("network", "/networks"), "networks").await?;
        networks.retain(|network| {
            let is_own = network["shared"] == true || network["tenant_id"] == server["tenant_id"];
            is_own && network["router:external"] != true
        });
        if networks.len() == 1 {
            return Ok(());
        }
        Err(Stop::refused(format!(
            "`networks` is no longer set, and Nova cannot choose among {} networks: set `networks`",
            networks.len()
        )))
    }

    /// The missing connections, and the ports to remove.
    pub(super) fn compared<'v>(&'v self, ports: &'v [Value]) -> (Vec<&'v Nic>, Vec<&'v Value>) {
        let nics = match self {
            Self::Any => return Default::default(),
            Self::None => &[][..],
            // As in Heat: remove what was given, and let Nova choose if nothing is left.
            Self::Others(former) => {
                let of_former = |port: &&Value| former.iter().any(|nic| nic.is(port));
                let missing = ports.is_empty().then_some(&ANY).into_iter().collect();
                return (missing, ports.iter().filter(of_former).collect());
            }
            Self::These(nics) => nics,
        };
        let mut left: Vec<&Value> = ports.iter().collect();
        let mut missing = Vec::new();
        // The most specific ones choose first.
        let mut nics: Vec<&Nic> = nics.iter().collect();
        nics.sort_by_key(|nic| (nic.port.is_none(), nic.address.is_none()));
        for nic in nics {
            match left.iter().position(|port| nic.is(port)) {
                Some(at) => drop(left.remove(at)),
                None => missing.push(nic),
            }
        }
        (missing, left)
    }
}

impl Nic {
    async fn of(work: &Work<'_>, nic: &Value) -> Result<Self, Stop> {
        let text_of = |key| given_text(nic, key).map(str::to_owned);
        let network = given_text(nic, "network").or_else(|| given_text(nic, "uuid"));
        let network = match (text_of("port"), network, given_text(nic, "subnet")) {
            (Some(_), _, _) => String::new(),
            (None, Some(network), None) => work.find(Sort::Network, network).await?,
            (None, _, Some(subnet)) => network_of(work, subnet, given(nic, "fixed_ip").is_some()).await?,
            (None, None, None) => {
                return Err(Stop::refused(
                    "an item of `networks` of a server has neither `network` nor `port`: give it one",
                ));
            }
        };
        Ok(Self { port: text_of("port"), network, address: text_of("fixed_ip"), tag: text_of("tag"), chosen: None })
    }

    fn is(&self, port: &Value) -> bool {
        match (self.port.as_ref().or(self.chosen.as_ref()), &self.address) {
            (Some(id), _) => text(port, "id") == id,
            (None, None) => text(port, "network_id") == self.network,
            (None, Some(address)) => {
                let has = |ip: &Value| agrees(&address.as_str().into(), &ip["ip_address"]);
                text(port, "network_id") == self.network && items(&port["fixed_ips"]).iter().any(has)
            }
        }
    }

    fn sent(&self) -> Value {
        let mut sent = Map::new();
        match &self.port {
            Some(port) => sent.insert("port".into(), port.as_str().into()),
            None => sent.insert("uuid".into(), self.network.as_str().into()),
        };
        if let (None, Some(address)) = (&self.port, &self.address) {
            sent.insert("fixed_ip".into(), address.as_str().into());
        }
        if let Some(tag) = &self.tag {
            sent.insert("tag".into(), tag.as_str().into());
        }
        sent.into()
    }

    /// Converts it to Nova's form for an existing server.
    pub(super) fn attached(&self) -> Value {
        match (&self.port, &self.address) {
            (Some(port), _) => json!({ "port_id": port }),
            (None, None) if self.network.is_empty() => json!({}),
            (None, None) => json!({ "net_id": self.network }),
            (None, Some(address)) => json!({ "net_id": self.network, "fixed_ips": [{ "ip_address": address }] }),
        }
    }
}

/// Whether it is an id rather than a name.
fn is_id(text: &str) -> bool {
    matches!(text.len(), 32 | 36) && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// The network of a subnet. Nova does not accept subnets, but a network with only one, or a network together with an
/// address, has the same effect.
async fn network_of(work: &Work<'_>, subnet: &str, has_address: bool) -> Result<String, Stop> {
    let id = work.find(Sort::Subnet, subnet).await?;
    let found = work.read(get("network", format!("/subnets/{}", encoded(&id))), "subnet").await?;
    let Some(found) = found else { return Err(Stop::refused(format!("there is no subnet with the id `{id}`"))) };
    let network = text(&found, "network_id").to_owned();
    if !has_address {
        let path = format!("/subnets?network_id={}&fields=id", encoded(&network));
        if work.listed(get("network", path), "subnets").await?.len() > 1 {
            return Err(Stop::refused(format!(
                "the network of `{subnet}` has more subnets, and Nova takes no subnet: give the server a `port` with \
                 `fixed_ips`, or a `fixed_ip`"
            )));
        }
    }
    Ok(network)
}
