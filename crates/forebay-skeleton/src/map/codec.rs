//! Serialization of a symbol index: variable-length integers (LEB128), followed by all texts.

use super::symbol_index::{FileSymbols, IndexedDefinition, Name, Span, SymbolIndex};
use crate::symbol_kind::SymbolKind;

/// Other versions are rejected.
const FORMAT_VERSION: u64 = 2;

impl SymbolIndex {
    /// Serializes the index without unused names.
    pub fn to_bytes(&self) -> Vec<u8> {
        let ids = self.compacted_ids();
        let mut encoder = Encoder::default();
        encoder.number(FORMAT_VERSION);
        let names = (0..self.names.len()).filter(|id| ids[*id].is_some());
        encoder.number(names.clone().count() as u64);
        for name in names.map(|id| &self.names[id]) {
            encoder.text(self.text(name.text));
            encoder.number(u64::from(name.family));
        }
        encoder.number(self.files.len() as u64);
        for file in &self.files {
            self.encode_file(&mut encoder, file, &ids);
        }
        encoder.finish()
    }

    /// Deserializes an index; returns `None` if the bytes are not valid.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut decoder = Decoder::new(bytes)?;
        if decoder.number()? != FORMAT_VERSION {
            return None;
        }
        let names = decoder.list(|decoder| {
            Some(Name { text: decoder.text()?, family: decoder.number_below(256)? as u8 })
        })?;
        let count = names.len() as u64;
        let files = decoder.list(|decoder| decode_file(decoder, count))?;
        let text = decoder.texts.to_owned();
        Some(Self { text, names, files, ..Self::default() })
    }

    /// Returns the new id of each name that is in use.
    fn compacted_ids(&self) -> Vec<Option<u32>> {
        let mut used = vec![false; self.names.len()];
        for file in &self.files {
            let defined = file
                .definitions
                .iter()
                .flat_map(|defined| [Some(defined.name), defined.parent])
                .flatten();
            for id in defined.chain(file.references.iter().map(|(id, _)| *id)) {
                used[id as usize] = true;
            }
        }
        let mut next = 0;
        let mut next_id = |used: bool| {
            next += u32::from(used);
            used.then(|| next - 1)
        };
        used.into_iter().map(&mut next_id).collect()
    }

    fn encode_file(&self, encoder: &mut Encoder, file: &FileSymbols, ids: &[Option<u32>]) {
        let id = |name: u32| u64::from(ids[name as usize].unwrap_or_default());
        encoder.text(self.text(file.path));
        encoder.number(file.stamp);
        encoder.number(file.definitions.len() as u64);
        for defined in &file.definitions {
            encoder.number(id(defined.name));
            encoder.number(defined.kind.code());
            encoder.text(self.text(defined.signature));
            encoder.number(u64::from(defined.line));
            encoder.number(u64::from(defined.is_public));
            encoder.number(defined.parent.map_or(0, |parent| id(parent) + 1));
        }
        encoder.number(file.references.len() as u64);
        for (name, count) in &file.references {
            encoder.number(id(*name));
            encoder.number(u64::from(*count));
        }
    }
}

fn decode_file(decoder: &mut Decoder<'_>, names: u64) -> Option<FileSymbols> {
    Some(FileSymbols {
        path: decoder.text()?,
        stamp: decoder.number()?,
        definitions: decoder.list(|decoder| {
            let name = decoder.number_below(names)?;
            let kind = SymbolKind::from_code(decoder.number()?)?;
            let signature = decoder.text()?;
            let line = decoder.number()? as u32;
            let is_public = decoder.number()? != 0;
            let parent = decoder.number_below(names + 1)?.checked_sub(1);
            Some(IndexedDefinition { name, kind, signature, line, is_public, parent })
        })?,
        references: decoder
            .list(|decoder| Some((decoder.number_below(names)?, decoder.number()? as u32)))?,
    })
}

#[derive(Default)]
struct Encoder {
    numbers: Vec<u8>,
    texts: String,
}

