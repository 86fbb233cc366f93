//! Permission rules that hosts keep in their own files, translated into Forebay's rule syntax.
//!
//! Forebay's rules have the syntax of Claude Code's; the rules of every other host are translated. All of
//! them apply to everything Forebay runs, whichever client calls: a deny rule counts wherever the user
//! wrote it. What a host allows counts as an allow rule of the user or of the project, depending on where
//! the file is, and never overrides a deny rule. A rule that cannot be translated is skipped and reported.
//!
//! Pure: a parser takes the text of a file. A platform's table says where the files are.
//!
//! Not read:
//! - GitHub Copilot CLI: rules come from its command line; `permissions-config.json` records approvals in
//!   an undocumented format;
//! - Factory's Droid: the format of `permissionRules` in `.factory/settings.json` is not confirmed;
//! - system-wide rules that administrators set for hosts other than Claude Code.

mod claude_code;
mod codex;
mod cursor;
mod gemini_cli;
mod glob;
mod jsonc;
mod opencode;
mod precedence;
mod qwen_code;
mod source;
mod starlark;
mod translate;

pub(crate) use claude_code::{SOURCES as CLAUDE_CODE, TRUST as CLAUDE_CODE_TRUST};
pub(crate) use codex::SOURCES as CODEX;
pub(crate) use cursor::SOURCES as CURSOR;
pub(crate) use gemini_cli::SOURCES as GEMINI_CLI;
pub(crate) use opencode::SOURCES as OPENCODE;
pub(crate) use qwen_code::SOURCES as QWEN_CODE;
pub use source::{
    Diagnostic, ParseContext, ParsedRules, RuleFolder, RuleSource, SourceKind, TrustFile,
};

#[cfg(test)]
mod tests {
    use forebay_policy::{
        Action, Call, CallContext, Decision, Mode, Origin, Rules, Trust, Unmatched, judge,
    };
    use proptest::prelude::*;

    use super::*;
    use crate::PLATFORMS;

    fn decision(parsed: &ParsedRules, command: &str) -> Decision {
        let rows = parsed.rules.iter().map(|(list, text)| (Origin::Project, *list, text.as_str()));
        let (rules, warnings) = Rules::compile(rows);
        assert!(warnings.is_empty(), "{warnings:?}");
        let context = CallContext {
            cwd: "/p",
            root: "/p",
            home: Some("/h"),
            directories: &[],
            trust: Trust::Workspace,
            mode: Mode::Forebay(Unmatched::Run),
            ignores_case: false,
            allows_loopback: false,
            real_path: &|_| None,
        };
        judge(
            &Call { tool: "Bash", action: Action::Run(command), parameters: &[] },
            &rules,
            &context,
        )
        .decision
    }

    #[track_caller]
    pub(super) fn assert_denied(parsed: &ParsedRules, command: &str) {
        assert_eq!(decision(parsed, command), Decision::Deny, "{command}: {:?}", parsed.rules);
    }

    #[track_caller]
    pub(super) fn assert_asked(parsed: &ParsedRules, command: &str) {
        assert_eq!(decision(parsed, command), Decision::Ask, "{command}: {:?}", parsed.rules);
    }

    #[track_caller]
    pub(super) fn assert_allowed(parsed: &ParsedRules, command: &str) {
        assert_eq!(decision(parsed, command), Decision::Allow, "{command}: {:?}", parsed.rules);
    }

    fn all_sources() -> impl Iterator<Item = &'static RuleSource> {
        PLATFORMS.iter().flat_map(|platform| platform.permissions)
    }

    proptest! {
        #[test]
        fn parsers_accept_or_reject_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let text = String::from_utf8_lossy(&bytes);
            for source in all_sources() {
                let _ = (source.parse)(&text, &ParseContext::user());
            }
        }

        /// Arbitrary patterns and rules inside an otherwise valid file.
        #[test]
        fn parsers_accept_or_report_any_rule(rule in "(?s).{0,30}", pattern in r"[*?/.~a\\(\[: ]{0,12}") {
            let quoted = serde_json::to_string(&rule).unwrap();
            let wild = serde_json::to_string(&pattern).unwrap();
            let words = format!("[{quoted}, {wild}]");
            let texts = [
                format!(r#"{{"permissions": {{"deny": {words}, "allow": {words}}}, "tools": {{"exclude": {words}}}}}"#),
                format!(r#"{{"permission": {{"bash": {{{wild}: "deny", {quoted}: "allow"}}, "read": {{{wild}: "deny"}}, "webfetch": {{{wild}: "ask"}}}}}}"#),
                format!("prefix_rule(pattern = {words}, decision = 'forbidden')"),
                format!("[[rule]]\ntoolName = 'run_shell_command'\ncommandPrefix = {words}\ndecision = 'deny'\npriority = 1"),
            ];
            for source in all_sources() {
                for text in &texts {
                    if let Ok(parsed) = (source.parse)(text, &ParseContext::project()) {
                        Rules::compile(parsed.rules.iter().map(|(list, text)| (Origin::User, *list, &**text)));
                    }
                }
            }
        }
    }
}
