//! Reads settings as git reads them: several sections or a setting in the line of a header, quotes, escapes, continued
//! lines. Like git, it stops at the first error.

/// One setting. Names are in lowercase; git ignores their case.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Setting {
    /// Without a subsection.
    pub(super) section: String,
    pub(super) key: String,
    pub(super) value: Vec<u8>,
}

/// The settings in a file, up to the first error.
pub(super) fn parse(text: &[u8]) -> Vec<Setting> {
    const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let mut parser = Parser { rest: text };
    let mut section = String::new();
    let mut settings = Vec::new();
    while let Some(item) = parser.next_item() {
        match item {
            Item::Section(name) => section = name,
            Item::Setting(key, value) => {
                settings.push(Setting { section: section.clone(), key, value });
            }
        }
    }
    settings
}

enum Item {
    Section(String),
    Setting(String, Vec<u8>),
}

struct Parser<'a> {
    rest: &'a [u8],
}

impl Parser<'_> {
    /// None at the end and after an error.
    fn next_item(&mut self) -> Option<Item> {
        loop {
            match self.next_byte()? {
                b'#' | b';' => self.skip_line(),
                b'[' => return self.section().map(Item::Section),
                first if first.is_ascii_alphabetic() => return self.setting(first),
                blank if is_space(blank) => {}
                _ => return None,
            }
        }
    }

    /// The next byte; a line that ends in CRLF ends as others do.
    fn next_byte(&mut self) -> Option<u8> {
        if let Some(rest) = self.rest.strip_prefix(b"\r\n") {
            self.rest = rest;
            return Some(b'\n');
        }
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn skip_line(&mut self) {
        while self.next_byte().is_some_and(|byte| byte != b'\n') {}
    }

    fn skip_blanks(&mut self) {
        while let [b' ' | b'\t', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    /// The name in a header, behind its bracket.
    fn section(&mut self) -> Option<String> {
        let mut name = String::new();
        loop {
            match self.next_byte()? {
                b']' => break,
                byte if is_name(byte) || byte == b'.' => {
                    name.push(char::from(byte.to_ascii_lowercase()));
                }
                b' ' | b'\t' => {
                    self.skip_subsection()?;
                    break;
                }
                _ => return None,
            }
        }
        // The old way to write a subsection.
        name.truncate(name.find('.').unwrap_or(name.len()));
        Some(name)
    }

    /// A name in quotes and the bracket behind it.
    fn skip_subsection(&mut self) -> Option<()> {
        self.skip_blanks();
        if self.next_byte()? != b'"' {
            return None;
        }
        loop {
            match self.next_byte()? {
                b'\n' => return None,
                b'"' => break,
                b'\\' if self.next_byte()? == b'\n' => return None,
                _ => {}
            }
        }
        (self.next_byte()? == b']').then_some(())
    }

    /// A setting whose key starts with `first`.
    fn setting(&mut self, first: u8) -> Option<Item> {
        let length = self.rest.iter().take_while(|byte| is_name(**byte)).count();
        let (key, rest) = self.rest.split_at(length);
        self.rest = rest;
        let key = std::iter::once(&first).chain(key);
        let key = key.map(|byte| char::from(byte.to_ascii_lowercase())).collect();
        self.skip_blanks();
        match self.next_byte() {
            None | Some(b'\n') => Some(Item::Setting(key, Vec::new())),
            Some(b'=') => Some(Item::Setting(key, self.value()?)),
            Some(_) => None,
        }
    }

    /// A value up to the end of its line, which may be continued.
    fn value(&mut self) -> Option<Vec<u8>> {
        let mut value = Vec::new();
        // Blanks at the end do not count, unless they are quoted.
        let mut length = 0;
        let mut is_quoted = false;
        loop {
            match self.next_byte() {
                None | Some(b'\n') if is_quoted => return None,
                None | Some(b'\n') => break,
                Some(b'#' | b';') if !is_quoted => {
                    self.skip_line();
                    break;
                }
                Some(b'"') => {
                    is_quoted = !is_quoted;
                    continue;
                }
                Some(blank) if is_space(blank) && !is_quoted => {
                    if !value.is_empty() {
                        value.push(blank);
                    }
                    continue;
                }
                Some(b'\\') => match self.next_byte()? {
                    b'\n' => continue,
                    escaped => value.push(unescape(escaped)?),
                },
                Some(byte) => value.push(byte),
            }
            length = value.len();
        }
        value.truncate(length);
        Some(value)
    }
}

fn unescape(byte: u8) -> Option<u8> {
    match byte {
        b't' => Some(b'\t'),
        b'b' => Some(8),
        b'n' => Some(b'\n'),
        b'\\' | b'"' => Some(byte),
        _ => None,
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_git_reads() {
        for (text, expected) in [
            ("[core] hooksPath = hk", "core.hookspath=hk"),
            ("[core]\r\n\thooksPath=hk\r\n", "core.hookspath=hk"),
            ("\u{feff}[a][b \"x]\\\"\"] [core] hooksPath = hk # no", "core.hookspath=hk"),
            ("[core]\nhooksPath = \\\n  tools/hk ; no", "core.hookspath=tools/hk"),
            ("[core]\nhooksPath = \"a # b \"c  \n", "core.hookspath=a # b c"),
            ("[core]\nhooksPath = a\\\\b\\\"\n", "core.hookspath=a\\b\""),
            ("[core]\nbare\n[x.y]\nK = v", "core.bare= x.k=v"),
            ("[IncludeIf \"gitdir:~/a\"]\n\tPATH = ~/b", "includeif.path=~/b"),
            ("# [core]\n; x\n[core]\nbare = true\n?\nhooksPath = hk", "core.bare=true"),
            ("[core]\nhooksPath = \"hk\nbare = true", ""),
            ("[core]\nhooksPath = \\q", ""),
            ("[core", ""),
        ] {
            let shown = parse(text.as_bytes()).into_iter().map(|setting| {
                let value = String::from_utf8(setting.value).unwrap();
                format!("{}.{}={value}", setting.section, setting.key)
            });
            assert_eq!(shown.collect::<Vec<_>>().join(" "), expected, "{text}");
        }
    }
}
