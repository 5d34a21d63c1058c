//! Calls of Heat's functions, translated to Rust.

use wattle_heat::template::{Call, Context, Function};
use wattle_heat::yaml::{Node, Tree};

use super::blueprint::Blueprint;
use super::catalog::Ty;
use super::rust::{Expr, quoted};
use super::valued::{Valued, entries, list};

/// Up to this width, text that contains values is written with `text!`.
const TEXT: usize = 72;

impl Blueprint<'_> {
    /// A call as a Rust expression.
    pub(super) fn call(&mut self, call: &Call<'_>, context: Context, hint: &str) -> Valued {
        let known = match call.function {
            Function::GetParam => self.get_param(call, context, hint),
            Function::GetResource => call.argument.tree.as_text().map(|name| self.get_resource(name)),
            Function::GetAttr => self.get_attr(call, hint),
            Function::GetFile => call.argument.tree.as_text().and_then(|path| self.get_file(path)),
            Function::If => self.if_(call, hint),
            Function::StrReplace | Function::StrReplaceStrict | Function::StrReplaceVstrict => self.replace(call, hint),
            Function::ListJoin => self.list_join(call, hint),
            Function::Repeat => self.by_names(call, ["for_each", "template"], hint),
            Function::Yaql => self.by_names(call, ["expression", "data"], hint),
            Function::StrSplit
            | Function::Digest
            | Function::Filter
            | Function::MapReplace
            | Function::Contains
            | Function::Equals => self.two(call, context, hint),
            Function::MapMerge | Function::ListConcat | Function::ListConcatUnique | Function::MakeUrl => {
                let argument = self.value(call.argument, context, hint);
                Some(Valued::hot(call.function.name(), [argument.expr]))
            }
            Function::Not => {
                let condition = self.condition(call.argument, hint);
                Some(Valued::hot("not", [condition.expr]))
            }
            Function::And | Function::Or => call.arguments().map(|conditions| {
                let conditions = conditions.iter().map(|condition| self.condition(condition, hint)).collect();
                Valued::hot(call.function.name(), [list(conditions).expr])
            }),
            Function::Ref
            | Function::ResourceFacade
            | Function::FnGetAzs
            | Function::FnSelect
            | Function::FnJoin
            | Function::FnSplit
            | Function::FnReplace
            | Function::FnBase64
            | Function::FnMemberListToMap
            | Function::FnResourceFacade => None,
        };
        known.unwrap_or_else(|| {
            let argument = self.value(call.argument, context, hint);
            Valued::hot("function", [Expr::text(call.function.name()), argument.expr])
        })
    }

    fn get_param(&mut self, call: &Call<'_>, context: Context, hint: &str) -> Option<Valued> {
        let (name, path) = match (&*call.argument.tree, call.arguments()) {
            (Tree::Text { text, .. }, _) => (text.as_str(), &[][..]),
            (_, Some([name, path @ ..])) => (name.tree.as_text()?, path),
            _ => return None,
        };
        match (name, path) {
            ("OS::stack_name", []) => return Some(Valued::hot("stack_name", [])),
            ("OS::stack_id", []) => return Some(Valued::hot("stack_id", [])),
            ("OS::project_id", []) => return Some(Valued::hot("project_id", [])),
            _ => {}
        }
        let (field, ty) = self.parameters.get(name)?.clone();
        let parameter = Expr::atom(format!("p.{field}"));
        if path.is_empty() {
            return Some(Valued::new(parameter, Ty::Parameter(ty)));
        }
        let path = path.iter().map(|step| self.value(step, context, hint)).collect();
        Some(Valued::hot("get_param", [parameter, list(path).expr]))
    }

    pub(super) fn get_resource(&mut self, name: &str) -> Valued {
        match self.handle(name) {
            Some((variable, ty)) => Valued::new(Expr::atom(variable), ty),
            // Either added later, or missing.
            None => Valued::hot("function", [Expr::text("get_resource"), Expr::text(name)]),
        }
    }

    fn get_attr(&mut self, call: &Call<'_>, hint: &str) -> Option<Valued> {
        if let [resource] = call.arguments()? {
            let (variable, _) = self.handle(resource.tree.as_text()?)?;
            return Some(Valued::hot("attributes", [Expr::atom(variable)]));
        }
        let [resource, attribute, path @ ..] = call.arguments()? else { return None };
        let name = resource.tree.as_text()?;
        let known = self.known(name);
        let (variable, ty) = self.handle(name)?;
        let handle = Expr::atom(variable);
        if let (Some(text), []) = (attribute.tree.as_text(), path) {
            if let Some((method, ty)) = known.and_then(|known| known.attribute(text)) {
                return Some(Valued::new(handle.method(method, []), Ty::Attribute(ty)));
            }
            if let Some((output, ty)) = self.output_of(name, text) {
                return Some(Valued::new(output, ty));
            }
        } else if let Some(found) = self.known_path(&ty, &handle, attribute, path) {
            return Some(found);
        }
        let path = std::iter::once(attribute).chain(path).map(|step| self.value(step, Context::Value, hint)).collect();
        Some(Valued::hot("get_attr", [handle, list(path).expr]))
    }

    /// Paths into attributes that have methods of their own: a port's first address, and a server's address on a network.
    fn known_path(&mut self, ty: &Ty, handle: &Expr, attribute: &Node, path: &[Node]) -> Option<Valued> {
        let Ty::Handle(ty, _) = ty else { return None };
        let first = |node: &Node| matches!(*node.tree, Tree::Integer(0));
        match (&**ty, attribute.tree.as_text()?, path) {
            ("neutron::Port", "fixed_ips", [index, key])
                if first(index) && key.tree.as_text() == Some("ip_address") =>
            {
                Some(Valued::new(handle.clone().method("address", []), Ty::Attribute("IpAddr")))
            }
            ("nova::Server", "networks", [network, index]) if first(index) => {
                let call = Call::of(network, self.template.version())?;
                let name = call.argument.tree.as_text().filter(|_| call.function == Function::GetResource)?;
                let (network, Ty::Handle(kind, _)) = self.handle(name)? else { return None };
                (kind == "neutron::Net").then(|| {
                    let address = handle.clone().method("address", [Expr::atom(network)]);
                    Valued::new(address, Ty::Attribute("IpAddr"))
                })
            }
            _ => None,
        }
    }

    fn if_(&mut self, call: &Call<'_>, hint: &str) -> Option<Valued> {
        let arguments = call.arguments()?;
        let [condition, then, rest @ ..] = arguments else { return None };
        let condition = self.condition(condition, hint);
        let then = self.value(then, Context::Value, hint);
        match rest {
            [otherwise] => {
                let otherwise = self.value(otherwise, Context::Value, hint);
                Some(Valued::hot("if_", [condition.expr, then.expr, otherwise.expr]))
            }
            [] => Some(Valued::hot("function", [Expr::text("if"), list(vec![condition, then]).expr])),
            _ => None,
        }
    }

    fn two(&mut self, call: &Call<'_>, context: Context, hint: &str) -> Option<Valued> {
        let [one, other] = call.arguments()? else { return None };
        let one = self.value(one, context, hint);
        let other = self.value(other, context, hint);
        Some(Valued::hot(call.function.name(), [one.expr, other.expr]))
    }

    /// A function of two named arguments.
    fn by_names(&mut self, call: &Call<'_>, names: [&str; 2], hint: &str) -> Option<Valued> {
        let Tree::Map(pairs) = &*call.argument.tree else { return None };
        let arguments = entries(pairs);
        let [one, other] = names.map(|name| arguments.iter().find(|(key, _)| key == name).map(|(_, value)| *value));
        let (one, other) = (one?, other?);
        if arguments.len() != 2 {
            return None;
        }
        let one = self.value(one, Context::Value, hint);
        let other = self.value(other, Context::Value, hint);
        Some(Valued::hot(call.function.name(), [one.expr, other.expr]))
    }

    fn replace(&mut self, call: &Call<'_>, hint: &str) -> Option<Valued> {
        if call.function == Function::StrReplace
            && let Some(text) = self.replaced_text(call, hint)
        {
            return Some(text);
        }
        self.by_names(call, ["template", "params"], hint)
    }

    /// Text that contains values, if that is easier to read than replacing keys.
    fn replaced_text(&mut self, call: &Call<'_>, hint: &str) -> Option<Valued> {
        let Tree::Map(pairs) = &*call.argument.tree else { return None };
        let arguments = entries(pairs);
        let argument = |name: &str| arguments.iter().find(|(key, _)| key == name).map(|(_, value)| *value);
        let template = argument("template")?.tree.as_text()?;
        let params = argument("params")?;
        let Tree::Map(params_of) = &*params.tree else { return None };
        if arguments.len() != 2 || Call::of(params, self.template.version()).is_some() || !is_short(template) {
            return None;
        }
        let params = entries(params_of);
        let mut keys: Vec<&str> = params.iter().map(|(key, _)| key.as_str()).collect();
        keys.sort_by(|one, other| other.chars().count().cmp(&one.chars().count()).then(one.cmp(other)));
        let mut pieces = vec![Ok(template)];
        for key in keys {
            if key.is_empty() || !pieces.iter().any(|piece| piece.is_ok_and(|text: &str| text.contains(key))) {
                return None;
            }
            pieces = pieces
                .into_iter()
                .flat_map(|piece| match piece {
                    Ok(text) => {
                        let mut cut: Vec<Result<&str, &str>> =
                            text.split(key).flat_map(|text| [Ok(text), Err(key)]).collect();
                        cut.pop();
                        cut
                    }
                    replaced => vec![replaced],
                })
                .collect();
        }
        let pieces = pieces.into_iter().map(|piece| match piece {
            Ok(text) => Some(Err(text.to_owned())),
            Err(key) => params.iter().find(|(known, _)| known == key).map(|(_, value)| Ok(*value)),
        });
        self.text(pieces.collect::<Option<Vec<_>>>()?, hint)
    }

    fn list_join(&mut self, call: &Call<'_>, hint: &str) -> Option<Valued> {
        let [delimiter, texts] = call.arguments()? else { return None };
        if let Some(text) = self.joined_text(delimiter, texts, hint) {
            return Some(text);
        }
        let delimiter = self.value(delimiter, Context::Value, hint);
        let texts = self.value(texts, Context::Value, hint);
        Some(Valued::hot("list_join", [delimiter.expr, texts.expr]))
    }

    fn joined_text(&mut self, delimiter: &Node, texts: &Node, hint: &str) -> Option<Valued> {
        let delimiter = delimiter.tree.as_text()?;
        let Tree::List(items) = &*texts.tree else { return None };
        let mut pieces = Vec::new();
        for (n, item) in items.iter().enumerate() {
            if n > 0 {
                pieces.push(Err(delimiter.to_owned()));
            }
            pieces.push(match item.tree.as_text() {
                Some(text) => Err(text.to_owned()),
                None => Ok(item),
            });
        }
        // Heat joins only texts. A number here is a mistake, and must remain one.
        let is_text =
            |valued: &Valued| matches!(valued.ty, Ty::Parameter("String") | Ty::Attribute("String" | "IpAddr"));
        for node in pieces.iter().filter_map(|piece| piece.as_ref().ok()) {
            let call = Call::of(node, self.template.version())?;
            if !matches!(call.function, Function::GetParam | Function::GetAttr)
                || !is_text(&self.call(&call, Context::Value, hint))
            {
                return None;
            }
        }
        self.text(pieces, hint)
    }

    /// `text!` of constant pieces and values, if it is short and not entirely constant.
    fn text(&mut self, pieces: Vec<Result<&Node, String>>, hint: &str) -> Option<Valued> {
        let mut format = String::new();
        let mut arguments = Vec::new();
        for piece in pieces {
            match piece {
                Err(text) => format += &text.replace('{', "{{").replace('}', "}}"),
                Ok(node) => match &*node.tree {
                    Tree::Text { text, .. } => format += &text.replace('{', "{{").replace('}', "}}"),
                    Tree::Integer(number) => format += &number.to_string(),
                    _ => {
                        let call = Call::of(node, self.template.version())?;
                        let value = self.call(&call, Context::Value, hint);
                        format += "{}";
                        arguments.push(Self::text_part(value)?);
                    }
                },
            }
        }
        let is_short = is_short(&format) && arguments.len() <= 4;
        (is_short && !arguments.is_empty()).then(|| {
            let format = Expr::atom(quoted(&format));
            Valued::new(Expr::call("text!", std::iter::once(format).chain(arguments)), Ty::Written)
        })
    }

    /// A value that `text!` accepts and that is as short as a name.
    fn text_part(value: Valued) -> Option<Expr> {
        let scalar = match value.ty {
            Ty::Parameter(ty) | Ty::Attribute(ty) => {
                matches!(ty, "String" | "bool" | "i64" | "u32" | "u16" | "u8" | "f64" | "IpAddr")
            }
            _ => false,
        };
        match value.expr {
            Expr::Atom(_) | Expr::Chain(..) if scalar => Some(value.expr),
            Expr::Atom(_) | Expr::Chain(..) => Some(value.wrapped().expr),
            Expr::Call(ref name, ref arguments) if arguments.is_empty() && name.starts_with("hot::") => {
                Some(value.expr)
            }
            _ => None,
        }
    }
}

fn is_short(text: &str) -> bool {
    text.chars().count() <= TEXT && !text.contains(|letter: char| letter.is_control())
}
