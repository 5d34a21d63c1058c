//! Requests to the server, as sent by a client.

mod completion;
mod diagnostics;
mod hover;
mod names;
mod protocol;

/// A template with all kinds of names.
pub(crate) const SHOP: &str = "\
heat_template_version: 2021-04-16
parameters:
  image: {type: string, default: debian-12, description: What servers boot.}
  size:
    type: number
parameter_groups:
- label: all
  parameters: [image, size]
conditions:
  run_time: false
  large: {equals: [{get_param: size}, 3]}
resources:
  net:
    type: OS::Neutron::Net
    condition: large
  db:
    type: OS::Nova::Server
    depends_on: [net]
    properties:
      image: {get_param: image}
      flavor: m1.small
      networks: [{network: {get_resource: net}}]
    metadata:
      wattle:
        components:
          - name: database
            recipe: {script: 'wattle set url x'}
            doc: Keeps the goods.
            outputs: {url: url}
  web:
    type: OS::Nova::Server
    properties:
      image: {get_param: image}
      flavor: m1.small
      networks: [{network: {get_resource: net}}]
    metadata:
      wattle:
        components:
          site:
            recipe: {script: 'wattle get database'}
            types: {database: url}
            after: [db/database]
            inputs:
              database: {if: [run_time, {get_attr: [db, database, url]}, null]}
outputs:
  page:
    value: {get_attr: [web, name]}
";
