//! All words and meanings of a project, read page by page.

use std::collections::HashSet;

use forebay_store::Embedding;
use forebay_store::vector_index::{VectorIndex, exceeds_limits};

use ::postgres::Row;

use super::super::connection::Work;
use super::super::error::Fault;
use super::chunk::Passage;
use super::words::Words;

/// Passages that are read at once: some megabytes.
pub(super) const PAGE: i64 = 2_000;

/// Whose meanings are held: a model's, by its name and the width of its vectors.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Model {
    pub(super) name: String,
    pub(super) width: i32,
}

impl Model {
    /// The model of what is meant, where its meanings may be held; else none, which has no name.
    pub(super) fn of(wanted: Option<&Embedding>) -> Self {
        let built_in = wanted.filter(|meaning| !meaning.is_remote());
        let model = |meaning: &Embedding| Self {
            name: super::super::text::kept(&meaning.model),
            width: meaning.vector.len() as i32,
        };
        built_in.map(model).unwrap_or_default()
    }

    pub(super) fn is_none(&self) -> bool {
        self.name.is_empty()
    }
}

#[derive(Debug)]
pub(super) struct Whole {
    pub(super) words: Words,
    pub(super) model: Model,
    pub(super) meanings: VectorIndex,
}

impl Whole {
    pub(super) fn add(&mut self, new: &Passage<'_>, project: &str) {
        if let Some(vector) = new.meaning.as_ref().filter(|_| !self.words.has(new.id)) {
            self.meanings.add(new.id, &vector.0);
        }
        self.words.add(new, project);
    }

    /// Forgets all passages but these.
    pub(super) fn keep(&mut self, there: &HashSet<i64>) {
        self.words.keep(there);
        self.meanings.retain(there);
    }

    pub(super) fn is_too_large(&self) -> bool {
        let passages = self.words.sizes().passages as i64;
        self.words.are_too_many() || exceeds_limits(passages, self.model.width as usize)
    }
}

/// Passages, and whether each is code.
pub(super) type AreCode = Vec<(i64, bool)>;

/// Reads all there is, unless that is too much; gives it with what is known of code.
pub(super) fn read(work: &mut Work<'_>, model: Model) -> Result<Option<(Whole, AreCode)>, Fault> {
    let project = work.place().project.to_string();
    let meanings = VectorIndex::new(model.width as usize);
    let mut whole = Whole { words: Words::default(), model, meanings };
    let (mut traits, mut last) = (Vec::new(), 0);
    loop {
        let rows = read_page(work, &whole.model, last)?;
        for row in &rows {
            let passage = Passage::read(row)?;
            last = passage.id;
            traits.push((passage.id, passage.is_code));
            whole.add(&passage, &project);
        }
        if whole.is_too_large() {
            return Ok(None);
        }
        if (rows.len() as i64) < PAGE {
            whole.words.settle();
            return Ok(Some((whole, traits)));
        }
    }
}

fn read_page(work: &mut Work<'_>, model: &Model, last: i64) -> Result<Vec<Row>, Fault> {
    let sql = format!(
        "SELECT {} FROM (SELECT * FROM chunk WHERE workspace = $1 AND project = $2 AND id > $5
             ORDER BY id LIMIT $6) AS passage ORDER BY passage.id",
        Passage::COLUMNS
    );
    work.query(&sql, &[&model.name, &model.width, &last, &PAGE])
}

/// All passages that are there.
pub(super) fn passages(work: &mut Work<'_>) -> Result<HashSet<i64>, Fault> {
    let row = work.one(
        "SELECT coalesce(array_agg(id), '{}') FROM chunk WHERE workspace = $1 AND project = $2",
        &[],
    )?;
    Ok(row.try_get::<_, Vec<i64>>(0)?.into_iter().collect())
}
