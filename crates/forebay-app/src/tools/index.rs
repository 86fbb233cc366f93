//! `ctx_index`: makes a text, a file, a folder or JSONL documents searchable.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek};
use std::path::Path;

use forebay_sandbox::open_without_links;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Effect, Tool};
use crate::ingest::jsonl;
use crate::ingest::sources::{self, PathGlobs, Request};
use crate::input;
use crate::{Answer, App, AppError, Call, Capability};
use forebay_store::own_files;

pub struct Index;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    pub path: Option<String>,
    pub text: Option<String>,
    /// Same name replaces
    pub source: Option<String>,
    /// For a folder; !x excludes
    #[serde(default, alias = "include", deserialize_with = "input::one_or_many")]
    pub globs: Vec<String>,
    /// Same as globs with an exclamation mark.
    #[serde(default, deserialize_with = "input::one_or_many")]
    #[schemars(skip)]
    pub exclude: Vec<String>,
}

impl Tool for Index {
    const NAME: &'static str = "ctx_index";
    const DESCRIPTION: &'static str = "Make a file, folder or text searchable.";
    const EFFECT: Effect = Effect::Index;
    type Input = Input;

    fn call(app: &App, input: Input, call: &Call) -> Result<Answer, AppError> {
        let request = request(app, input)?;
        if let Request::Path { path, name, .. } = &request
            && let Some(mut documents) = open_documents(path)
        {
            sources::permit_reading(app, path, call)?;
            let name = name.clone().unwrap_or_else(|| sources::default_name(app, path));
            let total = path.metadata().ok().map(|metadata| metadata.len() as f64);
            return jsonl::index(app, &mut documents, &name, &mut |read| {
                call.report_of(read as f64, total, "bytes");
                !call.cancel.is_cancelled()
            });
        }
        Ok(sources::index(app, request, call)?.answer())
    }
}

fn request(app: &App, input: Input) -> Result<Request, AppError> {
    let name = input.source.map(|name| app.redaction.name(name.trim()));
    let name = name.filter(|name| !name.is_empty());
    match (input.path, input.text) {
        (Some(path), None) => {
            app.check_capability(Capability::Files, "indexing its files")?;
            Ok(Request::Path {
                path: sources::resolve(app, &app.cwd.join(path))?,
                name,
                path_globs: path_globs(input.globs, input.exclude),
            })
        }
        (None, Some(text)) => match name {
            Some(name) if !text.trim().is_empty() => Ok(Request::Text { name, text }),
            Some(_) => Err(AppError::bad_input("the text is empty", "give the text to index")),
            None => Err(AppError::bad_input("the text has no name", "give one as source")),
        },
        (None, None) => {
            Err(AppError::bad_input("nothing to index", "give path, or text and source"))
        }
        (Some(_), Some(_)) => {
            Err(AppError::bad_input("both path and text given", "give one of them"))
        }
    }
}

fn path_globs(globs: Vec<String>, exclude: Vec<String>) -> PathGlobs {
    let mut path_globs = PathGlobs { include: Vec::new(), exclude };
    for glob in globs {
        match glob.strip_prefix('!') {
            Some(excluded) => path_globs.exclude.push(excluded.to_owned()),
            None => path_globs.include.push(glob),
        }
    }
    path_globs
}

/// Opens the file if its first line is a document: an object with `id` and `text`.
fn open_documents(path: &Path) -> Option<BufReader<File>> {
    const MAX_FIRST_LINE_BYTES: u64 = 1024 * 1024;
    #[derive(Deserialize)]
    struct Document {
        #[serde(rename = "id")]
        _id: serde_json::Value,
        #[serde(rename = "text")]
        _text: String,
    }
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    let is_documents = ["jsonl", "ndjson"].contains(&extension.as_str());
    if !is_documents || own_files::contains_path(path) {
        return None;
    }
    let mut file = open_without_links(path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut line = String::new();
    let first = (&file).take(MAX_FIRST_LINE_BYTES);
    BufReader::new(first).read_line(&mut line).ok()?;
    serde_json::from_str::<Document>(&line).ok()?;
    file.rewind().ok()?;
    Some(BufReader::new(file))
}
