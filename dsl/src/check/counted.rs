//! What there are several of, and what each of them is given.

use std::borrow::Cow;

use crate::model::{Expr, Model, Name, Source, Value};

/// The members of a group that has a known number of them, above one.
pub(super) struct Members<'m> {
    /// The group.
    pub(super) name: &'m Name,
    pub(super) count: i128,
    /// The type of each.
    pub(super) ty: String,
    /// What stands for the number of each.
    pub(super) index: Cow<'m, str>,
    /// Where the members are described.
    pub(super) at: &'m Source,
    definition: Cow<'m, Expr>,
}

impl Members<'_> {
    /// What each has as the property `name`.
    pub(super) fn property(&self, name: &str) -> Option<&Expr> {
        let Expr::Map(definition) = &*self.definition else { return None };
        let Expr::Map(properties) = definition.get("properties")? else { return None };
        properties.get(name)
    }
}

/// The members of every group of the model.
pub(super) fn members(model: &Model) -> impl Iterator<Item = Members<'_>> {
    let groups = model.resources.iter().filter(|(_, resource)| &*resource.ty == "OS::Heat::ResourceGroup");
    groups.filter_map(|(name, group)| {
        let property = |name: &str| group.properties.get(name);
        let Some(Value::Integer(count)) = property("count")?.value.constant() else { return None };
        let described = property("resource_def")?;
        let definition = open(&described.value);
        let Expr::Map(parts) = &*definition else { return None };
        let ty = text_of(parts.get("type")?)?.to_owned();
        let index = property("index_var").map_or(Some("%index%"), |index| text_of(&index.value))?.into();
        (*count > 1).then_some(Members { name, count: *count, ty, index, at: &described.at, definition })
    })
}

/// A value whose constant maps and lists are expressions too.
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

/// The address that an item of `networks` or `fixed_ips` asks for, and on which network and subnet; nothing if neither is
/// said. `own` is the network of the whole.
pub(super) fn address_in(item: &Expr, own: Option<&Expr>) -> Option<(String, [Option<Expr>; 2])> {
    let Expr::Map(item) = item else { return None };
    let first = |keys: &[&str]| keys.iter().find_map(|key| item.get(*key));
    let address = text_of(first(&["ip_address", "fixed_ip"])?)?.to_owned();
    let place = [first(&["network", "uuid", "network_id"]).or(own).cloned(), first(&["subnet", "subnet_id"]).cloned()];
    place.iter().any(Option::is_some).then_some((address, place))
}
