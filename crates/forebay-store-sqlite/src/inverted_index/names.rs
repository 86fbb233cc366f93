//! Names, one after the other in one text: many small ones need no memory of their own each.

#[derive(Debug, Default)]
pub(super) struct Names {
    text: String,
    ends: Vec<u32>,
}

impl Names {
    pub(super) fn push(&mut self, name: &str) {
        self.push_with(|text| text.push_str(name));
    }

    /// Adds a name that is written by `write`.
    pub(super) fn push_with(&mut self, write: impl FnOnce(&mut String)) {
        write(&mut self.text);
        self.ends.push(self.text.len() as u32);
    }

    pub(super) fn count(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn get(&self, number: usize) -> &str {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start as usize..self.ends[number] as usize]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.count()).map(|number| self.get(number))
    }
}
