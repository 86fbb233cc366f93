//! Names of a repository as bytes: numbers of variable length, then all texts.

use super::names::{Defined, FileNames, Name, RepositoryNames, Span};
use crate::kind::Kind;

/// Bytes of another form are not read.
const FORM: u64 = 2;

impl RepositoryNames {
    /// All of it as bytes; names that nobody uses any more are left out.
    pub fn pack(&self) -> Vec<u8> {
        let numbers = self.numbers_in_use();
        let mut writer = Writer::default();
        writer.number(FORM);
        let names = (0..self.names.len()).filter(|number| numbers[*number].is_some());
        writer.number(names.clone().count() as u64);
        for name in names.map(|number| &self.names[number]) {
            writer.text(self.at(name.text));
            writer.number(u64::from(name.family));
        }
        writer.number(self.files.len() as u64);
        for file in &self.files {
            self.write_file(&mut writer, file, &numbers);
        }
        writer.finish()
    }

    /// Reads what `pack` wrote; nothing if it did not.
    pub fn unpack(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::of(bytes)?;
        if reader.number()? != FORM {
            return None;
        }
        let names = reader.several(|reader| {
            Some(Name { text: reader.text()?, family: reader.below(256)? as u8 })
        })?;
        let count = names.len() as u64;
        let files = reader.several(|reader| read_file(reader, count))?;
        let text = reader.texts.to_owned();
        Some(Self { text, names, files, ..Self::default() })
    }

    /// The new number of each name that is used.
    fn numbers_in_use(&self) -> Vec<Option<u32>> {
        let mut used = vec![false; self.names.len()];
        for file in &self.files {
            let defined = file.definitions.iter();
            let defined =
                defined.flat_map(|defined| [Some(defined.name), defined.parent]).flatten();
            for number in defined.chain(file.references.iter().map(|(number, _)| *number)) {
                used[number as usize] = true;
            }
        }
        let mut next = 0;
        let mut number = |used: bool| {
            next += u32::from(used);
            used.then(|| next - 1)
        };
        used.into_iter().map(&mut number).collect()
    }

    fn write_file(&self, writer: &mut Writer, file: &FileNames, numbers: &[Option<u32>]) {
        let number = |name: u32| u64::from(numbers[name as usize].unwrap_or_default());
        writer.text(self.at(file.path));
        writer.number(file.stamp);
        writer.number(file.definitions.len() as u64);
        for defined in &file.definitions {
            writer.number(number(defined.name));
            writer.number(defined.kind.number());
            writer.text(self.at(defined.signature));
            writer.number(u64::from(defined.line));
            writer.number(u64::from(defined.public));
            writer.number(defined.parent.map_or(0, |parent| number(parent) + 1));
        }
        writer.number(file.references.len() as u64);
        for (name, count) in &file.references {
            writer.number(number(*name));
            writer.number(u64::from(*count));
        }
    }
}

fn read_file(reader: &mut Reader<'_>, names: u64) -> Option<FileNames> {
    Some(FileNames {
        path: reader.text()?,
        stamp: reader.number()?,
        definitions: reader.several(|reader| {
            let name = reader.below(names)?;
            let kind = Kind::of_number(reader.number()?)?;
            let signature = reader.text()?;
            let line = reader.number()? as u32;
            let public = reader.number()? != 0;
            let parent = reader.below(names + 1)?.checked_sub(1);
            Some(Defined { name, kind, signature, line, public, parent })
        })?,
        references: reader
            .several(|reader| Some((reader.below(names)?, reader.number()? as u32)))?,
    })
}

#[derive(Default)]
struct Writer {
    numbers: Vec<u8>,
    texts: String,
}

impl Writer {
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

struct Reader<'a> {
    numbers: std::slice::Iter<'a, u8>,
    texts: &'a str,
    text_at: usize,
}

impl<'a> Reader<'a> {
    fn of(bytes: &'a [u8]) -> Option<Self> {
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

    fn below(&mut self, bound: u64) -> Option<u32> {
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

    fn several<T>(&mut self, mut read: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.number()?;
        // Each takes a byte at least, so a count beyond the rest is nonsense.
        let count = usize::try_from(count).ok().filter(|count| *count <= self.numbers.len())?;
        (0..count).map(|_| read(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::map::Tags;

    fn shown(names: &RepositoryNames) -> Vec<String> {
        let mut all = Vec::new();
        for file in &names.files {
            all.push(format!("{} {}", names.at(file.path), file.stamp));
            for defined in &file.definitions {
                let Defined { kind, line, public, .. } = defined;
                let parent = defined.parent.map(|parent| names.name(parent));
                let name = names.name(defined.name);
                let signature = names.at(defined.signature);
                all.push(format!("{name} {kind:?} {signature} {line} {public} {parent:?}"));
            }
            all.extend(
                file.references
                    .iter()
                    .map(|(name, count)| format!("{} {count}", names.name(*name))),
            );
        }
        all
    }

    fn sample() -> RepositoryNames {
        let mut names = RepositoryNames::default();
        for (path, text) in [
            ("a.rs", "pub struct A;\nimpl A {\n    pub fn first() { second() }\n}\n"),
            ("b.py", "def second():\n    pass\n"),
        ] {
            let language = crate::language_of(path, b"").unwrap();
            names.add(path, text.len() as u64 * 1_000_003, &Tags::of(text, language));
        }
        names
    }

    #[test]
    fn what_was_packed_is_unpacked() {
        let names = sample();
        let mut again = RepositoryNames::unpack(&names.pack()).unwrap();
        assert_eq!(shown(&again), shown(&names));
        again.retain(|path, _| path == "b.py");
        again.add("c.rs", 1, &Tags::default());
        let last = RepositoryNames::unpack(&again.pack()).unwrap();
        assert_eq!(shown(&last), shown(&again));
        assert!(last.names.len() < names.names.len());
        assert_eq!(last.defining("second"), ["b.py"]);
    }

    proptest! {
        #[test]
        fn foreign_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            RepositoryNames::unpack(&bytes);
        }

        #[test]
        fn damaged_bytes_do_no_harm(at in 0_usize..200, byte: u8) {
            let mut bytes = sample().pack();
            let at = at % bytes.len();
            bytes[at] = byte;
            if let Some(names) = RepositoryNames::unpack(&bytes) {
                shown(&names);
                crate::map(&names, crate::MapOptions { budget: 100, ..Default::default() });
            }
        }
    }
}
