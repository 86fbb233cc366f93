//! Parsing any text as a shell command terminates, and no text disables a deny rule.
#![no_main]

use std::sync::LazyLock;

use forebay_policy::{
    Action, Call, CallContext, Decision, List, Mode, Origin, Rules, Trust, Unmatched, Verdict,
    judge, no_links, shell,
};
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
    let verdict = decide(text);
    assert_eq!(verdict, decide(text));
    assert_eq!(decide(&format!("sudo ls\n{text}")).decision, Decision::Deny);
});

fn decide(command: &str) -> Verdict {
    let context = CallContext {
        cwd: "/home/user/p",
        root: "/home/user/p",
        home: Some("/home/user"),
        directories: &[],
        trust: Trust::Workspace,
        mode: Mode::Forebay(Unmatched::Run),
        ignores_case: false,
        allows_loopback: false,
        real_path: &no_links,
    };
    judge(&Call { tool: "Bash", action: Action::Run(command), parameters: &[] }, &RULES, &context)
}
