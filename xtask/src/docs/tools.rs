//! The page on the tools, from the app's registry.

use anyhow::{Context, Result};
use forebay_app::tools::{INSTRUCTIONS, Nature, TOOLS, ToolRow};
use serde_json::{Value, json};

use super::{GENERATED, table};

pub(super) fn page() -> Result<String> {
    let mut page = format!("{GENERATED}\n\n# The tools\n\n{}\n", summary()?);
    for tool in TOOLS {
        page.push('\n');
        page.push_str(&section(tool)?);
    }
    Ok(page)
}

fn summary() -> Result<String> {
    let counter = bpe_openai::o200k_base();
    let listed: Vec<Value> = TOOLS.iter().map(listing).collect();
    let list = counter.count(&serde_json::to_string(&listed)?);
    let words = counter.count(INSTRUCTIONS);
    Ok(format!(
        "{} tools. Their names, descriptions and schemas together are {list} tokens (o200k) of every \
         conversation,\nthe server's instructions another {words}.\n\n```text\n{INSTRUCTIONS}\n```",
        TOOLS.len()
    ))
}

/// A tool as a model is shown it.
fn listing(tool: &ToolRow) -> Value {
    json!({ "name": tool.name, "description": tool.description, "inputSchema": (tool.schema)() })
}

fn section(tool: &ToolRow) -> Result<String> {
    let schema = (tool.schema)();
    let fields = schema["properties"].as_object().context("a schema without properties")?;
    let rows: Vec<Vec<String>> =
        fields.iter().map(|(name, field)| row(name, field, &schema["required"])).collect();
    let fields = if rows.is_empty() {
        "It takes nothing.\n".to_owned()
    } else {
        table(&["field", "type", "needed", "meaning"], &rows)
    };
    let (name, description, nature) = (tool.name, tool.description, nature(tool.nature));
    Ok(format!("## {name}\n\n{description}\n\n{nature}\n\n{fields}"))
}

fn row(name: &str, field: &Value, required: &Value) -> Vec<String> {
    let is_required = required.as_array().is_some_and(|names| names.iter().any(|one| one == name));
    vec![
        format!("`{name}`"),
        type_of(field),
        if is_required { "yes" } else { "" }.to_owned(),
        field["description"].as_str().unwrap_or_default().to_owned(),
    ]
}

fn type_of(field: &Value) -> String {
    match field["type"].as_str() {
        Some("array") => format!("list of {}", type_of(&field["items"])),
        Some(name) => name.to_owned(),
        None => "any".to_owned(),
    }
}

fn nature(nature: Nature) -> &'static str {
    match nature {
        Nature::Reads => "Reads: changes nothing.",
        Nature::Adds => "Adds to the store and changes nothing else.",
        Nature::Fetches => "Adds what it fetches from elsewhere to the store.",
        Nature::Removes => "Removes what cannot be brought back.",
        Nature::Runs => "Runs: does whatever the command does.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_and_every_field_stands_on_the_page() {
        let page = page().unwrap();
        for tool in TOOLS {
            assert!(page.contains(&format!("\n## {}\n", tool.name)), "{}", tool.name);
            for field in (tool.schema)()["properties"].as_object().unwrap().keys() {
                assert!(page.contains(&format!("| `{field}` |")), "{} {field}", tool.name);
            }
        }
    }

    #[test]
    fn types_are_named_in_words() {
        assert_eq!(
            type_of(&json!({"type": "array", "items": {"type": "string"}})),
            "list of string"
        );
        assert_eq!(type_of(&json!({"type": "integer"})), "integer");
    }
}
