//! Parsing any text as a shell command terminates, and no text disables a deny rule.
#![no_main]

use std::sync::LazyLock;

use forebay_fuzz::decide;
use forebay_policy::{Decision, List, Origin, Rules, shell};
use libfuzzer_sys::fuzz_target;

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let rules = [
        (Origin::User, List::Deny, "Bash(sudo:*)"),
        (Origin::User, List::Deny, "Read(.env)"),
        (Origin::Project, List::Ask, "Bash(git push *)"),
        (Origin::Project, List::Allow, "Bash(ls:*)"),
    ];
    Rules::compile(rules).0
});

fuzz_target!(|text: &str| {
    let script = shell::parse(text);
    assert_eq!(script, shell::parse(text));
    let verdict = decide(text, &RULES);
    assert_eq!(verdict, decide(text, &RULES));
    assert_eq!(decide(&format!("sudo ls\n{text}"), &RULES).decision, Decision::Deny);
});
