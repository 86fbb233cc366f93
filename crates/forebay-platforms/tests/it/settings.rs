//! Settings edits are undone byte for byte, whatever the file looks like.

use forebay_platforms::setup::{self, INSTRUCTIONS, Level, NEW_FILE, Step};
use forebay_platforms::{PLATFORMS, find};
use proptest::prelude::*;

const PROGRAM: &str = "/usr/local/bin/forebay";

fn step(id: &str, level: Level, path: &str, nth: usize) -> Step {
    let steps = setup::steps(find(id).unwrap(), level);
    steps.into_iter().filter(|step| step.path == path).nth(nth).unwrap()
}

fn servers() -> Step {
    step("gemini-cli", Level::User, ".gemini/settings.json", 0)
}

fn hooks() -> Step {
    step("gemini-cli", Level::User, ".gemini/settings.json", 1)
}

fn cursor_hooks() -> Step {
    step("cursor", Level::User, ".cursor/hooks.json", 0)
}

fn codex() -> Step {
    step("codex", Level::User, "config.toml", 0)
}

fn instructions() -> Step {
    step("claude-code", Level::Project, "CLAUDE.md", 0)
}

/// Adds twice and removes; returns the edited text.
#[track_caller]
fn round_trip(step: &Step, text: &str) -> String {
    let added = step.add(text, PROGRAM).unwrap();
    assert_ne!(added, text);
    assert_eq!(step.add(&added, PROGRAM).unwrap(), added, "adding is idempotent");
    assert_eq!(step.remove(&added).unwrap(), text, "edited:\n{added}");
    assert_eq!(step.remove(text).unwrap(), text, "nothing to remove");
    added
}

#[test]
fn creates_every_file_of_every_host() {
    for platform in PLATFORMS {
        let mut text = String::new();
        for level in [Level::User, Level::Project] {
            for step in setup::steps(platform, level) {
                let added = step.add(NEW_FILE, PROGRAM).unwrap();
                assert_eq!(step.remove(&added).unwrap(), NEW_FILE, "{} {}", platform.id, step.path);
                text.push_str(&format!("## {level:?} {:?} {}\n{added}\n", step.base, step.path));
            }
        }
        insta::with_settings!({prepend_module_to_snapshot => false, omit_expression => true}, {
            insta::assert_snapshot!(format!("setup-{}", platform.id), text);
        });
    }
}

#[test]
fn keeps_comments_order_and_commas() {
    let text = "// mine\n{\n\t\"b\": 1, // one\n\t/* two */ \"a\": [1, 2,],\n\t\"mcpServers\": {\n\t\t\"x\": {}, // last\n\t},\n}\n";
    let added = round_trip(&servers(), text);
    insta::assert_snapshot!(added);
    insta::assert_snapshot!("hooks_beside_others", round_trip(&hooks(), &added));
}

#[test]
fn comment_stays_with_its_property() {
    let added = round_trip(&servers(), "{\n  \"a\": 1 // about a\n}\n");
    assert!(added.contains("\"a\": 1, // about a\n  \"mcpServers\": {"), "{added}");
}

#[test]
fn distinguishes_empty_objects_from_missing_ones() {
    for text in [
        "{}",
        "{ }",
        "{\n}",
        "{\n}\n",
        "{\"mcpServers\": {}}",
        "{\n  \"mcpServers\": {\n  }\n}\n",
        "{\"mcpServers\": { /* none */ }}",
        "{\"hooks\": {\"BeforeTool\": []}}",
        "{\"hooks\": {\"BeforeTool\": [\n]}}",
        "",
        "\n",
        " \n\n",
        "// only a word\n",
        "{\"a\":1}",
        "{\"a\":1,}",
        "\u{feff}{\r\n  \"a\": 1\r\n}\r\n",
        "{\"hooks\": {\"BeforeTool\": [{\"hooks\": []}], \"Other\": [1]}}",
    ] {
        round_trip(&servers(), text);
        round_trip(&hooks(), text);
        let both = hooks().add(&servers().add(text, PROGRAM).unwrap(), PROGRAM).unwrap();
        assert_eq!(hooks().remove(&servers().remove(&both).unwrap()).unwrap(), text, "{both}");
        assert_eq!(servers().remove(&hooks().remove(&both).unwrap()).unwrap(), text, "{both}");
    }
}

#[test]
fn version_is_added_and_removed_only_in_own_files() {
    for text in [
        "{}",
        "\n",
        "{\"version\": 1}",
        "{\n  \"version\": 1,\n  \"hooks\": {}\n}\n",
        "{\"hooks\": {}, \"version\": 1}",
    ] {
        let added = round_trip(&cursor_hooks(), text);
        assert!(added.contains("\"version\": 1"), "{added}");
    }
}

#[test]
fn keeps_other_hooks() {
    let text = r#"{"hooks": {"BeforeTool": [{"matcher": "x", "hooks": [{"type": "command", "command": "lint hook"}]}]}}"#;
    let added = round_trip(&hooks(), text);
    assert!(
        added.contains("lint hook") && added.contains("forebay hook gemini-cli BeforeTool"),
        "{added}"
    );
}

