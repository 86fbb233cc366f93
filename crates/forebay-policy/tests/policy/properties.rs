//! What must hold for any rules and any call.

use forebay_policy::{Decision, List, Mode, Origin, Trust, Unmatched};
use proptest::prelude::*;

use crate::table::Scene;

/// Pieces that meet each other in commands people and attackers write.
const PIECES: &[&str] = &[
    "sudo",
    "ls",
    "git",
    "push",
    "rm -rf",
    "cat",
    ".env",
    "$x",
    "$(",
    ")",
    "`",
    "'",
    "\"",
    "\\",
    "\n",
    ";",
    "&&",
    "|",
    "||",
    "&",
    ">",
    "<",
    "<<E",
    "E",
    "{",
    "}",
    "(",
    "((",
    "))",
    "[[",
    "]]",
    "if",
    "then",
    "fi",
    "for x in",
    "do",
    "done",
    "case x in",
    "esac",
    "a)",
    ";;",
    "x=sudo",
    "${x}",
    "${x:-",
    "*",
    "?",
    "[a]",
    "~",
    "/",
    "/usr/bin/",
    "env",
    "timeout 5",
    "xargs",
    "find . -exec",
    "\\;",
    "bash -c",
    "eval",
    "#",
    " ",
    "=",
    "$'",
    "\\x73",
    "{a,b}",
    "!",
    "time",
    "coproc",
    "function f",
    "f()",
    "-",
    "\u{200b}",
    "\0",
    "é",
    "\t",
    "--",
    "1",
    "2>&1",
];

const RULES: &[&str] = &[
    "Bash",
    "Bash(*)",
    "Bash(sudo:*)",
    "Bash(git push *)",
    "Bash(ls)",
    "Bash(rm -rf:*)",
    "Bash(* .env)",
    "Read(.env)",
    "Read(~/**)",
    "Edit(/src/**)",
    "Edit(//etc/**)",
    "Read",
    "Edit",
    "WebFetch",
    "WebFetch(domain:*.x.com)",
    "mcp__a",
    "mcp__a__*",
    "Write",
    "Bash(cat:*)",
    "Bash(x:*)",
    "*",
    "Bash(run_in_background:true)",
    "Bash(curl * | sh)",
    "oops(",
    "Write(x)",
];

fn command() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(PIECES).prop_map(str::to_owned);
    let spaced =
        (piece, prop::bool::ANY).prop_map(|(text, gap)| if gap { text + " " } else { text });
    prop_oneof![
        4 => prop::collection::vec(spaced, 0..14).prop_map(|pieces| pieces.concat()),
        1 => any::<String>(),
    ]
}

fn call() -> impl Strategy<Value = (&'static str, String)> {
    prop_oneof![
        4 => command().prop_map(|text| ("Bash", text)),
        1 => "[a-z./~*]{0,12}|\\.env|/etc/x".prop_map(|path| ("Read", path)),
        1 => "[a-z./~*]{0,12}|\\.env|src/.git/x".prop_map(|path| ("Edit", path)),
        1 => "https?://[a-z0-9.@:\\[\\]%-]{0,20}/?".prop_map(|url| ("WebFetch", url)),
        1 => Just(("mcp__a__b", String::new())),
    ]
}

fn sourced(list: List) -> impl Strategy<Value = (Origin, List, String)> {
    (prop::sample::select(&Origin::ALL), prop::sample::select(RULES))
        .prop_map(move |(origin, text)| (origin, list, text.to_owned()))
}

fn scene() -> impl Strategy<Value = Scene> {
    let list = prop::sample::select(&[List::Deny, List::Ask, List::Allow]);
    let rules = prop::collection::vec(list.prop_flat_map(sourced), 0..5);
    let modes = [
        Mode::Forebay(Unmatched::Run),
        Mode::Forebay(Unmatched::Ask),
        Mode::Default,
        Mode::AcceptEdits,
        Mode::Plan,
        Mode::DontAsk,
        Mode::BypassPermissions,
    ];
    let trust = prop::sample::select(&[Trust::Workspace, Trust::LocalFile, Trust::Nothing]);
    (rules, prop::sample::select(modes.to_vec()), trust).prop_map(|(rules, mode, trust)| Scene {
        rules,
        mode,
        trust,
        ..Scene::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_further_deny_or_ask_never_loosens(
        scene in scene(),
        (tool, input) in call(),
        rule in prop_oneof![sourced(List::Deny), sourced(List::Ask)],
        at in any::<prop::sample::Index>(),
    ) {
        let before = scene.judge(tool, &input);
        let mut stricter = scene;
        let at = at.index(stricter.rules.len() + 1);
        stricter.rules.insert(at, rule);
        let after = stricter.judge(tool, &input);
        prop_assert!(after.decision >= before.decision, "{} -> {}", before.reason, after.reason);
    }

    #[test]
    fn a_further_allow_never_undoes_a_deny(
        scene in scene(),
        (tool, input) in call(),
        rule in sourced(List::Allow),
    ) {
        let before = scene.judge(tool, &input);
        let mut looser = scene;
        looser.rules.push(rule);
        let denied = looser.mode != Mode::DontAsk && before.decision == Decision::Deny;
        prop_assert!(!denied || looser.judge(tool, &input).decision == Decision::Deny);
    }

    #[test]
    fn the_same_call_is_judged_the_same(scene in scene(), (tool, input) in call()) {
        prop_assert_eq!(scene.judge(tool, &input), scene.judge(tool, &input));
    }

    #[test]
    fn a_denied_command_stays_denied_whatever_follows(tail in command()) {
        let scene = Scene {
            rules: vec![(Origin::User, List::Deny, "Bash(sudo:*)".to_owned())],
            ..Scene::default()
        };
        let verdict = scene.judge("Bash", &format!("sudo ls\n{tail}"));
        prop_assert_eq!(verdict.decision, Decision::Deny);
    }

    #[test]
    fn appending_a_command_never_allows_more(first in command(), second in command()) {
        let scene = Scene {
            rules: vec![
                (Origin::User, List::Deny, "Bash(git push *)".to_owned()),
                (Origin::User, List::Ask, "Read(.env)".to_owned()),
            ],
            ..Scene::default()
        };
        let alone = scene.judge("Bash", &first).decision;
        let joined = scene.judge("Bash", &format!("{first}\n{second}")).decision;
        let reads_on = first.contains("<<") || first.ends_with('\\') || first.contains(['\'', '"', '`', '(', '{', '#', '$']);
        prop_assert!(reads_on || joined >= alone || alone == Decision::Ask);
    }
}
