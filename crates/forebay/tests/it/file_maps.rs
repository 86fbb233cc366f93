//! The project map and the file commands.

use std::fs;

use serde_json::json;

use crate::env::TestEnv;

fn shop_project() -> TestEnv {
    let env = TestEnv::new();
    fs::create_dir_all(env.project().join("shop")).unwrap();
    env.write("shop/basket.py", "class ShoppingBasket:\n    \"\"\"What a customer takes.\"\"\"\n\n    def add_item(self, item):\n        self.items.append(item)\n");
    env.write("shop/order.py", "from shop.basket import ShoppingBasket\n\ndef place_order(basket: ShoppingBasket):\n    basket.add_item(1)\n");
    env.write("shop/web.py", "from shop.order import place_order\nfrom shop.basket import ShoppingBasket\n\ndef show_page():\n    place_order(ShoppingBasket())\n");
    env.write("shop/unused.py", "def nobody_calls_this():\n    pass\n");
    env.write(".gitignore", "ignored.py\n");
    env.write("ignored.py", "def ignored_function():\n    pass\n");
    env
}

#[test]
fn the_map_ranks_the_most_used_definitions_first() {
    let env = shop_project();
    let map = env.forebay(["map"]).ok().text();
    assert!(map.starts_with("map: "), "{map}");
    let position =
        |text: &str| map.find(text).unwrap_or_else(|| panic!("{text} is not in:\n{map}"));
    assert!(position("shop/basket.py:\n") < position("shop/unused.py:\n"), "{map}");
    assert!(position("class ShoppingBasket") < position("def place_order"), "{map}");
    assert!(!map.contains("ignored"), "{map}");
    // The map is the same from the cache, over MCP and from any folder.
    assert_eq!(map, env.forebay(["map"]).ok().text());
    assert_eq!(map, env.mcp().text("context_peek", json!({ "paths": "." })));
    assert_eq!(map, env.forebay_in(&env.project().join("shop"), ["map"]).ok().text());
    env.forebay(["map", "--budget", "50"]).refused(
        2,
        "no definition fits in 50 tokens",
        "raise budget",
    );
    let mut below = env.command(["mcp"]);
    below.current_dir(env.project().join("shop"));
    let mut below = crate::mcp_client::McpClient::initialized(below);
    assert_eq!(map, below.text("context_peek", json!({ "paths": ["."] })));
    let short = env.forebay(["map", "--budget", "100"]).ok().text();
    assert!(short.len() <= 400 && short.contains("left out: "), "{short}");
}

#[test]
fn a_changed_file_changes_the_map() {
    let env = shop_project();
    env.forebay(["map"]).ok();
    env.write("shop/unused.py", "def everybody_calls_this():\n    pass\n");
    env.write(
        "shop/order.py",
        "from shop.unused import everybody_calls_this\neverybody_calls_this()\n",
    );
    fs::remove_file(env.project().join("shop/web.py")).unwrap();
    let map = env.forebay(["map"]).ok().text();
    assert!(map.contains("everybody_calls_this") && !map.contains("show_page"), "{map}");
    assert!(!map.contains("nobody_calls_this") && !map.contains("place_order"), "{map}");
}

#[test]
fn the_map_ranks_files_of_the_session_first() {
    let env = shop_project();
    let mut mcp = env.mcp();
    let plain = mcp.text("context_peek", json!({ "paths": ".", "budget": 90 }));
    assert!(!plain.contains("nobody_calls_this"), "{plain}");
    mcp.text("context_peek", json!({ "paths": ".", "symbol": "nobody_calls_this" }));
    let asked = mcp.text("context_peek", json!({ "paths": ".", "budget": 90 }));
    assert!(asked.contains("nobody_calls_this"), "{asked}");
    // The map omits the active file, whose text the model has.
    mcp.text("context_read", json!({ "path": "shop/basket.py" }));
    let without = mcp.text("context_peek", json!({ "paths": "." }));
    assert!(!without.contains("shop/basket.py:\n"), "{without}");
}

#[test]
fn a_project_without_source_has_no_map() {
    let env = TestEnv::new();
    env.write("notes.txt", "nothing\n");
    env.forebay(["map"]).refused(1, "no definitions found here", "source files");
}

#[test]
fn commands_give_the_same_answers_as_the_tools() {
    let env = shop_project();
    let session = |mut command: std::process::Command| {
        command.env("FOREBAY_SESSION", "both");
        command
    };
    let mut mcp = crate::mcp_client::McpClient::initialized(session(env.command(["mcp"])));
    let command =
        |arguments: &[&str]| crate::env::finish(session(env.command(arguments)), b"").ok();
    let by_tool = mcp.text("context_peek", json!({ "paths": ["shop"], "verbosity": "minimal" }));
    assert_eq!(by_tool, command(&["peek", "shop", "--verbosity", "minimal"]).text());
    let by_tool =
        mcp.text("context_peek", json!({ "paths": "shop/basket.py", "symbol": "add_item" }));
    assert_eq!(by_tool, command(&["peek", "shop/basket.py", "-s", "add_item"]).text());
    mcp.text("context_read", json!({ "path": "shop/order.py" }));
    let by_tool = mcp.text("context_status", json!({}));
    let by_command = command(&["files"]).text();
    assert_eq!(by_tool, by_command);
    assert!(by_command.contains("first\n  shop/order.py"), "{by_command}");
    assert!(by_command.lines().all(|line| line.chars().count() <= 80), "{by_command}");
    let data = command(&["files", "--json"]).json();
    assert_eq!(data["files"][0]["path"], "shop/order.py");
    assert_eq!(data["files"][0]["state"], "active");
    let numbered = command(&["peek", "shop/basket.py"]).text();
    assert!(numbered.contains('4') && numbered.contains("def add_item"), "{numbered}");
    let data = command(&["map", "--json"]).json();
    assert!(data["ranked"].as_array().unwrap().len() >= 4);
}

#[test]
fn a_single_file_project_has_a_map_while_the_file_is_active() {
    let env = TestEnv::new();
    env.write("sample.py", "def sample():\n    pass\n");
    let mut mcp = env.mcp();
    mcp.text("context_read", json!({ "path": "sample.py" }));
    let map = mcp.text("context_peek", json!({ "paths": ["."] }));
    assert!(map.contains("def sample()"), "{map}");
}

#[test]
fn a_long_file_with_few_public_items_says_what_is_not_shown() {
    let env = TestEnv::new();
    let inner: String = (0..200)
        .map(|n| format!("function step{n}(a: number) {{\n    return a + {n};\n}}\n\n"))
        .collect();
    env.write(
        "big.ts",
        format!("{inner}/** Runs all. Slowly. */\nexport function runAll(): void {{}}\n"),
    );
    let text = env.forebay(["peek", "big.ts"]).ok().text();
    assert!(text.contains("/** Runs all. */\nexport function runAll(): void  // 802"), "{text}");
    assert!(
        text.ends_with(
            "// not shown: 200 private items with 600 lines; option `private` shows them"
        ),
        "{text}"
    );
    let private = env.forebay(["peek", "--private", "--budget", "9000", "big.ts"]).ok().text();
    assert!(
        private.contains("function step199(a: number)") && !private.contains("not shown"),
        "{private}"
    );
    let cut = env.forebay(["peek", "--private", "--budget", "300", "big.ts"]).ok().text();
    assert!(cut.lines().last().unwrap().starts_with("left out: "), "{cut}");
}
