//! Resources that exist several times, and the properties of each.

use std::borrow::Cow;

use crate::model::{Constraint, Expr, Model, Name, Predicate, Reference, Source, Test, Value};

/// The members of a group that may have more than one.
pub(super) struct Members<'m> {
    /// The group.
    pub(super) name: &'m Name,
    /// The number of members, if it is written.
    count: Option<i128>,
    /// The type of each member.
    pub(super) ty: String,
    /// The placeholder for the number of each member, if there is one.
    pub(super) index: Option<Cow<'m, str>>,
    /// The place that describes the members.
    pub(super) at: &'m Source,
    definition: Cow<'m, Expr>,
}

impl Members<'_> {
    /// The value of the property `name` of each member.
    pub(super) fn property(&self, name: &str) -> Option<&Expr> {
        let Expr::Map(definition) = &*self.definition else { return None };
        let Expr::Map(properties) = definition.get("properties")? else { return None };
        properties.get(name)
    }

    /// The name that all members share.
    pub(super) fn one_name(&self) -> Option<&str> {
        self.property("name").and_then(text_of).filter(|name| !self.numbers(name))
    }

    /// Help on giving each member its own name; `otherwise` if there is no placeholder for its number.
    pub(super) fn own_names(&self, given: &str, otherwise: &str) -> String {
        match &self.index {
            Some(index) => format!("put each member's number into its name: `{given}-{index}`"),
            None => otherwise.to_owned(),
        }
    }

    /// Whether a text contains the number of each member.
    pub(super) fn numbers(&self, text: &str) -> bool {
        self.index.as_ref().is_some_and(|index| text.contains(&**index))
    }

    /// All members, as in messages: `all 3 servers`.
    pub(super) fn all(&self, what: &str) -> String {
        match self.count {
            Some(count) => format!("all {count} {what}"),
            None => format!("all {what}"),
        }
    }
}

/// The members of every group of the model that may have more than one.
pub(super) fn members(model: &Model) -> impl Iterator<Item = Members<'_>> {
    model.resources.iter().filter_map(|(name, group)| {
        let property = |name: &str| group.properties.get(name);
        let (size, described, index) = match &*group.ty {
            "OS::Heat::ResourceGroup" => {
                let index = property("index_var").map_or(Some("%index%"), |index| text_of(&index.value))?;
                ("count", "resource_def", Some(index.into()))
            }
            // Members of these groups have random names, without a placeholder.
            "OS::Heat::AutoScalingGroup" => ("max_size", "resource", None),
            _ => return None,
        };
        let size = &property(size)?.value;
        let count = number(size).filter(|_| index.is_some());
        if !are_several(model, size) {
            return None;
        }
        let described = property(described)?;
        let definition = open(&described.value);
        let Expr::Map(parts) = &*definition else { return None };
        let ty = text_of(parts.get("type")?)?.to_owned();
        Some(Members { name, count, ty, index, at: &described.at, definition })
    })
}

