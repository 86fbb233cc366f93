//! Notes whose writing was acknowledged, and whether they can still be read.

use std::sync::LazyLock;

use anyhow::{Context, Result};
use regex::Regex;
use serde_json::json;

use super::Call;
use crate::installation::Installation;
use crate::mcp_client::Client;

#[expect(clippy::unwrap_used, reason = "the pattern is constant")]
static REFERENCE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\[ctx:([a-z0-9]+)\]").unwrap());

#[derive(Debug, Default)]
pub(super) struct Acknowledged {
    notes: Vec<(String, String)>,
}

impl Acknowledged {
    pub(super) fn len(&self) -> usize {
        self.notes.len()
    }

    /// Records a note if the answer acknowledges it.
    pub(super) fn add(&mut self, answer: &str, text: &str) -> Result<()> {
        let found =
            REFERENCE.captures(answer).with_context(|| format!("no reference: {answer}"))?;
        self.notes.push((found[1].to_owned(), text.to_owned()));
        Ok(())
    }

    /// Writes a note with the command line; an error is no acknowledgement.
    pub(super) fn note(&mut self, installation: &Installation, text: &str) -> Result<Call> {
        let call = Call::run(&mut installation.forebay(&["note", text]))?;
        if call.succeeded() {
            self.add(&call.stdout(), text)?;
        }
        Ok(call)
    }

    /// Counts the notes that cannot be read back as they were written.
    pub(super) fn count_lost(&self, installation: &Installation) -> Result<usize> {
        let mut client = Client::start(installation)?;
        let mut lost = 0;
        for (reference, text) in &self.notes {
            let read = client.call("ctx_get", &json!({ "ref": reference }));
            let is_whole = read.is_ok_and(|answer| answer.contains(text.as_str()));
            lost += usize::from(!is_whole);
        }
        client.end()?;
        Ok(lost)
    }
}
