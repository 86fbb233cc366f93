//! The permission rules, held by tables of cases and by properties.

#![allow(clippy::unwrap_used, reason = "a table that cannot be read has failed")]

mod properties;
mod table;

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

#[test]
fn there_are_enough_cases_and_each_says_why() {
    let count: usize = TABLES.iter().map(|(_, text)| table::cases(text).len()).sum();
    assert!(count >= 300, "{count} cases");
    for (name, text) in TABLES {
        for case in table::cases(text) {
            assert!(!case.why.is_empty(), "{name}: {} says no why", case.line);
        }
    }
}