/// A constant number.
fn number(value: &Expr) -> Option<i128> {
    match value.constant()? {
        Value::Integer(number) => Some(*number),
        Value::Str(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// Whether this number is greater than one: as a constant, by a parameter's default, or by a requirement on it.
fn are_several(model: &Model, count: &Expr) -> bool {
    if let Some(number) = number(count) {
        return number > 1;
    }
    let Expr::Leaf(Reference::Parameter(name)) = count else { return false };
    let Some(parameter) = model.parameters.get(name) else { return false };
    let default = parameter.default.clone().map(Expr::Constant);
    let is_bounded =
        |constraint: &Constraint| matches!(constraint.bare(), Constraint::Range { min: Some(min), .. } if *min >= 2.0);
    default.as_ref().and_then(number).is_some_and(|number| number > 1)
        || parameter.constraints.iter().any(is_bounded)
        || model.requirements.values().any(|required| asks_for_several(&required.predicate, count))
}

fn asks_for_several(predicate: &Predicate<Expr>, count: &Expr) -> bool {
    match predicate {
        Predicate::All(all) => all.iter().any(|one| asks_for_several(one, count)),
        Predicate::Tested(tested) if tested.value.as_ref() == Some(count) => match &tested.test {
            Test::AtLeast(least) | Test::Between(least, _) | Test::Is(least) => {
                number(least).is_some_and(|least| least > 1)
            }
            Test::MoreThan(less) => number(less).is_some_and(|less| less > 0),
            _ => false,
        },
        _ => false,
    }
}

/// The value, with constant maps and lists turned into expressions.
pub(super) fn open(value: &Expr) -> Cow<'_, Expr> {
    fn opened(value: &Value) -> Expr {
        match value {
            Value::Map(parts) => Expr::Map(parts.iter().map(|(name, part)| (name.clone(), opened(part))).collect()),
            Value::List(parts) => Expr::List(parts.iter().map(opened).collect()),
            value => Expr::Constant(value.clone()),
        }
    }
    match value {
        Expr::Constant(value) => Cow::Owned(opened(value)),
        Expr::Map(parts) => {
            Cow::Owned(Expr::Map(parts.iter().map(|(name, part)| (name.clone(), open(part).into_owned())).collect()))
        }
        Expr::List(parts) => Cow::Owned(Expr::List(parts.iter().map(|part| open(part).into_owned()).collect())),
        value => Cow::Borrowed(value),
    }
}

/// A constant text.
pub(super) fn text_of(value: &Expr) -> Option<&str> {
    value.constant().and_then(Value::as_str)
}

/// A requested address.
pub(super) struct Address {
    /// The address.
    pub(super) text: String,
    /// Its network and subnet, as far as they are given.
    pub(super) place: [Option<Expr>; 2],
    /// The property that requests it.
    pub(super) property: &'static str,
}

/// The addresses that a resource of this type requests. `given` looks up its properties.
pub(super) fn addresses(ty: &str, given: &dyn Fn(&str) -> Option<Expr>) -> Vec<Address> {
    let first = |keys: &[&str]| keys.iter().find_map(|key| given(key));
    let network = || first(&["network", "network_id"]);
    let items = |property: &'static str, own: Option<Expr>| {
        let items = match given(property) {
            Some(Expr::List(items)) => items,
            _ => Vec::new(),
        };
        let address = move |item: &Expr| address_in(property, item, own.as_ref());
        items.iter().filter_map(address).collect::<Vec<_>>()
    };
    let one = |property: &'static str, place: [Option<Expr>; 2]| {
        let text = given(property).as_ref().and_then(text_of)?.to_lowercase();
        (!text.is_empty()).then_some(Address { text, place, property })
    };
    match ty {
        "OS::Nova::Server" => items("networks", None),
        "OS::Neutron::Port" => {
            let mut all = items("fixed_ips", network());
            all.extend(one("mac_address", [network(), None]));
            all
        }
        "OS::Neutron::FloatingIP" => {
            let network = first(&["floating_network", "floating_network_id"]);
            one("floating_ip_address", [network, None]).into_iter().collect()
        }
        "OS::Octavia::LoadBalancer" => one("vip_address", [None, given("vip_subnet")]).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The address that an item of `networks` or `fixed_ips` requests. `own` is the network of the resource as a whole.
fn address_in(property: &'static str, item: &Expr, own: Option<&Expr>) -> Option<Address> {
    let Expr::Map(item) = item else { return None };
    let first = |keys: &[&str]| keys.iter().find_map(|key| item.get(*key));
    let text = text_of(first(&["ip_address", "fixed_ip"])?)?.to_owned();
    let place = [first(&["network", "uuid", "network_id"]).or(own).cloned(), first(&["subnet", "subnet_id"]).cloned()];
    Some(Address { text, place, property })
}
