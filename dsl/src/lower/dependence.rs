//! Which resources of a template require which others.

use super::hot::Template;

/// For each resource of a template, by its place, the places of the resources that it requires.
pub(super) fn requires(template: &Template) -> Vec<Vec<usize>> {
    let required = template.resources.values().map(|resource| {
        let mut required = Vec::new();
        resource.requires(&mut |name| required.extend(template.resources.get_index_of(name)));
        required
    });
    required.collect()
}

/// An order in which every resource comes before those that it requires.
pub(super) fn dependents_first(requires: &[Vec<usize>]) -> Vec<usize> {
    let mut dependents = vec![0_usize; requires.len()];
    requires.iter().flatten().for_each(|&required| dependents[required] += 1);
    let mut order: Vec<usize> = (0..requires.len()).filter(|&index| dependents[index] == 0).collect();
    let mut next = 0;
    while let Some(&index) = order.get(next) {
        next += 1;
        for &required in &requires[index] {
            dependents[required] -= 1;
            if dependents[required] == 0 {
                order.push(required);
            }
        }
    }
    order
}

/// Panics if a server requires another, through any resources.
pub(super) fn assert_independent_servers(template: &Template, requires: &[Vec<usize>]) {
    let mut needs_a_server = vec![false; requires.len()];
    for index in dependents_first(requires).into_iter().rev() {
        let (name, resource) = template.resources.get_index(index).expect("INVARIANT: a place in the template");
        let behind = requires[index].iter().any(|&required| needs_a_server[required]);
        assert!(
            !(behind && resource.is_server()),
            "INVARIANT: the server `{name}` requires another, which W0303 refuses"
        );
        needs_a_server[index] = behind || resource.is_server();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::hot::{Hot, HotResource};

    fn template(edges: &[(&str, &str)]) -> Template {
        let mut template = Template::new("");
        for name in ["server-a", "port", "server-b"] {
            let ty = if name == "port" { "OS::Neutron::Port" } else { "OS::Nova::Server" };
            let mut resource = HotResource::new(ty.into());
            for (_, required) in edges.iter().filter(|(from, _)| *from == name) {
                resource.set("x".into(), Hot::GetResource((*required).into()));
            }
            template.resources.insert(name.into(), resource);
        }
        template
    }

    #[test]
    fn servers_may_share_what_requires_none_of_them() {
        let template = template(&[("server-a", "port"), ("server-b", "port")]);
        assert_independent_servers(&template, &requires(&template));
    }

    #[test]
    #[should_panic(expected = "the server `server-a` requires another")]
    fn a_way_by_another_resource_is_found() {
        let template = template(&[("server-a", "port"), ("port", "server-b")]);
        assert_independent_servers(&template, &requires(&template));
    }
}
