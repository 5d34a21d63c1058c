//! The relevant nodes of a Ruby file.
//!
//! A path such as `node['a']['b']` is a single read or write: the nodes that it consists of are not visited separately,
//! which would count as a read of all of `node['a']`.

use lib_ruby_parser::Node;
use lib_ruby_parser::nodes::{
    And, AndAsgn, Block, CSend, Casgn, If, IfMod, IfTernary, Index, IndexAsgn, Ivar, Ivasgn, Lvar, Lvasgn, OpAsgn, Or,
    OrAsgn, Send,
};
use lib_ruby_parser::traverse::visitor::{
    Visitor, visit_block, visit_c_send, visit_casgn, visit_ivasgn, visit_lvasgn, visit_or, visit_send,
};

use super::place::KEYED;
use super::resource::Resource;
use super::shell::Shell;
use super::visit::Walk;
use crate::analysis::Include;

impl Visitor for Walk<'_> {
    fn on_index(&mut self, node: &Index) {
        let places = self.scope.below(self.scope.places(&node.recv), &node.indexes);
        if places.is_empty() {
            self.visit(&node.recv);
        } else {
            let line = self.line(&node.expression_l);
            self.read(&places, line);
            self.need(&places, line);
            self.visit_keys(&node.recv);
        }
        self.visit_all(&node.indexes);
    }

    fn on_or(&mut self, node: &Or) {
        let places = self.scope.places(&node.lhs);
        self.spare(&places);
        visit_or(self, node);
    }

    fn on_and(&mut self, node: &And) {
        self.asking(|walk| walk.visit(&node.lhs));
        self.visit(&node.rhs);
    }

    fn on_if(&mut self, node: &If) {
        self.asking(|walk| walk.visit(&node.cond));
        node.if_true.iter().chain(&node.if_false).for_each(|branch| self.visit(branch));
    }

    fn on_if_mod(&mut self, node: &IfMod) {
        self.asking(|walk| walk.visit(&node.cond));
        node.if_true.iter().chain(&node.if_false).for_each(|branch| self.visit(branch));
    }

    fn on_if_ternary(&mut self, node: &IfTernary) {
        self.asking(|walk| walk.visit(&node.cond));
        self.visit(&node.if_true);
        self.visit(&node.if_false);
    }

    fn on_index_asgn(&mut self, node: &IndexAsgn) {
        let places = self.scope.below(self.scope.places(&node.recv), &node.indexes);
        let line = self.line(&node.expression_l);
        match (&node.value, places.is_empty()) {
            (_, true) => self.visit(&node.recv),
            (Some(value), false) => self.write_value(&places, value, line),
            // One target of a parallel assignment.
            (None, false) => places.iter().for_each(|place| self.write(place, line)),
        }
        if !places.is_empty() {
            self.visit_keys(&node.recv);
        }
        self.visit_all(&node.indexes);
        if let Some(value) = &node.value {
            self.visit(value);
        }
    }

    fn on_or_asgn(&mut self, node: &OrAsgn) {
        if !self.assign(&node.recv, &node.value, &node.expression_l) {
            self.visit(&node.recv);
            self.visit(&node.value);
        }
    }

    fn on_and_asgn(&mut self, node: &AndAsgn) {
        if !self.assign(&node.recv, &node.value, &node.expression_l) {
            self.visit(&node.recv);
            self.visit(&node.value);
        }
    }

    fn on_op_asgn(&mut self, node: &OpAsgn) {
        if !self.assign(&node.recv, &node.value, &node.expression_l) {
            self.visit(&node.recv);
            self.visit(&node.value);
        }
    }

    fn on_send(&mut self, node: &Send) {
        let line = self.line(&node.expression_l);
        self.arguments(&node.args);
        let places = self.scope.of_send(node, 0);
        if places.iter().any(|place| !place.is_empty())
            || (!places.is_empty() && KEYED.contains(&node.method_name.as_str()))
        {
            self.read(&places, line);
            if let Some(recv) = &node.recv {
                self.visit_keys(recv);
            }
            self.visit_all(&node.args);
        } else if node.recv.is_none() {
            self.function(&node.method_name, &node.args, line);
            self.visit_all(&node.args);
        } else if let Some(recv) = &node.recv
            && matches!(node.method_name.as_str(), "nil?" | "empty?")
        {
            self.asking(|walk| walk.visit(recv));
        } else if let Some(recv) = &node.recv
            && !self.call(recv, &node.method_name, &node.args, line)
        {
            visit_send(self, node);
        }
    }

    fn on_c_send(&mut self, node: &CSend) {
        let line = self.line(&node.expression_l);
        self.arguments(&node.args);
        let places = self.scope.of_call(&node.recv, &node.method_name, &node.args, 0);
        if places.iter().any(|place| !place.is_empty()) {
            self.read(&places, line);
            self.visit_keys(&node.recv);
            self.visit_all(&node.args);
        } else if !self.call(&node.recv, &node.method_name, &node.args, line) {
            self.asking(|walk| visit_c_send(walk, node));
        }
    }

    fn on_lvar(&mut self, node: &Lvar) {
        let line = self.line(&node.expression_l);
        if let Some(places) = self.scope.places.get(&node.name).cloned() {
            self.read(&places, line);
        }
    }

    fn on_ivar(&mut self, node: &Ivar) {
        let line = self.line(&node.expression_l);
        match self.scope.places.get(&node.name).cloned() {
            Some(places) => self.read(&places, line),
            // A variable passed to a template under this name.
            None => self.outline.analysis.read(node.name.trim_start_matches('@'), line),
        }
    }

    fn on_lvasgn(&mut self, node: &Lvasgn) {
        if !self.variable(&node.name, node.value.as_deref()) {
            visit_lvasgn(self, node);
        }
    }

    fn on_ivasgn(&mut self, node: &Ivasgn) {
        if !self.variable(&node.name, node.value.as_deref()) {
            visit_ivasgn(self, node);
        }
    }

    fn on_casgn(&mut self, node: &Casgn) {
        if !self.variable(&node.name, node.value.as_deref()) {
            visit_casgn(self, node);
        }
    }

    fn on_block(&mut self, node: &Block) {
        self.block_argument(node);
        let outer = self.template.take();
        if let Node::Send(Send { recv: None, method_name, args, .. }) = &*node.call
            && method_name == "template"
        {
            self.template = Some(match args.first() {
                Some(Node::Str(text)) => crate::names::file_name(&text.value.to_string_lossy()).to_owned(),
                _ => String::new(),
            });
        }
        let inner = match &*node.call {
            Node::Send(Send { recv: None, method_name, args, .. }) => Resource::of(method_name, args),
            _ => None,
        };
        let shell = match &*node.call {
            Node::Send(Send { recv: None, method_name, args, .. }) => Shell::of(method_name, args, self.lines),
            _ => None,
        };
        let is_shell = shell.is_some();
        self.is_declared = is_shell;
        let before = if is_shell { std::mem::replace(&mut self.shell, shell) } else { None };
        // A guard, for example, is a block within the resource's block.
        let is_resource = inner.is_some();
        let around = if is_resource { std::mem::replace(&mut self.resource, inner) } else { None };
        let guards = matches!(&*node.call, Node::Send(Send { recv: None, method_name, .. })
            if matches!(method_name.as_str(), "only_if" | "not_if"));
        if guards {
            self.asking(|walk| visit_block(walk, node));
        } else {
            visit_block(self, node);
        }
        if is_shell && let Some(shell) = std::mem::replace(&mut self.shell, before) {
            shell.note(&mut self.outline);
        }
        if is_resource && let Some(resource) = std::mem::replace(&mut self.resource, around) {
            let line = self.line(&node.expression_l);
            self.outline.uses.extend(resource.file(line));
        }
        if let Some(name) = std::mem::replace(&mut self.template, outer) {
            // Chef's default for a template without a `source`.
            self.outline.includes.push(Include::Template(format!("{name}.erb")));
        }
    }
}
