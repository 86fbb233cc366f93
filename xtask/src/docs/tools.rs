//! The tools page, from the tool registry.

use anyhow::{Context, Result};
use forebay_app::tools::{INSTRUCTIONS, Nature, TOOLS, ToolRow};
use serde_json::{Value, json};

use super::{GENERATED, table};

pub(super) fn page() -> Result<String> {
    let mut page = format!("{GENERATED}\n\n# Tools\n\n{}\n", summary()?);
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
        "There are {} tools. {} of them are listed by default; `tools.all`, `tools.also` and `tools.without` change \
         the list.\nTheir names, descriptions and schemas cost {} tokens (o200k) in every conversation; all \
         tools together cost {}.\nThe server's instructions cost another {words}. A tool that is not listed can \
         still be called.\n\n```text\n{INSTRUCTIONS}\n```",
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

/// Returns a tool as it is shown to a model.
fn listing(tool: &ToolRow) -> Value {
    json!({ "name": tool.name, "description": tool.description, "inputSchema": (tool.schema)() })
}

fn section(tool: &ToolRow) -> Result<String> {
    let schema = (tool.schema)();
    let fields = schema["properties"].as_object().context("schema without properties")?;
    let rows: Vec<Vec<String>> =
        fields.iter().map(|(name, field)| row(name, field, &schema["required"])).collect();
    let fields = if rows.is_empty() {
        "Takes no input.\n".to_owned()
    } else {
        table(&["field", "type", "required", "meaning"], &rows)
    };
    let (name, description, nature) = (tool.name, tool.description, nature(tool.nature));
    let unlisted = if tool.standard { "" } else { " Not listed by default." };
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
        Nature::Reads => "Read-only.",
        Nature::Adds | Nature::Indexes => "Adds to the store; changes nothing else.",
        Nature::Edits => "Changes files of the project; the previous version is kept.",
        Nature::Fetches => "Fetches from the network and adds the result to the store.",
        Nature::Removes => "Deletes permanently.",
        Nature::Runs => "Runs a command; effects depend on the command.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_every_tool_and_field() {
        let page = page().unwrap();
        for tool in TOOLS {
            assert!(page.contains(&format!("\n## {}\n", tool.name)), "{}", tool.name);
            for field in (tool.schema)()["properties"].as_object().unwrap().keys() {
                assert!(page.contains(&format!("| `{field}` |")), "{} {field}", tool.name);
            }
        }
    }

    #[test]
    fn names_types_in_words() {
        assert_eq!(
            type_of(&json!({"type": "array", "items": {"type": "string"}})),
            "list of string"
        );
        assert_eq!(type_of(&json!({"type": "integer"})), "integer");
    }
}
