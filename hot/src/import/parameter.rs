//! Parameters: a struct with one field for each.

use wattle::model::ParameterType;
use wattle::shown::one_line;
use wattle_catalog_generate::plan::Type;

use wattle_heat::template::{Call, Context, Function, Parameter, Rule, Step, walk};
use wattle_heat::yaml::{Node, Tree};

use super::Note;
use super::attribute::{Keys, Number, bounds, literal};
use super::blueprint::Blueprint;
use super::literal::doc;
use super::module::code;
use super::names::{Names, snake};
use super::remark::Owner;
use super::rust::quoted;
use super::valued::{as_written, entries};

impl<'a> Blueprint<'a> {
    /// Assigns names and types to all parameters.
    pub(super) fn declare_parameters(&mut self) {
        let mut fields = Names::default();
        for (name, parameter) in &self.template.parameters {
            let field = fields.fresh(snake(name));
            let ty = self.parameter_type(name, parameter);
            self.parameters.insert(name, (field, ty));
        }
    }

    /// `#[derive(Parameters)] struct Settings`, if there are any parameters.
    pub(super) fn settings(&mut self) -> String {
        let template = self.template;
        if template.parameters.is_empty() {
            return String::new();
        }
        let fields: String = template.parameters.iter().map(|(name, parameter)| self.field(name, parameter)).collect();
        let remark = self.remarks.take(Owner::Section("parameters"), 0);
        format!(
            "{remark}/// Chosen when the stack is deployed.\n#[derive(Parameters)]\npub struct Settings {{\n{fields}}}\n\n"
        )
    }

    fn parameter_type(&self, name: &str, parameter: &Parameter) -> &'static str {
        let uses = Uses::of(self, name);
        match parameter.kind {
            None | Some(ParameterType::Str) => {
                let is_secret = parameter.hidden && parameter.default.is_none() && uses.is_only("SecretText");
                if is_secret && parameter.constraints.is_empty() {
                    "Secret<String>"
                } else if uses.is_only("Cidr") && is_network(parameter) {
                    "Cidr"
                } else {
                    "String"
                }
            }
            Some(ParameterType::Boolean) => "bool",
            Some(ParameterType::CommaDelimitedList) => "Vec<String>",
            Some(ParameterType::Json) => "hot::Json",
            Some(ParameterType::Number) => {
                let numbers =
                    parameter.default.iter().chain(parameter.constraints.iter().flat_map(|one| bounds(&one.rule)));
                let numbers: Vec<Number> = numbers.filter_map(Number::of).collect();
                if numbers.iter().any(|number| matches!(number, Number::Float(_))) {
                    return "f64";
                }
                let fits = |least: i128, greatest: i128| {
                    numbers.iter().filter_map(Number::whole).all(|number| (least..=greatest).contains(&number))
                };
                match uses.only() {
                    Some("u8") if fits(0, 255) => "u8",
                    Some("u16") if fits(0, 65_535) => "u16",
                    Some("u32") if fits(0, i128::from(u32::MAX)) => "u32",
                    _ if !fits(i64::MIN.into(), i64::MAX.into()) && fits(0, u64::MAX.into()) => "u64",
                    _ => "i64",
                }
            }
        }
    }

    /// Whether it has no default. A default that does not have the parameter's type does not count.
    pub(super) fn is_required(parameter: &Parameter, ty: &str) -> bool {
        parameter.default.as_ref().is_none_or(|default| literal(default, ty).is_none())
    }

    fn field(&mut self, name: &'a str, parameter: &'a Parameter) -> String {
        let (field, ty) = self.parameters[name].clone();
        let mut keys = Keys::default();
        if field != name {
            keys.push("name", quoted(name));
        }
        if let Some(label) = &parameter.label {
            keys.push("label", quoted(label));
        }
        if let Some(default) = &parameter.default {
            match literal(default, ty) {
                Some(literal) => {
                    if is_rounded(default, ty) {
                        self.note_rounded(name, default);
                    }
                    keys.push("default", literal);
                }
                None => self.note_default(name, default, ty),
            }
        }
        for constraint in &parameter.constraints {
            if bounds(&constraint.rule).into_iter().any(|bound| is_rounded(bound, "f64"))
                && matches!(constraint.rule, Rule::Range { .. })
            {
                self.note_rounded(name, &constraint.node);
            }
            keys.constraint(constraint, ty);
        }
        if !keys.constraints.is_empty() {
            self.uses.constraint = true;
            keys.push("constraints", format!("[{}]", keys.constraints.join(", ")));
        }
        if parameter.hidden && ty != "Secret<String>" {
            keys.flag("hidden");
        }
        if parameter.immutable {
            keys.flag("immutable");
        }
        if !parameter.tags.is_empty() {
            let tags: Vec<String> = parameter.tags.iter().map(|tag| quoted(tag)).collect();
            keys.push("tags", format!("[{}]", tags.join(", ")));
        }
        let written = parameter.default.as_ref().filter(|default| ty == "String" && as_written(default).is_some());
        let written = written.and_then(|default| default.written()).map_or_else(String::new, |word| {
            format!(
                "    // The template has the default as the number `{}`, in a base other than ten.\n",
                one_line(word)
            )
        });
        let doc = doc(parameter.description.as_deref().unwrap_or_default(), 4);
        let is_read = reads(&code(&self.body), &field);
        let unread = if is_read { "" } else { UNREAD };
        let remark = self.remarks.take(Owner::Named("parameters", name), 4);
        format!("{remark}{written}{doc}{}{unread}    {field}: Parameter<{ty}>,\n", keys.attribute())
    }

    fn note_rounded(&mut self, name: &str, node: &Node) {
        let text = "Rust stores a number of the parameter as a float, which rounds such large integers";
        self.notes.push(Note::new(self.at(node), format!("`{name}`"), text.into()));
    }

    fn note_default(&mut self, name: &str, node: &Node, ty: &str) {
        let is_wide = matches!(ty, "i64" | "u64") && Number::of(node).is_some_and(|number| number.whole().is_some());
        let text = if is_wide {
            "the default of the parameter needs more than 64 bits and is left out"
        } else {
            "the default of the parameter does not have the parameter's type and is left out"
        };
        self.notes.push(Note::new(self.at(node), format!("`{name}`"), text.into()));
    }
}

