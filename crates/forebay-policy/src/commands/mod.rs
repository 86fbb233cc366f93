//! Finds every command a shell text may run, through wrappers and scripts.

mod code;
mod command_options;
pub(crate) mod files;
mod find;
mod forebay;
pub(crate) mod git;
mod guesses;
mod inner;
mod interpreters;
mod options;
mod plain_programs;
pub(crate) mod read_only;
pub(crate) mod removals;
mod runners;
mod search;
mod sed;
pub(crate) mod strip;
mod subscripts;
pub(crate) mod variables;
mod watched;
mod wrappers;
mod written_scripts;

use std::collections::HashSet;

use self::guesses::Guesses;
use self::inner::Inner;
pub(crate) use self::inner::base_name;
pub(crate) use self::watched::WatchedCommands;
use self::written_scripts::{OwnOutput, RunAs, WrittenFile};
use super::execution::Execution;
use super::shell::{
    self, Assignment, Command, Doubt, Hole, Piece, Redirect, RedirectKind, Script, Word,
};

/// Maximum nesting of wrappers that is followed.
const MAX_DEPTH: u32 = 32;
/// How often a file that a text writes and runs may itself run another one.
const MAX_OWN_SCRIPTS: usize = 3;

const OWN_OUTPUT: Doubt = Doubt("it runs a file that it writes itself");
const TOO_DEEP: Doubt = Doubt("commands are nested too deeply to analyse");
const MADE_WHEN_RUN: Doubt = Doubt("a script is assembled at run time");
const UNREADABLE_SCRIPT: Doubt = Doubt("a script in the arguments cannot be parsed");

/// Every command that a text may run.
pub(crate) struct ReachableCommands<'a> {
    pub(crate) commands: Vec<ReachableCommand>,
    pub(crate) doubts: Vec<Doubt>,
    pub(crate) broken: Option<&'static str>,
    /// Variables whose value is certain.
    known: Vec<(String, String)>,
    /// What deny and ask rules name, which is searched for where a command may hide.
    watched: &'a WatchedCommands,
    /// Files that the commands write.
    written: Vec<WrittenFile>,
    /// Programs in other languages that the commands contain.
    programs: Vec<String>,
    /// Commands that some word may begin, so that each is followed once.
    tails: HashSet<String>,
    /// Whether such a command is followed: what is unknown in it is no doubt, because it may be none.
    guessing: u32,
}

/// The programs that a shell text runs, as they are written: by itself, or through wrappers (`sudo`, `xargs`, `sh -c`).
///
/// A word that only may be a program, such as an argument, is none.
pub fn programs(text: &str) -> Vec<String> {
    let watched = WatchedCommands::new([]);
    let execution = Execution { command: text, ..Execution::default() };
    let reachable = ReachableCommands::new(&execution, &[], &watched);
    let is_certain = |reached: &&ReachableCommand| {
        matches!(reached.reachability, Reachability::Literal | Reachability::Reached)
    };
    let certain = reachable.commands.iter().filter(is_certain);
    certain.filter_map(|reached| reached.command.words.first()?.known()).collect()
}

/// Whether a shell text runs nothing but read-only commands; false if that is not certain.
pub fn only_reads(text: &str) -> bool {
    let watched = WatchedCommands::new([]);
    let execution = Execution { command: text, ..Execution::default() };
    let reachable = ReachableCommands::new(&execution, &[], &watched);
    let mut commands = reachable.commands.iter();
    reachable.doubts.is_empty()
        && reachable.broken.is_none()
        && commands.all(|reached| read_only::is_read_only(&reached.command))
}