impl Encoder {
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.numbers.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.numbers.push(number as u8);
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.texts.push_str(text);
    }

    fn finish(self) -> Vec<u8> {
        let length = (self.numbers.len() as u64).to_le_bytes();
        [&length, self.numbers.as_slice(), self.texts.as_bytes()].concat()
    }
}

struct Decoder<'a> {
    numbers: std::slice::Iter<'a, u8>,
    texts: &'a str,
    text_at: usize,
}

impl<'a> Decoder<'a> {
    fn new(bytes: &'a [u8]) -> Option<Self> {
        let (length, rest) = bytes.split_first_chunk::<8>()?;
        let (numbers, texts) = rest.split_at_checked(u64::from_le_bytes(*length) as usize)?;
        let texts = std::str::from_utf8(texts).ok()?;
        Some(Self { numbers: numbers.iter(), texts, text_at: 0 })
    }

    fn number(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = *self.numbers.next()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
            shift += 7;
            if shift > 63 {
                return None;
            }
        }
    }

    fn number_below(&mut self, bound: u64) -> Option<u32> {
        self.number().filter(|number| *number < bound).map(|number| number as u32)
    }

    fn text(&mut self) -> Option<Span> {
        let length = self.number()?;
        let start = self.text_at;
        let end = start.checked_add(length as usize)?;
        self.texts.get(start..end)?;
        self.text_at = end;
        Some(Span { start: start as u32, length: length as u32 })
    }

    fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.number()?;
        // Every element takes at least one byte, so a larger count is invalid.
        let count = usize::try_from(count).ok().filter(|count| *count <= self.numbers.len())?;
        (0..count).map(|_| read(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::map::Tags;

    fn dump(names: &SymbolIndex) -> Vec<String> {
        let mut all = Vec::new();
        for file in &names.files {
            all.push(format!("{} {}", names.text(file.path), file.stamp));
            for defined in &file.definitions {
                let IndexedDefinition { kind, line, is_public, .. } = defined;
                let parent = defined.parent.map(|parent| names.name(parent));
                let name = names.name(defined.name);
                let signature = names.text(defined.signature);
                all.push(format!("{name} {kind:?} {signature} {line} {is_public} {parent:?}"));
            }
            all.extend(
                file.references
                    .iter()
                    .map(|(name, count)| format!("{} {count}", names.name(*name))),
            );
        }
        all
    }

    fn sample() -> SymbolIndex {
        let mut names = SymbolIndex::default();
        for (path, text) in [
            ("a.rs", "pub struct A;\nimpl A {\n    pub fn first() { second() }\n}\n"),
            ("b.py", "def second():\n    pass\n"),
        ] {
            let language = crate::detect_language(path, b"").unwrap();
            names.add(path, text.len() as u64 * 1_000_003, &Tags::extract(text, language));
        }
        names
    }

    #[test]
    fn round_trips() {
        let names = sample();
        let mut again = SymbolIndex::from_bytes(&names.to_bytes()).unwrap();
        assert_eq!(dump(&again), dump(&names));
        again.retain(|path, _| path == "b.py");
        again.add("c.rs", 1, &Tags::default());
        let last = SymbolIndex::from_bytes(&again.to_bytes()).unwrap();
        assert_eq!(dump(&last), dump(&again));
        assert!(last.names.len() < names.names.len());
        assert_eq!(last.files_defining("second"), ["b.py"]);
    }

    proptest! {
        #[test]
        fn rejects_arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            SymbolIndex::from_bytes(&bytes);
        }

        #[test]
        fn tolerates_corrupted_bytes(at in 0_usize..200, byte: u8) {
            let mut bytes = sample().to_bytes();
            let at = at % bytes.len();
            bytes[at] = byte;
            if let Some(names) = SymbolIndex::from_bytes(&bytes) {
                dump(&names);
                crate::build_map(&names, crate::MapOptions { budget: 100, ..Default::default() });
            }
        }
    }
}
