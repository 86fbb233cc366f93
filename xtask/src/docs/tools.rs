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
    let words = bpe_openai::o200k_base().count(INSTRUCTIONS);
    let standard: Vec<&ToolRow> = TOOLS.iter().filter(|tool| tool.standard).collect();
    let all: Vec<&ToolRow> = TOOLS.iter().collect();
    Ok(format!(
        "{} tools, of which {} are listed unless a setting (`tools.all`, `tools.also`, `tools.without`) \
         says otherwise.\nNames, descriptions and schemas of these are {} tokens (o200k) of every \
         conversation, of all tools {},\nthe server's instructions another {words}. A tool that is not \
         listed answers all the same.\n\n```text\n{INSTRUCTIONS}\n```",
        all.len(),
        standard.len(),
        cost(&standard)?,
        cost(&all)?,
    ))
}

fn cost(tools: &[&ToolRow]) -> Result<usize> {
    let listed: Vec<Value> = tools.iter().map(|tool| listing(tool)).collect();
    Ok(bpe_openai::o200k_base().count(&serde_json::to_string(&listed)?))
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
    let unlisted = if tool.standard { "" } else { " Not listed by itself." };
    Ok(format!("## {name}\n\n{description}\n\n{nature}{unlisted}\n\n{fields}"))
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
        Nature::Adds | Nature::Indexes => "Adds to the store and changes nothing else.",
        Nature::Edits => "Changes files of the project; what they held before is kept.",
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
