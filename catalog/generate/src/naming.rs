//! Rust names for Heat's names.

/// Words that Heat writes with inconsistent capitals, each as one word.
const WORDS: [(&str, &str); 6] =
    [("IPsec", "Ipsec"), ("QoS", "Qos"), ("LBaaS", "Lbaas"), ("TaaS", "Taas"), ("DNSSec", "Dnssec"), ("IPv", "Ipv")];

/// Names that mean something else in Rust, and their replacements.
const TAKEN: [(&str, &str); 4] = [("None", "Nothing"), ("Self", "Itself"), ("String", "Str"), ("Some", "Any")];

/// The words that Rust reserves in any edition (The Rust Reference, Keywords).
const KEYWORDS: [&str; 51] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod",
    "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super", "trait", "true",
    "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Methods that every handle, list of properties or nested value already has.
const METHODS: [&str; 6] = ["new", "attribute", "property", "resource", "set", "show"];

/// Whether Rust reserves the word, so that nothing can have this name.
pub fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// The words of a name, in lower case: `accessIPv4` is `access`, `ipv4`.
pub fn words(name: &str) -> Vec<String> {
    let name = WORDS.iter().fold(name.to_owned(), |name, (from, to)| name.replace(from, to));
    let mut words: Vec<String> = Vec::new();
    let letters: Vec<char> = name.chars().collect();
    let mut fresh = true;
    for (i, &c) in letters.iter().enumerate() {
        if !c.is_ascii_alphanumeric() {
            fresh = true;
            continue;
        }
        let before = i.checked_sub(1).map(|before| letters[before]);
        let after = letters.get(i + 1);
        // A capital begins a word after a lower-case letter, and at the end of a row of capitals.
        let begins = c.is_ascii_uppercase()
            && (before.is_some_and(|before| before.is_ascii_lowercase())
                || before.is_some_and(|before| before.is_ascii_uppercase() || before.is_ascii_digit())
                    && after.is_some_and(char::is_ascii_lowercase));
        if fresh || begins {
            words.push(String::new());
            fresh = false;
        }
        if let Some(word) = words.last_mut() {
            word.push(c.to_ascii_lowercase());
        }
    }
    words
}

/// The name of a type or a variant: `FloatingIp` for `FloatingIP`, `Aes256` for `aes-256`.
pub fn camel(name: &str) -> String {
    let name: String = words(name)
        .iter()
        .map(|word| {
            let (first, rest) = word.split_at(1);
            first.to_ascii_uppercase() + rest
        })
        .collect();
    let name = if name.starts_with(|c: char| c.is_ascii_digit()) { format!("V{name}") } else { name };
    TAKEN.iter().find(|(taken, _)| *taken == name).map_or(name, |(_, instead)| (*instead).to_owned())
}

/// The name of a method or a field: `access_ipv4` for `accessIPv4`, `type_` for `type`.
pub fn snake(name: &str) -> String {
    let name = words(name).join("_");
    if is_keyword(&name) || METHODS.contains(&&*name) { name + "_" } else { name }
}

/// The singular: `rule` for `rules`, `policy` for `policies`.
pub(crate) fn singular(name: &str) -> String {
    if let Some(stem) = name.strip_suffix("ies") {
        format!("{stem}y")
    } else if let Some(stem) = name.strip_suffix("sses") {
        format!("{stem}ss")
    } else if name.ends_with("ss") || name.ends_with("us") {
        name.to_owned()
    } else {
        name.strip_suffix('s').unwrap_or(name).to_owned()
    }
}

/// The service and the handle of a type: `neutron` and `LbaasPool` of `OS::Neutron::LBaaS::Pool`.
pub fn of_type(ty: &str) -> (String, String) {
    let mut parts = ty.split("::").skip(1);
    let service = parts.next().unwrap_or_default().to_ascii_lowercase();
    let handle = camel(&parts.collect::<Vec<_>>().join("-"));
    (service, handle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_named_as_rust_names_types() {
        for (ty, name) in [
            ("OS::Neutron::FloatingIP", "FloatingIp"),
            ("OS::Neutron::FloatingIPPortForward", "FloatingIpPortForward"),
            ("OS::Neutron::IPsecSiteConnection", "IpsecSiteConnection"),
            ("OS::Neutron::LBaaS::L7Rule", "LbaasL7Rule"),
            ("OS::Neutron::QoSDscpMarkingRule", "QosDscpMarkingRule"),
            ("OS::Neutron::VPNService", "VpnService"),
            ("OS::Neutron::L2GatewayConnection", "L2GatewayConnection"),
            ("OS::Zaqar::SignedQueueURL", "SignedQueueUrl"),
            ("OS::Heat::None", "Nothing"),
        ] {
            assert_eq!(of_type(ty).1, name);
        }
    }

    #[test]
    fn methods_are_named_as_rust_names_methods() {
        for (heat, name) in [
            ("accessIPv4", "access_ipv4"),
            ("binding:vnic_type", "binding_vnic_type"),
            ("X-Container-Meta", "x_container_meta"),
            ("diskConfig", "disk_config"),
            ("imageRef", "image_ref"),
            ("AvailabilityZones", "availability_zones"),
            ("WebsiteURL", "website_url"),
            ("type", "type_"),
            ("block_device_mapping_v2", "block_device_mapping_v2"),
        ] {
            assert_eq!(snake(heat), name);
        }
    }

    #[test]
    fn variants_are_named_as_rust_names_variants() {
        for (heat, name) in [
            ("soft-anti-affinity", "SoftAntiAffinity"),
            ("3des", "V3des"),
            ("IPv4", "Ipv4"),
            ("REDIRECT_TO_POOL", "RedirectToPool"),
            ("CommaDelimitedList", "CommaDelimitedList"),
            ("String", "Str"),
            ("text/plain", "TextPlain"),
        ] {
            assert_eq!(camel(heat), name);
        }
    }

    #[test]
    fn one_of_many() {
        for (many, one) in [("policies", "policy"), ("rules", "rule"), ("access", "access"), ("status", "status")] {
            assert_eq!(singular(many), one);
        }
    }
}
