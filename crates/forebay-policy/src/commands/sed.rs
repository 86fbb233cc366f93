//! Scripts of sed, which can run commands and write files.

use super::options;
use crate::shell::Word;

/// What a script does beside editing lines.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Effects {
    /// Commands that it runs by `e`, and texts that become a line that is run.
    pub(super) commands: Vec<String>,
    /// Whether lines of the input are run.
    pub(super) runs_lines: bool,
    /// Files that it writes by `w`.
    pub(super) files: Vec<String>,
}

/// The scripts among the words of sed: the values of `-e`, or the first operand.
pub(super) fn scripts(words: &[Word]) -> Vec<Word> {
    let mut scripts = options::values_of_any(words, &["-e", "--expression"]);
    if !words.iter().any(|word| gives_script(&word.marked())) {
        let is_operand = |word: &&Word| !word.marked().starts_with('-');
        scripts.extend(words.iter().find(is_operand).cloned());
    }
    scripts
}

/// Whether a word certainly gives a script or its file, so that no operand is one; `-i.orig.e` only names an ending.
fn gives_script(text: &str) -> bool {
    const FLAGS: &str = "nrEsuz";
    let cluster = text.strip_prefix('-').map(|rest| rest.trim_start_matches(|c| FLAGS.contains(c)));
    options::gives_any(text, &["--expression", "--file"])
        || cluster.is_some_and(|rest| rest.starts_with(['e', 'f']))
}

/// Reads a script; what cannot be read is assumed to run its text.
pub(super) fn effects(script: &str) -> Effects {
    let mut reader = Reader { rest: script, effects: Effects::default(), replacements: Vec::new() };
    if reader.commands().is_none() {
        reader.effects.commands.push(script.to_owned());
        reader.effects.runs_lines = script.contains('e');
    }
    let mut effects = reader.effects;
    if effects.runs_lines {
        effects.commands.extend(reader.replacements);
    }
    effects
}

struct Reader<'a> {
    rest: &'a str,
    effects: Effects,
    /// Texts that replace parts of lines.
    replacements: Vec<String>,
}

impl<'a> Reader<'a> {
    /// Reads commands to the end; `None` for a script that sed itself would refuse.
    fn commands(&mut self) -> Option<()> {
        loop {
            self.rest =
                self.rest.trim_start_matches(|c: char| c.is_whitespace() || ";{}".contains(c));
            self.address()?;
            let Some(command) = self.take() else { return Some(()) };
            self.command(command)?;
        }
    }

    fn command(&mut self, command: char) -> Option<()> {
        match command {
            's' => self.substitution()?,
            'y' => drop(self.delimited()?),
            'e' => {
                let text = self.line();
                self.effects.runs_lines |= text.is_empty();
                self.effects.commands.push(text.to_owned());
            }
            'w' | 'W' => {
                let file = self.line().to_owned();
                self.effects.files.push(file);
            }
            'a' | 'i' | 'c' | 'r' | 'R' | '#' => drop(self.line()),
            ':' | 'b' | 't' | 'T' | 'q' | 'Q' | 'l' | 'L' | 'v' => drop(self.argument()),
            _ => {}
        }
        Some(())
    }

    fn substitution(&mut self) -> Option<()> {
        let (_, replacement) = self.delimited()?;
        self.replacements.push(replacement.to_owned());
        while let Some(flag) = self.rest.chars().next() {
            match flag {
                'e' => self.effects.runs_lines = true,
                'w' => {
                    self.take();
                    let file = self.line().to_owned();
                    self.effects.files.push(file);
                    break;
                }
                'g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9' => {}
                _ => break,
            }
            self.take();
        }
        Some(())
    }

    /// Skips line numbers, patterns and what joins them.
    fn address(&mut self) -> Option<()> {
        loop {
            self.rest = self.rest.trim_start_matches(|c: char| {
                c.is_ascii_digit() || c.is_whitespace() || "$,~+!".contains(c)
            });
            let pattern = self.rest.strip_prefix('\\').unwrap_or(self.rest);
            if pattern.len() == self.rest.len() && !pattern.starts_with('/') {
                return Some(());
            }
            self.rest = pattern;
            let delimiter = self.take()?;
            self.until(delimiter)?;
            self.rest = self.rest.trim_start_matches(['I', 'M']);
        }
    }

    /// The two texts of `s/a/b/` and `y/a/b/`.
    fn delimited(&mut self) -> Option<(&'a str, &'a str)> {
        let delimiter = self.take()?;
        Some((self.until(delimiter)?, self.until(delimiter)?))
    }

    /// The text up to a delimiter that is not escaped.
    fn until(&mut self, delimiter: char) -> Option<&'a str> {
        let mut is_escaped = false;
        let end = self.rest.char_indices().find(|(_, c)| {
            let is_end = *c == delimiter && !is_escaped;
            is_escaped = *c == '\\' && !is_escaped;
            is_end
        });
        let (end, _) = end?;
        let text = &self.rest[..end];
        self.rest = &self.rest[end + delimiter.len_utf8()..];
        Some(text)
    }

    fn take(&mut self) -> Option<char> {
        let first = self.rest.chars().next()?;
        self.rest = &self.rest[first.len_utf8()..];
        Some(first)
    }

    /// The rest of the line, in which nothing else ends a command.
    fn line(&mut self) -> &'a str {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        line.trim()
    }

    fn argument(&mut self) -> &'a str {
        let end = self.rest.find([';', '\n', '}']).unwrap_or(self.rest.len());
        let (argument, rest) = self.rest.split_at(end);
        self.rest = rest;
        argument
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(script: &str, commands: &[&str], runs_lines: bool, files: &[&str]) {
        let effects = effects(script);
        assert_eq!(effects.commands, commands, "{script}");
        assert_eq!(effects.runs_lines, runs_lines, "{script}");
        assert_eq!(effects.files, files, "{script}");
    }

    #[test]
    fn commands_and_files_are_found_where_sed_finds_them() {
        check("1e git push", &["git push"], false, &[]);
        check("y/a/b/;1egit push", &["git push"], false, &[]);
        check("s/x/git push/e", &["git push"], true, &[]);
        check("s|x|git push|gep", &["git push"], true, &[]);
        check("1{s/.*/a/;e\n}", &["", "a"], true, &[]);
        check("/x/w out.sh", &[], false, &["out.sh"]);
        check("s/a/b/w out.sh", &[], false, &["out.sh"]);
        check(r"\,x,e ls", &["ls"], false, &[]);
        check("$!e ls", &["ls"], false, &[]);
        for script in [
            "10,40p",
            "/^fn main/,/^}/p",
            "s/foo/bar/g",
            "s/the/The/;s/red/blue/",
            "s|/usr|/opt/tree|",
            "/console.log/d",
            "1i // header e",
            "s/a/;e x;/",
            "$!N;P;D",
            ":a;N;$!ba;s/\\n/ /g",
            "/e /d",
            "2q",
        ] {
            check(script, &[], false, &[]);
        }
        check("s/x/git push", &["s/x/git push"], false, &[]);
    }
}
