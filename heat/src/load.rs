//! A template with everything needed to judge and evaluate it: the files that it refers to, its nested templates, and the
//! values of its parameters.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use crate::environment::{Environment, Implementation, Registry, is_template};
use crate::files::{Files, Missing, NoFiles, join};
use crate::parameters::{Inputs, Parameters};
use crate::template::{Map, Template};
use crate::value::Value;
use crate::yaml::{self, Node, Span, Tree, counting};

/// A template with everything needed to judge and evaluate it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The template. Empty if its text is not YAML.
    pub template: Arc<Template>,
    /// Why its text could not be read.
    pub unreadable: Option<yaml::Error>,
    /// The values of its parameters.
    pub parameters: Parameters,
    /// The mappings of resource types.
    pub registry: Arc<Registry>,
    /// The environment.
    pub environment: Arc<Environment>,
    /// Every file and template that it, its environment or a nested template refers to.
    pub library: Arc<Library>,
    nested: bool,
}

/// The files that a template, its nested templates and the environment refer to, by path.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// Their content.
    pub contents: Map<Result<Arc<str>, Missing>>,
    /// Those that are templates.
    pub templates: Map<Nested>,
    /// The files of recipes.
    pub recipes: Map<Result<Vec<u8>, Missing>>,
    /// The existing files and folders that recipes use.
    pub present: BTreeSet<String>,
    /// The references to files, each with its place.
    pub mentions: Vec<Mention>,
    /// The files outside of the root template's folder that links lead to.
    pub led_out: BTreeSet<String>,
}

/// A template in a separate file.
#[derive(Clone, Debug)]
pub struct Nested {
    /// The template. Empty if its text is not YAML.
    pub template: Arc<Template>,
    /// Why its text could not be read.
    pub unreadable: Option<yaml::Error>,
}

/// A reference to a file: by a `get_file`, or as a resource's type.
#[derive(Clone, Debug)]
pub struct Mention {
    /// The file's path.
    pub path: String,
    /// The path as written.
    pub written: String,
    /// The file that contains the reference.
    pub file: Arc<str>,
    /// Where the reference is.
    pub span: Span,
    /// Whether it is a resource's type.
    pub is_type: bool,
}

/// The most bytes of all files together.
const BYTES: usize = 2 * yaml::BYTES;
/// The most files.
const FILES: usize = 10_000;

impl Loaded {
    /// The template in `text`, named `name`, on its own: without files, environment or values.
    pub fn of(text: &str, name: &str) -> Self {
        Self::load(text, name, &NoFiles, &Inputs::default())
    }

    /// The template in `text`, from the file `name`, with the files that it refers to. [`crate::check()`] finds the faults
    /// in it.
    pub fn load(text: &str, name: &str, files: &dyn Files, inputs: &Inputs) -> Self {
        let Nested { template, unreadable } = Nested::read(text, name);
        let library = Library::gather(&template, &inputs.environment, files);
        Self {
            parameters: Parameters::of(&template, inputs),
            template,
            unreadable,
            registry: Arc::new(inputs.environment.registry.clone()),
            environment: inputs.environment.clone(),
            library: Arc::new(library),
            nested: false,
        }
    }

    /// Adds the recipe files at these paths, which Heat does not know.
    pub fn with_recipes(mut self, paths: impl IntoIterator<Item = String>, files: &dyn Files) -> Self {
        let library = Arc::make_mut(&mut self.library);
        for path in paths {
            let path = join(&self.template.file, &path);
            if !library.recipes.contains_key(&path) && library.recipes.len() < FILES {
                library.recipes.insert(path.clone(), files.read(&path));
            }
        }
        self
    }

    /// Records which of the paths used by recipes exist.
    pub fn with_used(mut self, paths: impl IntoIterator<Item = String>, files: &dyn Files) -> Self {
        let library = Arc::make_mut(&mut self.library);
        for path in paths.into_iter().take(FILES) {
            let path = join(&self.template.file, &path);
            if !library.present.contains(&path) && files.exists(&path) {
                library.present.insert(path);
            }
        }
        self
    }

    /// Whether this is the template of a resource in another one.
    pub fn is_nested(&self) -> bool {
        self.nested
    }

    /// The implementation of the resource `resource` of type `ty`. `known` tells which types Heat has itself.
    pub fn implementation(&self, resource: &str, ty: &str, known: &dyn Fn(&str) -> bool) -> Option<Implementation> {
        if is_template(ty) {
            return Some(Implementation::Template(join(&self.template.file, ty)));
        }
        self.registry.resolve(ty, resource, known)
    }

    /// The stack nested as the resource `resource`: the template at `path` with these parameter values. `None` if there is
    /// no such file.
    pub fn nested(&self, resource: &str, path: &str, values: Map<Value>) -> Option<Self> {
        let nested = self.library.templates.get(path)?.clone();
        Some(self.within(nested, self.registry.within(resource), values))
    }

