//! The result of a call: long texts become a digest, large binary parts a line about them.

use std::borrow::Cow;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use forebay_app::wrap::{Media, WrappedCall};
use serde_json::Value;

use super::json::{self, Members, quoted};
use super::listing;
use super::session::Session;

const STRUCTURED: &str = "structuredContent";

/// Returns the result in place of one; `None` if it stays.
pub(super) fn rewrite(session: &Session, call: &WrappedCall, result: &str) -> Option<String> {
    let mut result = Members::parse(result).ok()?;
    // Another type than a complete result asks the client for more.
    if result.get("resultType").is_some_and(|kind| kind != "\"complete\"") {
        return None;
    }
    let content = result.get("content").unwrap_or("[]").to_owned();
    let blocks: Vec<Block<'_>> = json::items(&content)?.into_iter().map(Block::parse).collect();
    let structured = result.get(STRUCTURED).map(|value| Structured::new(session, value, &blocks));
    let digest = digest(session, call, &blocks, structured.as_ref(), &result);
    let rewritten = Rewriting { session, call, digest: digest.as_deref() }.content(&blocks);
    if digest.is_none() && rewritten.iter().zip(&blocks).all(|(new, old)| new == old.source) {
        return None;
    }
    result.set("content", json::list(&rewritten));
    if let (Some(digest), Some(structured)) = (&digest, structured) {
        match structured.shortened(digest) {
            Some(value) => result.set(STRUCTURED, value),
            None if session.has_listed_schema(call.tool()) => {
                listing::withdraw_schema(session, call);
            }
            None => drop(result.remove(STRUCTURED)),
        }
    }
    Some(result.into_text())
}

/// The digest of all texts of a result, if they are long.
fn digest(
    session: &Session,
    call: &WrappedCall,
    blocks: &[Block<'_>],
    structured: Option<&Structured>,
    result: &Members<'_>,
) -> Option<String> {
    let mut texts: Vec<&str> = blocks.iter().filter_map(Block::text).collect();
    texts.extend(structured.filter(|value| !value.is_repeated).map(|value| value.source.as_str()));
    let is_error = result.get("isError") == Some("true");
    session.server.digest(call, &texts, is_error).unwrap_or_else(|error| {
        tracing::warn!(%error, "a result passes whole, because it cannot be stored");
        None
    })
}

/// The structured content of a result.
struct Structured {
    source: String,
    /// Whether the content says the same as text, as servers do for older clients.
    is_repeated: bool,
    /// The member that has a long text of the content as its value, if little else is there.
    text_member: Option<String>,
}

impl Structured {
    fn new(session: &Session, source: &str, blocks: &[Block<'_>]) -> Self {
        let texts: Vec<&str> = blocks.iter().filter_map(Block::text).collect();
        let text_member = text_member(source, &texts, session.server.max_unchanged_bytes());
        let is_repeated =
            text_member.is_some() || texts.iter().any(|text| is_same_json(text, source));
        Self { source: source.to_owned(), is_repeated, text_member }
    }

    /// The same with the digest in place of the text: a string remains a string, so it still fits its schema.
    fn shortened(&self, digest: &str) -> Option<String> {
        let mut members = Members::parse(&self.source).ok()?;
        members.set(self.text_member.as_ref()?, quoted(digest));
        Some(members.into_text())
    }
}

fn text_member(source: &str, texts: &[&str], max_rest: u64) -> Option<String> {
    let members = Members::parse(source).ok()?;
    let has_text = |key: &&str| {
        let value = members.string(key);
        value.is_some_and(|value| !value.is_empty() && texts.contains(&value.as_str()))
    };
    let key = members.keys().find(has_text)?;
    let rest = source.len() - members.get(key).map_or(0, str::len);
    (rest as u64 <= max_rest).then(|| key.to_owned())
}

/// Whether a text is a JSON value in another spelling.
fn is_same_json(text: &str, value: &str) -> bool {
    let parsed = |text| serde_json::from_str::<Value>(text).ok();
    text.trim() == value || parsed(text).is_some_and(|text| Some(text) == parsed(value))
}

/// A part of a result's content.
struct Block<'a> {
    source: &'a str,
    kind: Kind,
}

enum Kind {
    Text(String),
    /// In base64.
    Media {
        media_type: String,
        data: String,
    },
    /// A link, or something that this version does not know.
    Other,
}

impl<'a> Block<'a> {
    fn parse(source: &'a str) -> Self {
        Self { source, kind: Kind::parse(source).unwrap_or(Kind::Other) }
    }

    fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl Kind {
    fn parse(source: &str) -> Option<Self> {
        let block = Members::parse(source).ok()?;
        let media = |block: &Members<'_>, data: &str| {
            let media_type = block.string("mimeType").unwrap_or_default();
            Some(Self::Media { media_type, data: block.string(data)? })
        };
        match block.string("type")?.as_str() {
            "text" => Some(Self::Text(block.string("text")?)),
            "image" | "audio" => media(&block, "data"),
            "resource" => {
                let resource = block.object("resource")?;
                match resource.string("text") {
                    Some(text) => Some(Self::Text(text)),
                    None => media(&resource, "blob"),
                }
            }
            _ => None,
        }
    }
}

/// How the content of a result is rewritten.
struct Rewriting<'a> {
    session: &'a Session,
    call: &'a WrappedCall,
    /// Takes the place of all texts.
    digest: Option<&'a str>,
}

impl Rewriting<'_> {
    fn content(&self, blocks: &[Block<'_>]) -> Vec<String> {
        let first_text = blocks.iter().position(|block| block.text().is_some());
        let mut content: Vec<String> = blocks
            .iter()
            .enumerate()
            .filter_map(|(number, block)| match (&block.kind, self.digest) {
                (Kind::Text(_), Some(digest)) => {
                    (Some(number) == first_text).then(|| text_block(digest))
                }
                _ => Some(self.block(block).into_owned()),
            })
            .collect();
        if let (None, Some(digest)) = (first_text, self.digest) {
            content.insert(0, text_block(digest));
        }
        content
    }

    fn block<'a>(&self, block: &Block<'a>) -> Cow<'a, str> {
        let Kind::Media { media_type, data } = &block.kind else { return block.source.into() };
        self.description(media_type, data)
            .map_or(block.source.into(), |text| text_block(&text).into())
    }

    /// The text in place of a binary part, if it is large.
    fn description(&self, media_type: &str, data: &str) -> Option<String> {
        let bytes = BASE64_STANDARD.decode(data.trim_ascii()).ok()?;
        let media = Media { media_type, bytes: &bytes, encoded_bytes: data.len() as u64 };
        self.session.server.describe(self.call, media).unwrap_or_else(|error| {
            tracing::warn!(%error, "a binary result passes whole, because it cannot be stored");
            None
        })
    }
}

fn text_block(text: &str) -> String {
    format!(r#"{{"type":"text","text":{}}}"#, quoted(text))
}