/// A command and how the text reaches it.
pub(crate) struct ReachableCommand {
    pub(crate) command: Command,
    pub(crate) reachability: Reachability,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reachability {
    /// Written in the text: must be allowed itself.
    Literal,
    /// Run by another command, which must be allowed.
    Reached,
    /// A possible value of an unknown part.
    Possible,
    /// Words of a program that is not known, which may run them.
    Suspected,
}

impl<'a> ReachableCommands<'a> {
    /// Analyses what is run; `known` are variables with known values, `watched` the commands of deny and ask rules.
    pub(crate) fn new(
        execution: &Execution<'_>,
        known: &[(&str, &str)],
        watched: &'a WatchedCommands,
    ) -> Self {
        let mut script = shell::parse(execution.command);
        let mut reachable = Self {
            commands: Vec::new(),
            doubts: Vec::new(),
            broken: script.broken,
            known: with_added(known, execution.variables),
            watched,
            written: Vec::new(),
            programs: Vec::new(),
            tails: HashSet::new(),
            guessing: 0,
        };
        reachable.substitute_known(&mut script);
        reachable.add_variables(execution.variables);
        if let Some(text) = execution.stdin {
            if execution.is_input() {
                reachable.add_code(&Word::literal(text), 0);
            }
            feed(&mut script, text);
        }
        reachable.add_script(script, Reachability::Literal, 0);
        if reachable.broken.is_some() {
            reachable.add_fragments(execution.command);
        }
        if let Some(code) = execution.code {
            // Code may evaluate what it reads.
            let texts = [Some(code), execution.stdin];
            texts
                .into_iter()
                .flatten()
                .for_each(|text| reachable.add_program(&Word::literal(text), 0));
        }
        reachable.add_guesses();
        reachable.learn_siblings(execution);
        reachable.add_own_scripts();
        reachable
    }

    /// Other commands of the call may write what this one runs.
    fn learn_siblings(&mut self, execution: &Execution<'_>) {
        for sibling in execution.siblings {
            self.programs.extend(sibling.code.clone());
            let mut before: Option<Command> = None;
            for command in shell::parse(&sibling.command).commands {
                let input = interpreters::input_texts(&command, before.as_ref());
                self.written.extend(written_scripts::written(&command, &input));
                let words = command.words.first().map(base_name);
                if words.is_some_and(|name| interpreters::is_interpreter(&name)) {
                    self.programs.extend(command.words.iter().chain(&input).map(Word::as_script));
                }
                before = Some(command);
            }
        }
    }

    /// Code may run the files that it names.
    fn add_files_named_by_code(&mut self) {
        let texts: Vec<String> = self
            .written
            .iter()
            .filter(|file| self.programs.iter().any(|code| file.is_named_in(code)))
            .filter_map(WrittenFile::content)
            .collect();
        for text in &texts {
            self.add_program(&Word::literal(text), 1);
        }
    }

    /// Follows files that the text writes and runs: known texts are judged, others are a doubt.
    fn add_own_scripts(&mut self) {
        self.add_files_named_by_code();
        let mut from = 0;
        for _ in 0..MAX_OWN_SCRIPTS {
            let executed: Vec<_> = self.commands[from..]
                .iter()
                .flat_map(|reachable| written_scripts::executed(&reachable.command))
                .collect();
            from = self.commands.len();
            for file in &executed {
                if let Some(output) = written_scripts::own_output(file, &self.written) {
                    self.add_own_output(&output);
                }
                let writing: Vec<String> = self
                    .programs
                    .iter()
                    .filter(|code| written_scripts::may_write(code, file))
                    .cloned()
                    .collect();
                for code in writing {
                    self.add_doubt(OWN_OUTPUT);
                    self.add_code(&Word::literal(code), 1);
                }
            }
        }
    }

    fn add_own_output(&mut self, output: &OwnOutput) {
        if !output.is_known {
            self.add_doubt(OWN_OUTPUT);
        }
        for text in &output.texts {
            let word = Word::literal(text);
            let is_foreign = text.starts_with("#!")
                && !text.lines().next().is_some_and(|line| line.ends_with("sh"));
            match output.run_as {
                RunAs::Shell if !is_foreign => self.add_text(&word, Reachability::Reached, 1),
                RunAs::Shell | RunAs::Code => self.add_program(&word, 1),
                RunAs::Recipe => self.add_code(&word, 1),
            }
        }
    }

