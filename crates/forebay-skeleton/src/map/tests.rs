//! Maps of small repositories.

use super::*;
use crate::language::detect_language;

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

fn names<'a>(files: impl Iterator<Item = &'a (&'a str, &'a str)>) -> SymbolIndex {
    let mut names = SymbolIndex::default();
    for (path, text) in files {
        names.add(path, 0, &Tags::extract(text, detect_language(path, b"").unwrap()));
    }
    names
}

fn checked_map(options: MapOptions<'_>) -> RepositoryMap {
    let names_of_all = names(FILES.iter());
    let checked_map = build_map(&names_of_all, options);
    assert_eq!(checked_map, build_map(&names(FILES.iter().rev()), options));
    assert_eq!(
        checked_map,
        build_map(&SymbolIndex::from_bytes(&names_of_all.to_bytes()).unwrap(), options)
    );
    assert!(tokens::estimate(&checked_map.text) <= options.budget);
    checked_map
}

#[test]
fn ranks_referenced_definitions_first() {
    let checked_map = checked_map(MapOptions { budget: 1_000, ..MapOptions::default() });
    assert_eq!(checked_map.ranked[0], "src/store.rs");
    assert_eq!(checked_map.files_left_out, 0);
    insta::assert_snapshot!(checked_map.text, @r"
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
fn a_small_budget_keeps_the_best_definitions() {
    let checked_map = checked_map(MapOptions { budget: 16, ..MapOptions::default() });
    insta::assert_snapshot!(checked_map.text, @r"
    src/store.rs:
      pub struct EntryStore;  1
    ");
    assert_eq!(checked_map.files_left_out, 5);
}

#[test]
fn omits_focus_files_and_prefers_what_they_use() {
    let checked_map =
        checked_map(MapOptions { budget: 30, focus: &["web/page.ts"], ..MapOptions::default() });
    assert!(checked_map.text.starts_with("web/view.ts:\n"), "{}", checked_map.text);
    assert!(!checked_map.text.contains("web/page.ts"));
}

#[test]
fn mentioned_names_come_first() {
    let with =
        |mentioned| checked_map(MapOptions { budget: 20, mentioned, ..MapOptions::default() }).text;
    assert!(with(&["drawRows"]).contains("drawRows"), "{}", with(&["drawRows"]));
    assert!(!with(&[]).contains("drawRows"));
}

/// Returns the map of other files.
fn map_text(files: &[(&str, &str)], budget: u64) -> String {
    build_map(&names(files.iter()), MapOptions { budget, ..MapOptions::default() }).text
}

#[test]
fn lists_members_below_their_parent() {
    let text = map_text(
        &[
            (
                "a.py",
                "class Future:\n    def set_result(self, value):\n        pass\n\n\ndef helper():\n    pass\n\n\nclass Task:\n    def set_name(self, name):\n        pass\n",
            ),
            ("b.py", "def run(task):\n    task.set_name(1)\n    task.set_result(2)\n"),
            (
                "c.go",
                "package c\n\nfunc (s *Server) ListenHere() {}\n\nfunc (s *Server) StopHere() {}\n",
            ),
        ],
        1_000,
    );
    insta::assert_snapshot!(text, @r"
    a.py:
      class Future:  1
        def set_result(self, value):  2
      def helper():  6
      class Task:  10
        def set_name(self, name):  11
    c.go:
      Server
        func (s *Server) ListenHere()  3
        func (s *Server) StopHere()  5
    b.py:
      def run(task):  1
    ");
}

#[test]
fn shows_members_only_with_their_type() {
    let files: &[(&str, &str)] = &[
        ("a.py", "class Future:\n    def set_result_now(self, value):\n        pass\n"),
        ("b.py", "def run(task):\n    task.set_result_now(2)\n"),
    ];
    insta::assert_snapshot!(map_text(files, 18), @r"
    a.py:
      class Future:  1
        def set_result_now(self, value):  2
    ");
    assert!(!map_text(files, 12).contains("set_result_now"));
}

#[test]
fn omits_imports_and_ranks_private_items_last() {
    let files: &[(&str, &str)] = &[
        ("src/lib.rs", "mod inner_part;\nmod outer_part;\n"),
        (
            "src/inner_part.rs",
            "fn private_helper() {}\npub struct Runtime;\npub trait Job {\n    type Output;\n}\n",
        ),
        (
            "src/outer_part.rs",
            "use crate::inner_part::Runtime;\npub fn start(runtime: Runtime) { private_helper(); inner_part(); Output; }\n",
        ),
        ("app.js", "const express = require('express');\nfunction listen() {}\n"),
        ("server.js", "const express = require('express');\nexpress();\n"),
    ];
    let text = map_text(files, 1_000);
    for left_out in ["mod ", "type Output", "require"] {
        assert!(!text.contains(left_out), "{text}");
    }
    insta::assert_snapshot!(map_text(files, 14), @r"
    src/inner_part.rs:
      pub struct Runtime;  2
    ");
}

#[test]
fn names_only_match_within_a_language_family() {
    let files: &[(&str, &str)] = &[
        ("a.py", "def shared_name():\n    pass\n"),
        ("b.rs", "pub fn shared_name() {}\n"),
        ("c.rs", "fn main() { shared_name(); }\n"),
    ];
    let ranked =
        build_map(&names(files.iter()), MapOptions { budget: 100, ..MapOptions::default() }).ranked;
    assert_eq!(ranked[0], "b.rs");
    let ts: &[(&str, &str)] = &[
        ("a.js", "export function sharedName() {}\n"),
        ("b.ts", "import { sharedName } from './a';\nexport const x = sharedName();\n"),
    ];
    let ranked =
        build_map(&names(ts.iter()), MapOptions { budget: 100, ..MapOptions::default() }).ranked;
    assert_eq!(ranked[0], "a.js");
}

#[test]
fn definitions_used_by_others_come_before_those_at_module_level() {
    let service = |name: &str| {
        format!(
            "import logging\nlogger = logging.getLogger(__name__)\nregister_all = setup_everything()\n\n\ndef {name}():\n    logger.info(register_all)\n    logger.debug(helper())\n"
        )
    };
    let (one, two, three) = (service("one"), service("two"), service("three"));
    let files: &[(&str, &str)] = &[
        ("a.py", &one),
        ("b.py", &two),
        ("c.py", &three),
        ("lib.py", "def helper():\n    pass\n"),
    ];
    let text = map_text(files, 1_000);
    assert!(text.starts_with("lib.py:\n  def helper():  1\n"), "{text}");
    assert!(!map_text(files, 12).contains("logger"), "{}", map_text(files, 12));
}

#[test]
fn an_empty_index_gives_an_empty_map() {
    let empty =
        build_map(&SymbolIndex::default(), MapOptions { budget: 100, ..MapOptions::default() });
    assert_eq!((empty.text.as_str(), empty.files, empty.definitions), ("", 0, 0));
}

#[test]
fn touched_files_raise_the_rank_of_what_they_use() {
    let with =
        |touched| checked_map(MapOptions { budget: 30, touched, ..MapOptions::default() }).ranked;
    assert_eq!(with(&[])[0], "src/store.rs");
    assert_eq!(with(&["web/page.ts"])[0], "web/view.ts");
}
