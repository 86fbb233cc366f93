//! Maps of small repositories.

use super::*;
use crate::language::language_of;

const FILES: &[(&str, &str)] = &[
    (
        "src/store.rs",
        "pub struct EntryStore;\nimpl EntryStore {\n    pub fn open_store() -> Self { EntryStore }\n}\npub fn unused_here() {}\n",
    ),
    (
        "src/app.rs",
        "use crate::store::EntryStore;\npub fn run_app() { let store = EntryStore::open_store(); }\n",
    ),
    (
        "src/cli.rs",
        "use crate::store::EntryStore;\nuse crate::app::run_app;\nfn main() { EntryStore::open_store(); run_app(); }\n",
    ),
    ("src/lonely.rs", "pub fn nobody_calls_this() {}\n"),
    ("web/view.ts", "export class TableView { drawRows(rows: string[]): void {} }\n"),
    (
        "web/page.ts",
        "import { TableView } from './view';\nexport const page = () => { new TableView().drawRows([]); };\n",
    ),
];

fn names(files: impl Iterator<Item = &'static (&'static str, &'static str)>) -> RepositoryNames {
    let mut names = RepositoryNames::default();
    for (path, text) in files {
        names.add(path, 0, &Tags::of(text, language_of(path, b"").unwrap()));
    }
    names
}

fn drawn(options: MapOptions<'_>) -> RepositoryMap {
    let names_of_all = names(FILES.iter());
    let drawn = map(&names_of_all, options);
    assert_eq!(drawn, map(&names(FILES.iter().rev()), options));
    assert_eq!(drawn, map(&RepositoryNames::unpack(&names_of_all.pack()).unwrap(), options));
    assert!(tokens::of(&drawn.text) <= options.budget);
    drawn
}

#[test]
fn what_others_use_comes_first() {
    let drawn = drawn(MapOptions { budget: 1_000, ..MapOptions::default() });
    assert_eq!(drawn.ranked[0], "src/store.rs");
    assert_eq!(drawn.files_left_out, 0);
    insta::assert_snapshot!(drawn.text, @r"
    src/store.rs:
      pub struct EntryStore;  1
        pub fn open_store() -> Self  3
      pub fn unused_here()  5
    web/view.ts:
      export class TableView  1
        drawRows(rows: string[]): void  1
    src/app.rs:
      pub fn run_app()  2
    src/lonely.rs:
      pub fn nobody_calls_this()  1
    web/page.ts:
      export const page = () => ...  2
    src/cli.rs:
      fn main()  3
    ");
}

#[test]
fn a_small_budget_keeps_the_best() {
    let drawn = drawn(MapOptions { budget: 16, ..MapOptions::default() });
    insta::assert_snapshot!(drawn.text, @r"
    src/store.rs:
      pub struct EntryStore;  1
    ");
    assert_eq!(drawn.files_left_out, 5);
}

#[test]
fn the_focus_is_left_out_and_what_it_uses_comes_first() {
    let drawn = drawn(MapOptions { budget: 30, focus: &["web/page.ts"], ..MapOptions::default() });
    assert!(drawn.text.starts_with("web/view.ts:\n"), "{}", drawn.text);
    assert!(!drawn.text.contains("web/page.ts"));
}

#[test]
fn what_was_mentioned_comes_first() {
    let with =
        |mentioned| drawn(MapOptions { budget: 20, mentioned, ..MapOptions::default() }).text;
    assert!(with(&["drawRows"]).contains("drawRows"), "{}", with(&["drawRows"]));
    assert!(!with(&[]).contains("drawRows"));
}

#[test]
fn nothing_makes_an_empty_map() {
    let empty =
        map(&RepositoryNames::default(), MapOptions { budget: 100, ..MapOptions::default() });
    assert_eq!((empty.text.as_str(), empty.files, empty.definitions), ("", 0, 0));
}

#[test]
fn what_was_looked_at_draws_the_rest() {
    let with = |touched| drawn(MapOptions { budget: 30, touched, ..MapOptions::default() }).ranked;
    assert_eq!(with(&[])[0], "src/store.rs");
    assert_eq!(with(&["web/page.ts"])[0], "web/view.ts");
}
