//! Strings concatenated in one buffer, to avoid an allocation per string.

#[derive(Debug, Default)]
pub(super) struct StringArena {
    text: String,
    ends: Vec<u32>,
}

impl StringArena {
    pub(super) fn push(&mut self, string: &str) {
        self.push_with(|text| text.push_str(string));
    }

    /// Appends a string that `write` produces.
    pub(super) fn push_with(&mut self, write: impl FnOnce(&mut String)) {
        write(&mut self.text);
        self.ends.push(self.text.len() as u32);
    }

    pub(super) fn count(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn get(&self, index: usize) -> &str {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start as usize..self.ends[index] as usize]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.count()).map(|index| self.get(index))
    }
}
