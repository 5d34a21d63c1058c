//! How a recipe writes an output.

use crate::Tool;
use crate::shell::is_other_program;

/// How the text of `recipe`, which `tool` runs, would write the output of this name, as an instruction.
pub fn writing(tool: Tool, output: &str, recipe: &str) -> String {
    match tool {
        Tool::Shell if is_other_program(recipe) => {
            format!("write it to the path in the environment variable `heat_outputs_path`, with `.{output}` behind")
        }
        Tool::Shell => format!("write it as `echo \"$value\" > \"$heat_outputs_path.{output}\"`"),
        Tool::Ansible => format!("write it as `set_stats: {{ data: {{ {output}: \"{{{{ value }}}}\" }} }}`"),
        Tool::Puppet => {
            format!("write it as `file {{ \"${{facts['heat_outputs_path']}}.{output}\": content => $value }}`")
        }
        Tool::Chef => format!("write it as `node.default['{}'] = value`", output.replace('/', "']['")),
        Tool::Salt => format!(
            "write it as the state `\"{{{{ pillar['heat_outputs_path'] }}}}.{output}\": \
                 {{ file.managed: [{{ contents: \"{{{{ value }}}}\" }}] }}`"
        ),
    }
}