    /// The call's variables count like assignments before the text.
    fn add_variables(&mut self, added: &[(String, String)]) {
        let assignments: Vec<Assignment> = added
            .iter()
            .map(|(name, value)| Assignment { name: name.clone(), value: Word::literal(value) })
            .collect();
        if !assignments.is_empty() {
            let command = Command { assignments, ..Command::default() };
            self.add(command, None, Reachability::Reached, 0);
        }
    }

    /// Substitutes known variables; one that a text sets is not known any more.
    fn substitute_known(&mut self, script: &mut Script) {
        let commands = || script.commands.iter().chain(&script.alternatives);
        self.known.retain(|(name, _)| !commands().any(|command| variables::sets(command, name)));
        let value_of = |hole: &Hole| {
            let name = hole.name.as_ref()?;
            self.known.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
        };
        for command in &mut script.commands {
            let targets = command.redirects.iter_mut().map(|redirect| &mut redirect.target);
            for word in command.words.iter_mut().chain(targets) {
                for piece in &mut word.pieces {
                    if let Piece::Hole(hole) = piece
                        && let Some(value) = value_of(hole)
                    {
                        *piece = Piece::Text(value);
                    }
                }
            }
        }
    }

    fn add_script(&mut self, script: Script, reachability: Reachability, depth: u32) {
        script.doubts.into_iter().for_each(|doubt| self.add_doubt(doubt));
        let mut before: Option<Command> = None;
        for command in script.commands {
            self.add(command.clone(), before.as_ref(), reachability, depth);
            before = Some(command);
        }
        for command in script.alternatives {
            self.add(command, None, Reachability::Possible, depth);
        }
    }

    fn add(
        &mut self,
        command: Command,
        before: Option<&Command>,
        reachability: Reachability,
        depth: u32,
    ) {
        if depth > MAX_DEPTH {
            self.add_unfollowed_tails(&command);
            return;
        }
        let inner = inner::commands_run_by(&command, before);
        let input = interpreters::input_texts(&command, before);
        self.written.extend(written_scripts::written(&command, &input));
        let name = command.words.first().map(base_name).unwrap_or_default();
        if written_scripts::writes_by_input(&name) {
            self.programs.extend(input.iter().map(Word::as_script));
        }
        // A wrapped command has its wrapper's input.
        let piped = command.piped;
        let is_document = |each: &&Redirect| each.kind == RedirectKind::Text;
        let documents: Vec<Redirect> =
            command.redirects.iter().filter(is_document).cloned().collect();
        self.commands.push(ReachableCommand { command, reachability });
        let reached = match reachability {
            Reachability::Literal | Reachability::Reached => Reachability::Reached,
            uncertain => uncertain,
        };
        for each in inner {
            match each {
                Inner::Words(words) => {
                    let fed = Command {
                        words,
                        redirects: documents.clone(),
                        piped,
                        ..Command::default()
                    };
                    self.add(fed, before, reached, depth + 1);
                }
                Inner::Text(text) => self.add_text(&text, reached, depth + 1),
                Inner::Foreign(text) => {
                    self.add_text(&text, reached, depth + 1);
                    self.add_fragments(&text.as_script());
                }
                Inner::Tails(words) => self.add_tails(&words, depth + 1),
                Inner::Code(text) => self.add_code(&text, depth + 1),
                Inner::Program(text) => self.add_program(&text, depth + 1),
                Inner::Guess(text) => self.add_guess(&text, depth + 1),
                Inner::Suspects(words) => self.add_suspects(&words, depth + 1),
                Inner::Doubt(doubt) => self.add_doubt(doubt),
            }
        }
    }

