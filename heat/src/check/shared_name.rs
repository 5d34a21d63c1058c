//! W1107: a parameter and a resource with the same name.

use super::Sink;
use super::registry::check;

check! {
    /// Heat refuses a resource that has the same name as a parameter.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// parameters:
    ///   network: {type: string, default: public}
    /// resources:
    ///   network:
    ///     type: OS::Neutron::Net
    /// ```
    ///
    /// Rename one of them:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// parameters:
    ///   public_network: {type: string, default: public}
    /// resources:
    ///   network:
    ///     type: OS::Neutron::Net
    /// ```
    SHARED_NAME: "W1107", Error, "a parameter and a resource have the same name", Each(run)
}

fn run(sink: &mut Sink<'_>) {
    for (name, resource) in &sink.template().resources {
        if let Some(parameter) = sink.template().parameters.get(name)
            && sink.is_there(resource)
        {
            let diagnostic = SHARED_NAME
                .diagnostic(format!("a parameter and a resource are both named `{name}`"))
                .label(&sink.at(resource.name_span), "the resource")
                .label(&sink.at(parameter.name_span), "the parameter")
                .help("rename one of them");
            sink.push(diagnostic);
        }
    }
}