    /// The stack whose template is `text`, with these parameter values. `None` if that is not YAML.
    pub(crate) fn of_text(&self, text: &str, values: Map<Value>) -> Option<Self> {
        let nested = Nested::read(text, &self.template.file);
        nested.unreadable.is_none().then(|| self.within(nested, (*self.registry).clone(), values))
    }

    fn within(&self, nested: Nested, registry: Registry, values: Map<Value>) -> Self {
        let Nested { template, unreadable } = nested;
        // Only the parent gives values to parameters. Defaults apply everywhere.
        let environment =
            Environment { parameter_defaults: self.environment.parameter_defaults.clone(), ..Environment::default() };
        let environment = Arc::new(environment);
        let inputs = Inputs { given: values, environment: environment.clone(), stack: None };
        Self {
            parameters: Parameters::of(&template, &inputs),
            template,
            unreadable,
            registry: Arc::new(registry),
            environment,
            library: self.library.clone(),
            nested: true,
        }
    }

    /// The content of the file at `path`. `None` if it was not requested.
    pub fn content(&self, path: &str) -> Option<Result<&str, &Missing>> {
        self.library.contents.get(path).map(|content| content.as_deref())
    }
}

impl Nested {
    fn read(text: &str, name: &str) -> Self {
        match yaml::read_with_comments(text) {
            Ok((root, comments)) => {
                Self { template: Arc::new(Template { comments, ..Template::of(root, name) }), unreadable: None }
            }
            Err(error) => Self { template: Arc::new(Template::of(Node::null(), name)), unreadable: Some(error) },
        }
    }
}

impl Library {
    /// Gathers everything that is referred to, recursively. Like python-heatclient, this considers every key `get_file` and
    /// `type`, wherever it occurs.
    fn gather(root: &Template, environment: &Environment, files: &dyn Files) -> Self {
        let mut library = Self::default();
        let mut waiting = VecDeque::new();
        let first = library.mentions.len();
        library.mention(&root.root, &root.file);
        for (path, target) in environment.registry.files() {
            library.mentions.push(Mention {
                path: path.to_owned(),
                written: target.value.as_key(),
                file: target.file.clone(),
                span: target.value.span,
                is_type: is_template(path),
            });
        }
        waiting.extend(first..library.mentions.len());
        let folder = root.file.rsplit_once('/').map_or("", |(folder, _)| if folder.is_empty() { "/" } else { folder });
        let mut bytes = 0;
        while let Some(at) = waiting.pop_front() {
            let path = library.mentions[at].path.clone();
            if library.contents.contains_key(&path) {
                continue;
            }
            let content = if library.contents.len() >= FILES || bytes > BYTES {
                Err(Missing("there are too many files, or too large ones".into()))
            } else {
                files.read(&path)
            };
            let is_type = library.mentions[at].is_type;
            let text = content.map(|content| {
                bytes += content.len();
                match String::from_utf8(content) {
                    Ok(text) => Arc::<str>::from(text),
                    Err(binary) => base64(binary.as_bytes()).into(),
                }
            });
            if text.is_ok() && files.leads_out(&path, folder) {
                library.led_out.insert(path.clone());
            }
            if let Ok(text) = &text {
                let nested = Nested::read(text, &path);
                let has_version = ["heat_template_version", "HeatTemplateFormatVersion", "AWSTemplateFormatVersion"]
                    .iter()
                    .any(|key| nested.template.root.get(key).is_some());
                if has_version {
                    let first = library.mentions.len();
                    library.mention(&nested.template.root, &nested.template.file);
                    waiting.extend(first..library.mentions.len());
                }
                if has_version || is_type || is_template(&path) {
                    library.templates.insert(path.clone(), nested);
                }
            }
            library.contents.insert(path, text);
        }
        library
    }

    fn mention(&mut self, node: &Node, file: &Arc<str>) {
        match &*node.tree {
            Tree::List(items) => items.iter().for_each(|item| self.mention(item, file)),
            Tree::Map(pairs) => {
                for pair in counting(pairs) {
                    let key = pair.key.tree.as_text();
                    match pair.value.tree.as_text() {
                        Some(written) if key == Some("get_file") || (key == Some("type") && is_template(written)) => {
                            self.mentions.push(Mention {
                                path: join(file, written),
                                written: written.to_owned(),
                                file: file.clone(),
                                span: pair.value.span,
                                is_type: key == Some("type"),
                            });
                        }
                        Some(_) => {}
                        None => self.mention(&pair.value, file),
                    }
                }
            }
            _ => {}
        }
    }
}

/// Encodes like Python's `base64.encodebytes`, in lines of 76 characters.
fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    let mut out = String::new();
    for line in bytes.chunks(57) {
        base64::engine::general_purpose::STANDARD.encode_string(line, &mut out);
        out.push('\n');
    }
    out
}