    fn add_text(&mut self, text: &Word, reachability: Reachability, depth: u32) {
        if text.has_hole() {
            self.add_doubt(MADE_WHEN_RUN);
        }
        let mut script = shell::parse(&text.as_script());
        self.substitute_known(&mut script);
        let is_broken = script.broken.is_some();
        self.add_script(script, reachability, depth);
        if is_broken {
            self.add_doubt(UNREADABLE_SCRIPT);
            self.add_fragments(&text.as_script());
        }
    }

    fn add_guesses(&mut self) {
        let mut guesses = Guesses::default();
        self.commands.iter().for_each(|reachable| guesses.learn(&reachable.command));
        let variants: Vec<Command> = self
            .commands
            .iter()
            .flat_map(|reachable| guesses.variants(&reachable.command))
            .collect();
        for variant in variants {
            self.add(variant, None, Reachability::Possible, 0);
        }
    }

    fn add_doubt(&mut self, doubt: Doubt) {
        let counts = self.guessing == 0 || doubt == TOO_DEEP;
        if counts && !self.doubts.contains(&doubt) {
            self.doubts.push(doubt);
        }
    }
}

/// The variables with known values; one that the call sets replaces another. A value with blanks or wildcards would
/// become several words, so it stays a guess.
fn with_added(known: &[(&str, &str)], added: &[(String, String)]) -> Vec<(String, String)> {
    let is_added = |name: &str| added.iter().any(|(own, _)| own == name);
    let is_one_word = |value: &str| {
        !value.is_empty() && !value.contains(|c: char| c.is_whitespace() || "*?[".contains(c))
    };
    let kept = known.iter().filter(|(name, _)| !is_added(name));
    let kept = kept.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    kept.chain(added.iter().filter(|(_, value)| is_one_word(value)).cloned()).collect()
}

/// Attaches a text to the commands that may read the call's input; another command may have read its start.
fn feed(script: &mut Script, text: &str) {
    let mut target = Word::default();
    if script.commands.len() > 1 {
        target.push(Piece::Hole(Hole::default()));
    }
    target.push(Piece::Text(text.to_owned()));
    let reads = |kind| matches!(kind, RedirectKind::Read | RedirectKind::Text);
    for command in &mut script.commands {
        if !command.piped && !command.redirects.iter().any(|each| reads(each.kind)) {
            command.redirects.push(Redirect { kind: RedirectKind::Text, target: target.clone() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{only_reads, programs};

    #[test]
    fn only_what_certainly_reads_only_reads() {
        for text in ["echo hi", "ls | wc -l", "git status; cat a", "find . -name x", "cd a"] {
            assert!(only_reads(text), "{text}");
        }
        for text in [
            "make",
            "./build.sh",
            "sh build.sh",
            "echo $(make)",
            "$CMD",
            "find . -exec npm ci {} +",
            "ls | xargs npm ci",
            "git commit -m x",
            "eval \"$x\"",
        ] {
            assert!(!only_reads(text), "{text}");
        }
    }

    #[test]
    fn only_what_runs_is_a_program() {
        for (text, expected) in [
            ("echo aws; cat ~/.aws/credentials", &["echo", "cat"][..]),
            ("aws s3 ls", &["aws"]),
            ("cd x && /usr/bin/git push | tee log", &["cd", "/usr/bin/git", "tee"]),
            ("FOO=1 sudo -n env A=b git push", &["sudo", "env", "git"]),
            ("timeout 5 xargs -n1 gh pr view", &["timeout", "xargs", "gh"]),
            ("bash -c 'git status; echo gh'", &["bash", "git", "echo"]),
            ("x=aws; : $x gh", &[":"]),
            ("# git", &[]),
        ] {
            let found = programs(text);
            assert!(
                expected.iter().all(|name| found.iter().any(|found| found == name)),
                "{text}: {found:?}"
            );
            let extra = found.iter().find(|found| !expected.contains(&found.as_str()));
            assert_eq!(extra, None, "{text}: {found:?}");
        }
    }
}