/// Whether Heat accepts only networks in CIDR notation for the parameter, and all values in its declaration are such
/// networks.
fn is_network(parameter: &Parameter) -> bool {
    let is_one = |node: &Node| literal(node, "Cidr").is_some();
    let rules = || parameter.constraints.iter().map(|constraint| &constraint.rule);
    rules().any(|rule| matches!(rule, Rule::Custom(name) if name == "net_cidr"))
        && parameter.default.iter().chain(rules().flat_map(bounds)).all(is_one)
}

/// Whether a default or a bound would be rounded in a parameter of the type: a float has 53 bits for an integer, and the
/// integers of a JSON text have 64.
fn is_rounded(node: &Node, ty: &str) -> bool {
    match (ty, &*node.tree) {
        ("f64", _) => Number::of(node).and_then(|number| number.whole()).is_some_and(is_inexact),
        ("hot::Json", Tree::Integer(number)) => i64::try_from(*number).is_err() && u64::try_from(*number).is_err(),
        ("hot::Json", Tree::List(items)) => items.iter().any(|item| is_rounded(item, ty)),
        ("hot::Json", Tree::Map(pairs)) => pairs.iter().any(|pair| is_rounded(&pair.value, ty)),
        _ => false,
    }
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "the comparison finds out whether they lose precision"
)]
fn is_inexact(number: i128) -> bool {
    (number as f64) as i128 != number
}

/// The attribute of a parameter that is never read.
const UNREAD: &str = "    #[expect(dead_code, reason = \"the template declares it and uses it nowhere\")]\n";

/// Whether the text contains `p.FIELD`.
pub(super) fn reads(text: &str, field: &str) -> bool {
    let name = format!("p.{field}");
    text.match_indices(&name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        let is_word = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
        !is_word(before) && !is_word(after)
    })
}

/// The uses of a parameter.
struct Uses {
    /// The types of the setters that receive it unchanged.
    types: Vec<&'static str>,
    /// Whether it also has other uses.
    otherwise: bool,
}

impl Uses {
    fn of(blueprint: &Blueprint<'_>, parameter: &str) -> Self {
        let mut uses = Self { types: Vec::new(), otherwise: false };
        let template = blueprint.template;
        let is_it = |node: &Node| {
            Call::of(node, template.version()).is_some_and(|call| {
                call.function == Function::GetParam && call.argument.tree.as_text() == Some(parameter)
            })
        };
        let mut count = 0;
        for resource in template.resources.values() {
            let known = resource.kind().and_then(|ty| blueprint.catalog.get(ty));
            if let (Some(known), Some(Tree::Map(pairs))) = (known, resource.properties.as_ref().map(|node| &*node.tree))
            {
                for (key, _) in entries(pairs).iter().filter(|(_, value)| is_it(value)) {
                    if let Some(Type::Named(ty)) = known.field(key).map(|field| &field.ty) {
                        uses.types.push(ty);
                    }
                }
            }
        }
        let sections = ["resources", "outputs", "conditions"];
        for section in sections.iter().filter_map(|section| template.root.get(section)) {
            let of = |context| {
                let mut here = 0;
                walk(section, template.version(), context, &mut |_, call, _| {
                    if call.is_some_and(|call| {
                        let name = call.arguments().and_then(|path| path.first()).unwrap_or(call.argument);
                        matches!(call.function, Function::GetParam | Function::Ref)
                            && name.tree.as_text() == Some(parameter)
                    }) {
                        here += 1;
                    }
                    Step::Into
                });
                here
            };
            count += of(Context::Value).max(of(Context::Condition));
        }
        uses.otherwise = count > uses.types.len();
        uses
    }

    /// The common type of all setters, if there is one.
    fn only(&self) -> Option<&'static str> {
        let first = self.types.first()?;
        self.types.iter().all(|ty| ty == first).then_some(first)
    }

    fn is_only(&self, ty: &str) -> bool {
        !self.otherwise && self.only() == Some(ty)
    }
}

#[cfg(test)]
mod tests {
    use crate::import::{Dependency, Options, import};

    #[test]
    fn what_only_a_network_may_be_is_one() {
        let text = include_str!("../../../tests/heat/selftest/good/network_parameters.yaml");
        let options = Options::new("networks", Dependency::Path("unused".into()));
        let files = import(&wattle_heat::Loaded::of(text, "networks.yaml"), &options).expect("imports").files;
        let library = &files.iter().find(|(path, _)| *path == "src/lib.rs").expect("a library").1;
        for expected in [
            "#[parameter(default = \"10.0.0.0/24\", constraint = \"net_cidr\")]\n    inside: Parameter<Cidr>",
            "vec![\"10.1.0.0/16\".into(), \"10.2.0.0/16\".into()]",
            "outside: Parameter<Cidr>",
            // It is also shown.
            "shown: Parameter<String>",
        ] {
            assert!(library.contains(expected), "{expected} is not in:\n{library}");
        }
    }
}