#[test]
fn updates_older_entries() {
    let old = servers().add("{\n  \"a\": 1\n}\n", "/old/forebay").unwrap();
    let new = servers().add(&old, PROGRAM).unwrap();
    assert!(new.contains(PROGRAM) && !new.contains("/old/"), "{new}");
    let old = hooks().add("{}", "/old/forebay").unwrap();
    let new = hooks().add(&old, PROGRAM).unwrap();
    assert!(new.contains(PROGRAM) && !new.contains("/old/"), "{new}");
    assert_eq!(hooks().remove(&new).unwrap(), "{}");
    let old = codex().add("model = \"x\"\n", "/old/forebay").unwrap();
    let new = codex().add(&old, PROGRAM).unwrap();
    assert_eq!(new, codex().add("model = \"x\"\n", PROGRAM).unwrap());
    assert_eq!(codex().remove(&new).unwrap(), "model = \"x\"\n");
}

#[test]
fn quotes_program_path_with_spaces() {
    let added = hooks().add("{}", "/opt/my tools/forebay").unwrap();
    assert!(
        added.contains(r#"exec \"/opt/my tools/forebay\" hook gemini-cli BeforeTool'""#),
        "{added}"
    );
    assert_eq!(hooks().remove(&added).unwrap(), "{}");
    let added = hooks().add("{}", "/opt/it's/$x").unwrap();
    assert!(added.contains(r#"exec \"/opt/it'\\''s/\\$x\" hook"#), "{added}");
    assert_eq!(hooks().remove(&added).unwrap(), "{}");
}

/// What earlier versions wrote is still recognized as ours.
#[test]
fn updates_hooks_without_a_guard() {
    let old = r#"{"hooks": {"BeforeTool": [{"matcher": "*", "hooks": [{"type": "command", "command": "forebay hook gemini-cli BeforeTool"}]}]}}"#;
    let new = hooks().add(old, PROGRAM).unwrap();
    assert_eq!(new.matches("hook gemini-cli BeforeTool").count(), 1, "{new}");
    assert!(new.contains("command -v"), "{new}");
}

#[test]
fn rejects_malformed_and_foreign_files() {
    for text in
        ["{", "[1]", "7", "{\"mcpServers\": []}", "{\"mcpServers\": null}", "{'a': 1}", "{\"a\" 1}"]
    {
        assert!(servers().add(text, PROGRAM).is_err(), "{text}");
    }
    for text in ["{\"hooks\": []}", "{\"hooks\": {\"BeforeTool\": {}}}"] {
        assert!(hooks().add(text, PROGRAM).is_err(), "{text}");
    }
    for text in ["[", "mcp_servers = 1", "mcp_servers = {}", "[mcp_servers]\nforebay = {}\n"] {
        assert!(codex().add(text, PROGRAM).is_err(), "{text}");
    }
    assert!(instructions().add("<!-- forebay:begin -->", PROGRAM).is_err());
    assert!(instructions().remove("<!-- forebay:end --> <!-- forebay:begin -->").is_err());
    let plugin = step("opencode", Level::User, "opencode/plugin/forebay.js", 0);
    assert!(plugin.add("export const Mine = 1", PROGRAM).is_err());
    assert_eq!(plugin.remove("export const Mine = 1").unwrap(), "export const Mine = 1");
}

#[test]
fn toml_edit_keeps_the_rest() {
    for text in [
        "",
        "\n",
        "model = \"gpt-5.5\" # mine",
        "model = \"x\"\n\n",
        "a = 1\r\n[b]\r\nc = 2\r\n",
        "[mcp_servers.other]\ncommand = \"x\"\n",
        "# only a word\n",
        "\u{feff}a = 1\n",
        "[mcp_servers]\n",
        "x = \"\"\"\n\n\"\"\"\n",
        "a = 1\n  ",
    ] {
        round_trip(&codex(), text);
    }
    insta::assert_snapshot!(round_trip(
        &codex(),
        "# mine\nmodel = \"gpt-5.5\"   # best\n\n[projects.\"/home/user/p\"]\ntrust_level = \"trusted\"\n"
    ));
}

/// Codex adds its own tables after and below Forebay's.
#[test]
fn keeps_toml_tables_added_later() {
    let added = codex().add("a = 1\n", PROGRAM).unwrap();
    let later = format!("{added}\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n");
    assert_eq!(
        codex().remove(&later).unwrap(),
        "a = 1\n\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n"
    );
    let below = format!(
        "{added}\n[mcp_servers.forebay.tools.ctx_get]\napproval_mode = \"auto\"\n\n[z]\nb = 2\n"
    );
    assert_eq!(codex().remove(&below).unwrap(), "a = 1\n\n[z]\nb = 2\n");
}

#[test]
fn instructions_leave_the_rest_of_the_file_unchanged() {
    for text in [
        "",
        "\n",
        "# Mine\n",
        "# Mine",
        "# Mine\r\n\r\nWords.\r\n",
        "\u{feff}# Mine\n\n\n",
        "a\n \n",
    ] {
        round_trip(&instructions(), text);
    }
    let added = instructions().add("# Mine\n", PROGRAM).unwrap();
    let older = added.replace("large output", "big output");
    assert_eq!(instructions().add(&older, PROGRAM).unwrap(), added);
}

/// The product estimates four bytes per token; English has about four and a half.
#[test]
fn instructions_are_short() {
    let tokens = forebay_domain::tokens::estimate(INSTRUCTIONS);
    assert!(tokens <= 150, "{tokens} tokens");
}

/// Whitespace and comments.
fn whitespace() -> impl Strategy<Value = String> {
    const PIECES: &[&str] =
        &["", "", "", " ", "\n", "\n  ", "\t", "\r\n", " // word\n", " /* word */ ", "\n\n    "];
    prop::sample::select(PIECES).prop_map(str::to_owned)
}

/// JSON with comments and any layout, sometimes with the keys that Forebay edits.
fn jsonc() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "1",
        "-2.5",
        "true",
        "null",
        "\"a\"",
        "\"é//\\\"\"",
        "{}",
        "[]",
        "\"}\"",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(4, 30, 4, |inner| {
        prop_oneof![listed(inner.clone(), '[', ']'), object(inner)]
    })
}

fn listed(
    item: impl Strategy<Value = String>,
    open: char,
    close: char,
) -> impl Strategy<Value = String> {
    let items = prop::collection::vec((whitespace(), item, whitespace()), 0..4);
    (items, any::<bool>(), whitespace()).prop_map(move |(items, has_trailing_comma, end)| {
        let has_items = !items.is_empty();
        let items: Vec<String> = items.into_iter().map(|(a, b, c)| a + &b + &c).collect();
        let comma = if has_trailing_comma && has_items { "," } else { "" };
        format!("{open}{}{comma}{end}{close}", items.join(","))
    })
}

fn object(value: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec!["a", "b", "c", "d", "e"]);
    let servers = prop_oneof![Just("\"mcpServers\""), Just("\"hooks\"")];
    let name = prop_oneof![4 => name.prop_map(|name| format!("\"{name}\"")), 1 => servers.prop_map(str::to_owned)];
    let property =
        (name, whitespace(), whitespace(), value).prop_map(|(n, a, b, v)| format!("{n}{a}:{b}{v}"));
    listed(property, '{', '}')
}

fn file() -> impl Strategy<Value = String> {
    (whitespace(), object(jsonc()), whitespace(), any::<bool>()).prop_map(
        |(a, object, b, has_bom)| {
            format!("{}{a}{object}{b}", if has_bom { "\u{feff}" } else { "" })
        },
    )
}

/// A text in which a few characters are replaced.
fn corrupted(text: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    const REPLACEMENTS: &[&str] =
        &["", ",", "\n", "{", "}", "[", "]", "\"", "//", "/*", "*/", ":", " ", "\r", "\\", "é"];
    let replacements = prop::collection::vec(
        (any::<prop::sample::Index>(), prop::sample::select(REPLACEMENTS)),
        0..4,
    );
    (text, replacements).prop_map(|(text, replacements)| {
        let mut characters: Vec<String> = text.chars().map(String::from).collect();
        for (index, replacement) in replacements {
            if !characters.is_empty() {
                replacement.clone_into(index.get_mut(&mut characters));
            }
        }
        characters.concat()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn json_edits_are_undone(text in file()) {
        for step in [servers(), hooks(), cursor_hooks()] {
            let Ok(added) = step.add(&text, PROGRAM) else { continue };
            prop_assert_eq!(&step.add(&added, PROGRAM).unwrap(), &added);
            prop_assert_eq!(&step.remove(&added).unwrap(), &text, "{}", added);
        }
    }

    #[test]
    fn accepted_edits_are_undone(text in corrupted(file())) {
        for step in [servers(), hooks(), cursor_hooks(), codex()] {
            let Ok(added) = step.add(&text, PROGRAM) else { continue };
            prop_assert_eq!(&step.remove(&added).unwrap(), &text, "{}", added);
        }
    }

    #[test]
    fn toml_edits_are_undone(lines in prop::collection::vec(prop::sample::select(vec!["a = 1", "", "# word", "[t]", "[[l]]", "[mcp_servers.x]", "s = '''", "'''", "b = {}"]), 0..8), end in prop::sample::select(vec!["", "\n", "\r\n", "\n\n"])) {
        let text = lines.join("\n") + end;
        if let Ok(added) = codex().add(&text, PROGRAM) {
            prop_assert_eq!(&codex().add(&added, PROGRAM).unwrap(), &added);
            prop_assert_eq!(&codex().remove(&added).unwrap(), &text);
        }
    }

    #[test]
    fn instructions_are_undone(text: String) {
        let added = instructions().add(&text, PROGRAM).unwrap();
        prop_assert_eq!(&instructions().add(&added, PROGRAM).unwrap(), &added);
        prop_assert_eq!(&instructions().remove(&added).unwrap(), &text);
    }

    #[test]
    fn accepts_or_rejects_any_text(text: String) {
        for platform in PLATFORMS {
            for step in setup::steps(platform, Level::User) {
                let _ = step.add(&text, PROGRAM);
                let _ = step.remove(&text);
            }
        }
    }
}
