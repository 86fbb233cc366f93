//! How long a decision over 200 rules takes; prints the median of many rounds in microseconds.
//!
//! `cargo xtask bench` runs it and compares the figure with its target.

#![expect(clippy::print_stdout, reason = "the figure is what it is for")]

use std::hint::black_box;
use std::time::Instant;

use forebay_policy::{
    Action, Call, CallContext, List, Mode, Origin, Rules, Trust, Unmatched, judge, no_links,
};

const ROUNDS: usize = 400;
/// What agents run: plain, chained, piped, wrapped, scripted.
const COMMANDS: &[&str] = &[
    "git status",
    "cargo test --workspace -- --nocapture 2>&1 | tail -50",
    "cd crates/app && npm run build && npm test",
    "timeout 60 env RUST_LOG=debug cargo run --release -- --port 8080",
    "for f in src/*.rs; do wc -l \"$f\"; done | sort -n | tail -5",
    "bash -c 'grep -rn \"fn main\" src | head -3 && cat Cargo.toml'",
    "find . -name '*.log' -mtime +3 -exec gzip {} \\;",
];

fn main() {
    let (rules, _) =
        Rules::compile(written().iter().map(|(list, text)| (Origin::User, *list, text.as_str())));
    let context = CallContext {
        cwd: "/home/user/project",
        root: "/home/user/project",
        home: Some("/home/user"),
        directories: &[],
        trust: Trust::Workspace,
        mode: Mode::Forebay(Unmatched::Run),
        ignores_case: false,
        allows_loopback: false,
        real_path: &no_links,
    };
    let mut worst = 0.0_f64;
    let mut all = Vec::new();
    for command in COMMANDS {
        let call = Call { tool: "Bash", action: Action::Run(command), parameters: &[] };
        let mut rounds: Vec<f64> = (0..ROUNDS)
            .map(|_| {
                let started = Instant::now();
                black_box(judge(black_box(&call), &rules, &context));
                started.elapsed().as_secs_f64() * 1e6
            })
            .collect();
        rounds.sort_by(f64::total_cmp);
        worst = worst.max(rounds[ROUNDS / 2]);
        all.extend(rounds);
    }
    all.sort_by(f64::total_cmp);
    println!("{:.1} {worst:.1}", all[all.len() / 2]);
}

/// 200 rules of the kinds people write.
fn written() -> Vec<(List, String)> {
    let mut rules = Vec::new();
    for number in 0..50 {
        rules.push((List::Deny, format!("Bash(tool{number} delete:*)")));
        rules.push((List::Deny, format!("Read(**/secret{number}/**)")));
        rules.push((List::Ask, format!("Bash(deploy{number} *)")));
        rules.push((List::Allow, format!("Bash(make target{number})")));
    }
    rules
}
