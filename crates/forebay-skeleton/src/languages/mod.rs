//! The languages: one file with a table and one with a query each.

use crate::language::Language;

macro_rules! languages {
    ($($name:ident),* $(,)?) => {
        $(mod $name;)*

        pub(crate) static ALL: [Language; [$(stringify!($name)),*].len()] =
            [$(Language::of(&$name::TABLE)),*];
    };
}

languages! {
    rust, typescript, tsx, javascript, python, go, java, c, cpp, c_sharp, ruby, php, kotlin, swift, scala, lua, elixir, bash, haskell, zig, r, sql, css, html, json, yaml, toml, markdown, proto, dockerfile, make,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_query_compiles() {
        let faults = ALL.iter().filter_map(|language| {
            language.compiled().err().map(|error| format!("{language:?}: {error}"))
        });
        assert_eq!(faults.collect::<Vec<_>>().join("\n"), "");
    }
}
