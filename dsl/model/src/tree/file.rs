//! The file format of trees: one enum with the variants of the leaf and those of the tree side by side.

use std::marker::PhantomData;

use serde::de::value::StringDeserializer;
use serde::de::{DeserializeOwned, DeserializeSeed, EnumAccess, IntoDeserializer as _, VariantAccess, Visitor};
use serde::ser::SerializeStructVariant as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer, forward_to_deserialize_any};

use super::Tree;
use crate::Name;

/// A leaf with a file format. It is an enum, and its variants are written as if they belonged to the tree.
pub trait Alternatives: Serialize + DeserializeOwned {
    /// The name of each variant in a file: first the constant, then the leaf's own variants, then `text`, `list`, `map` and
    /// `function`.
    const NAMES: &'static [&'static str];
}

impl<L: Alternatives> Serialize for Tree<L> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Constant(value) => to.serialize_newtype_variant("Tree", 0, L::NAMES[0], value),
            Self::Leaf(leaf) => leaf.serialize(to),
            Self::Text(parts) => to.serialize_newtype_variant("Tree", 1, "text", parts),
            Self::List(parts) => to.serialize_newtype_variant("Tree", 2, "list", parts),
            Self::Map(parts) => to.serialize_newtype_variant("Tree", 3, "map", parts),
            Self::Function { name, argument } => {
                let mut to = to.serialize_struct_variant("Tree", 4, "function", 2)?;
                to.serialize_field("name", name)?;
                to.serialize_field("argument", argument)?;
                to.end()
            }
        }
    }
}

impl<'de, L: Alternatives> Deserialize<'de> for Tree<L> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_enum("Tree", L::NAMES, TreeVisitor(PhantomData))
    }
}

struct TreeVisitor<L>(PhantomData<L>);

#[derive(Deserialize)]
#[serde(bound = "L: Alternatives")]
struct Call<L> {
    name: Name,
    argument: Tree<L>,
}

impl<'de, L: Alternatives> Visitor<'de> for TreeVisitor<L> {
    type Value = Tree<L>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a value, or where it comes from")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, from: A) -> Result<Tree<L>, A::Error> {
        let (name, content) = from.variant::<String>()?;
        Ok(match &*name {
            "text" => Tree::Text(content.newtype_variant()?),
            "list" => Tree::List(content.newtype_variant()?),
            "map" => Tree::Map(content.newtype_variant()?),
            "function" => {
                let Call { name, argument } = content.newtype_variant()?;
                Tree::Function { name, argument: Box::new(argument) }
            }
            constant if constant == L::NAMES[0] => Tree::Constant(content.newtype_variant()?),
            leaf if L::NAMES.contains(&leaf) => Tree::Leaf(L::deserialize(Alternative { name, content })?),
            other => return Err(serde::de::Error::unknown_variant(other, L::NAMES)),
        })
    }
}

/// A variant whose name has already been read.
struct Alternative<A> {
    name: String,
    content: A,
}

impl<'de, A: VariantAccess<'de>> Deserializer<'de> for Alternative<A> {
    type Error = A::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, A::Error> {
        visitor.visit_enum(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de, A: VariantAccess<'de>> EnumAccess<'de> for Alternative<A> {
    type Error = A::Error;
    type Variant = A;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, A), A::Error> {
        let name: StringDeserializer<A::Error> = self.name.into_deserializer();
        Ok((seed.deserialize(name)?, self.content))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Expr, Step};

    #[test]
    fn a_files_alternatives_are_the_leafs_and_the_trees_own() {
        let all = [
            (Expr::list([1.into(), 2.into()]), r#"{"constant":[1,2]}"#),
            (Expr::parameter("p"), r#"{"parameter":"p"}"#),
            (Expr::resource("r"), r#"{"resource":"r"}"#),
            (Expr::attribute("r", "a", vec![]), r#"{"attribute":{"resource":"r","attribute":"a"}}"#),
            (
                Expr::attribute("r", "a", vec![Step::Index(0)]),
                r#"{"attribute":{"resource":"r","attribute":"a","path":[{"index":0}]}}"#,
            ),
            (Expr::output("s/c", "o"), r#"{"output":{"component":"s/c","output":"o"}}"#),
            (Expr::forward_reference("p"), r#"{"promise":"p"}"#),
            (Expr::import("s", "e"), r#"{"import":{"stack":"s","export":"e"}}"#),
            (Expr::foreign("output"), r#"{"foreign":{"what":"output"}}"#),
            (Expr::text(["a".into(), Expr::forward_reference("p")]), r#"{"text":[{"constant":"a"},{"promise":"p"}]}"#),
            (Expr::list([Expr::parameter("p")]), r#"{"list":[{"parameter":"p"}]}"#),
            (Expr::map([("m".into(), Expr::parameter("p"))]), r#"{"map":{"m":{"parameter":"p"}}}"#),
            (
                Expr::function("not", Expr::parameter("p")),
                r#"{"function":{"name":"not","argument":{"parameter":"p"}}}"#,
            ),
        ];
        for (tree, json) in all {
            assert_eq!(serde_json::to_string(&tree).expect("JSON"), json);
            assert_eq!(serde_json::from_str::<Expr>(json).expect("a tree"), tree);
        }
        let wrong = serde_json::from_str::<Expr>(r#"{"list":[{"value":1}]}"#).expect_err("no alternative").to_string();
        assert!(wrong.starts_with("unknown variant `value`, expected one of `constant`, `parameter`, "), "{wrong}");
    }
}
