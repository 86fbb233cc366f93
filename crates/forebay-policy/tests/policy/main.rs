//! The permission rules, held by tables of cases and by properties.

#![allow(clippy::unwrap_used, reason = "a table that cannot be read has failed")]

mod properties;
mod table;

use forebay_policy::{Decision, List, Origin};

/// Runs every case of a table file.
macro_rules! tables {
    ($($name:ident),* $(,)?) => {
        const TABLES: &[(&str, &str)] =
            &[$((stringify!($name), include_str!(concat!("cases/", stringify!($name), ".txt")))),*];
        $(#[test]
        fn $name() {
            table::check(stringify!($name), include_str!(concat!("cases/", stringify!($name), ".txt")));
        })*
    };
}

tables! {
    addresses,
    bash_patterns,
    compound,
    dodges,
    dynamic,
    file_commands,
    foreign_shells,
    modes,
    options,
    ordinary,
    paths,
    read_only,
    redirects,
    removals,
    runners,
    scopes,
    spellings,
    tools,
    variables,
    web,
}

/// The inputs of the fuzz target `bash` made a real bash run `sudo`, or would in another version.
#[test]
fn what_a_real_bash_ran_is_not_allowed() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/inputs/bash");
    let deny = (Origin::User, List::Deny, "Bash(sudo:*)".to_owned());
    let scene = table::Scene { rules: vec![deny], ..table::Scene::default() };
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        assert_ne!(scene.judge("Bash", &text).decision, Decision::Allow, "{text}");
        count += 1;
    }
    assert!(count >= 60, "{count} inputs");
}

#[test]
fn there_are_enough_cases_and_each_says_why() {
    let count: usize = TABLES.iter().map(|(_, text)| table::cases(text).len()).sum();
    assert!(count >= 1_000, "{count} cases");
    for (name, text) in TABLES {
        for case in table::cases(text) {
            assert!(!case.why.is_empty(), "{name}: {} says no why", case.line);
        }
    }
}
