//! The tool page, from the tool registry.

use anyhow::{Context, Result};
use forebay_app::tools::{Effect, INSTRUCTIONS, TOOLS, ToolDescriptor};
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
    let instruction_tokens = bpe_openai::o200k_base().count(INSTRUCTIONS);
    let listed: Vec<&ToolDescriptor> = TOOLS.iter().filter(|tool| tool.listed_by_default).collect();
    let all: Vec<&ToolDescriptor> = TOOLS.iter().collect();
    Ok(format!(
        "{} tools; {} are listed by default (settings `tools.all`, `tools.also`, `tools.without`).\n\
         Their names, descriptions and schemas cost {} tokens (o200k) of every conversation, those of all\n\
         tools {}, the server's instructions another {instruction_tokens}. A tool that is not listed can\n\
         still be called.\n\n```text\n{INSTRUCTIONS}\n```",
        all.len(),
        listed.len(),
        cost(&listed)?,
        cost(&all)?,
    ))
}

fn cost(tools: &[&ToolDescriptor]) -> Result<usize> {
    let listed: Vec<Value> = tools.iter().map(|tool| listing(tool)).collect();
    Ok(bpe_openai::o200k_base().count(&serde_json::to_string(&listed)?))
}

/// Renders a tool as a model sees it.
fn listing(tool: &ToolDescriptor) -> Value {
    json!({ "name": tool.name, "description": tool.description, "inputSchema": (tool.schema)() })
}

fn section(tool: &ToolDescriptor) -> Result<String> {
    let schema = (tool.schema)();
    let fields = schema["properties"].as_object().context("a schema without properties")?;
    let rows: Vec<Vec<String>> =
        fields.iter().map(|(name, field)| row(name, field, &schema["required"])).collect();
    let fields = if rows.is_empty() {
        "No parameters.\n".to_owned()
    } else {
        table(&["field", "type", "required", "meaning"], &rows)
    };
    let (name, description, effect) = (tool.name, tool.description, effect(tool.effect));
    let unlisted = if tool.listed_by_default { "" } else { " Not listed by default." };
    Ok(format!("## {name}\n\n{description}\n\n{effect}{unlisted}\n\n{fields}"))
}

fn row(name: &str, field: &Value, required: &Value) -> Vec<String> {
    let mut names = required.as_array().into_iter().flatten();
    let is_required = names.any(|required| required == name);
    vec![
        format!("`{name}`"),
        type_name(field),
        if is_required { "yes" } else { "" }.to_owned(),
        field["description"].as_str().unwrap_or_default().to_owned(),
    ]
}

fn type_name(field: &Value) -> String {
    match field["type"].as_str() {
        Some("array") => format!("list of {}", type_name(&field["items"])),
        Some(name) => name.to_owned(),
        None => "any".to_owned(),
    }
}

fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::ReadOnly => "Reads only.",
        Effect::Append | Effect::Index => "Adds to the store; changes nothing else.",
        Effect::EditFiles => "Changes files of the project; stores their previous version.",
        Effect::Fetch => "Fetches from the network and adds to the store.",
        Effect::Delete => "Deletes irrevocably.",
        Effect::Execute => "Runs a command, with that command's effects.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_lists_every_tool_and_field() {
        let page = page().unwrap();
        for tool in TOOLS {
            assert!(page.contains(&format!("\n## {}\n", tool.name)), "{}", tool.name);
            for field in (tool.schema)()["properties"].as_object().unwrap().keys() {
                assert!(page.contains(&format!("| `{field}` |")), "{} {field}", tool.name);
            }
        }
    }

    #[test]
    fn names_types() {
        assert_eq!(
            type_name(&json!({"type": "array", "items": {"type": "string"}})),
            "list of string"
        );
        assert_eq!(type_name(&json!({"type": "integer"})), "integer");
    }
}
