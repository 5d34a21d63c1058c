//! Made-up values: of the declared type, the same on every run, and different for different things.

use std::panic::Location;
use std::rc::Rc;

use crate::lower::seed::SeedDeclaration;
use crate::model::{Name, Scalar, Type, Value};

use super::component_type::Values;
use super::fake::{Call, Fake};

/// A value of type `ty` for the thing named `of`.
pub(super) fn value(ty: &Type, of: &str) -> Value {
    match ty {
        Type::Scalar(scalar) => scalar_value(*scalar, of),
        Type::List(item) => Value::List((0..2).map(|place| value(item, &format!("{of}.{place}"))).collect()),
        Type::Map(item) => {
            let one = |key: &str| (Name::from(key), value(item, &format!("{of}.{key}")));
            Value::Map([one("one"), one("two")].into_iter().collect())
        }
        Type::Struct(fields) => {
            let one = |(key, ty): (&Name, &Type)| (key.clone(), value(ty, &format!("{of}.{key}")));
            Value::Map(fields.iter().map(one).collect())
        }
        Type::Hidden(inner) => value(inner, of),
        Type::Any => format!("made-up {of}").into(),
    }
}

fn scalar_value(scalar: Scalar, of: &str) -> Value {
    let number = digest(of);
    match scalar {
        Scalar::Boolean => true.into(),
        Scalar::Integer { min, max } => {
            // Well within the usual range: no privileged port, and no huge number.
            let number = 1_024 + i128::from(number % 60_000);
            let (min, max) = (i128::from(min), i128::from(max));
            Value::Integer(if (min..=max).contains(&number) { number } else { min + number % (max - min + 1) })
        }
        Scalar::Float => Value::Float(f64::from(u32::try_from(number % 1_000).unwrap_or(0)) / 8.0),
        Scalar::Seconds => (1 + number % 60).into(),
        text => text.made_up(of, number).unwrap_or_default().into(),
    }
}

/// A value that Heat might give for an attribute of a resource. `key` is `networks.backbone.0`,
/// `fixed_ips.0.ip_address`, `id`.
pub(super) fn attribute(resource: &str, key: &str, wanted: Option<&Type>) -> Value {
    let whole = format!("{resource}.{key}");
    match wanted.map(Type::revealed) {
        None | Some(Type::Scalar(Scalar::Str) | Type::Any) => {}
        Some(ty) => return value(ty, &whole),
    }
    let is_address = |name: &str| name.contains("address") || name == "addr" || name.ends_with("_ip");
    let last = key.split('.').rev().find(|part| part.parse::<u32>().is_err());
    if key.starts_with("networks.") || last.is_some_and(is_address) {
        scalar_value(Scalar::Ip, &whole)
    } else if key == "id" {
        let number = digest(&whole);
        format!("{:08x}-0000-4000-8000-{:012x}", number >> 32, number & 0xffff_ffff).into()
    } else {
        format!("made-up {whole}").into()
    }
}

/// FNV-1a.
fn digest(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// A fake that writes made-up values.
#[track_caller]
pub(super) fn fake(declaration: &SeedDeclaration) -> Fake {
    let outputs: Vec<_> = declaration.outputs.iter().map(|(name, output)| (name.clone(), output.ty.clone())).collect();
    let run = move |call: Call<'_>| {
        let one = |(name, ty): &(Name, Type)| (name.clone(), value(ty, &format!("{}/{name}", call.component)));
        Ok(Values(outputs.iter().map(one).collect()))
    };
    Fake { run: Rc::new(run), takes: None, at: Location::caller() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_up_values_are_of_their_type_and_differ() {
        let integer = |min, max| Type::integer(min, max);
        let structure = Type::Struct([("a".into(), Type::URI), ("b".into(), integer(0, 255))].into_iter().collect());
        for ty in [
            Type::BOOLEAN,
            integer(0, 255),
            integer(i64::MIN, u64::MAX),
            integer(-5, 5),
            Type::FLOAT,
            Type::STR,
            Type::IP,
            Type::IPV4,
            Type::IPV6,
            Type::URI,
            Type::SECONDS,
            Type::Any,
            Type::List(Box::new(Type::IP)),
            Type::Map(Box::new(structure)),
            Type::Hidden(Box::new(Type::IPV6)),
        ] {
            for of in ["db/db2/port", "", "a b", "ü/{}"] {
                assert_eq!(ty.refuse(&value(&ty, of)), None, "{ty} of {of}");
            }
        }
        assert_ne!(value(&Type::IP, "a"), value(&Type::IP, "b"));
        assert_eq!(value(&Type::STR, "a"), value(&Type::STR, "a"));
    }
}
