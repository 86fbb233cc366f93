//! A script that the prompt spells out: the tools to call, step by step.

use serde_json::Value;

use super::{Call, ModelRequest, ModelTurn};

/// The start of such a prompt; the steps follow as JSON.
pub(in crate::clients) const PROMPT: &str = "SCRIPT calls:";

/// Stands in a script for the first reference in the result with this number, from 0: `{ref:3}`.
const REFERENCE: &str = "{ref:";

/// The prompt of a script; a step is a list of calls, each a tool and its input.
pub(in crate::clients) fn prompt(steps: &Value) -> String {
    format!("{PROMPT} {steps}")
}

/// Returns the next step, if there is one; the agent's earlier results tell which.
pub(super) fn next_turn(request: &ModelRequest) -> Option<ModelTurn> {
    let (_, text) = request.prompt.split_once(PROMPT)?;
    let steps = serde_json::Deserializer::from_str(text).into_iter::<Vec<Vec<(String, Value)>>>();
    let mut called = 0;
    for step in steps.flatten().next()? {
        if called == request.results.len() {
            let calls = step.into_iter().filter_map(|(name, input)| call(request, &name, input));
            return Some(ModelTurn::Calls(calls.collect()));
        }
        called += step.len();
    }
    None
}

/// Returns the reply after the last step: what the prompt has after the steps.
pub(super) fn last_words(request: &ModelRequest) -> Option<String> {
    let (_, text) = request.prompt.split_once(PROMPT)?;
    let mut steps = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    steps.next()?.ok()?;
    let words = text[steps.byte_offset()..].lines().next()?.trim();
    (!words.is_empty()).then(|| words.to_owned())
}

fn call(request: &ModelRequest, name: &str, input: Value) -> Option<Call> {
    let tool = request.tools.iter().find(|tool| tool.name == name)?.clone();
    Some(Call { tool, input: with_references(input, &request.results) })
}

/// The input with the references that it asks for.
fn with_references(mut input: Value, results: &[String]) -> Value {
    for value in input.as_object_mut().into_iter().flat_map(|fields| fields.values_mut()) {
        let number =
            value.as_str().and_then(|text| text.strip_prefix(REFERENCE)?.strip_suffix('}'));
        let result = number.and_then(|number| results.get(number.parse::<usize>().ok()?));
        if let Some(reference) = result.and_then(|result| reference(result)) {
            *value = Value::from(reference);
        }
    }
    input
}

/// The first reference in a text, with its brackets.
pub(in crate::clients) fn reference(text: &str) -> Option<&str> {
    let start = text.find("[ctx:")?;
    let end = text[start..].find(']')?;
    Some(&text[start..=start + end])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Tool;
    use super::*;

    #[test]
    fn steps_follow_the_results() {
        let tool = |name: &str| Tool { name: name.to_owned(), namespace: None };
        let steps = json!([[["a", {}], ["b", { "x": 1 }]], [["a", {}]]]);
        let mut request = ModelRequest {
            tools: vec![tool("a"), tool("b")],
            prompt: format!("{}\nmore words", prompt(&steps)),
            ..ModelRequest::default()
        };
        let names = |request: &ModelRequest| match next_turn(request) {
            Some(ModelTurn::Calls(calls)) => {
                calls.into_iter().map(|call| call.tool.name).collect::<Vec<_>>()
            }
            _ => Vec::new(),
        };
        assert_eq!(names(&request), ["a", "b"]);
        request.results = vec!["one".to_owned(), "two".to_owned()];
        assert_eq!(names(&request), ["a"]);
        request.results.push("three".to_owned());
        assert!(next_turn(&request).is_none());
        assert_eq!(last_words(&request), None);
        request.prompt = format!("{} then say this\nmore words", prompt(&steps));
        assert_eq!(last_words(&request).as_deref(), Some("then say this"));
    }

    #[test]
    fn references_are_those_of_results() {
        let results = ["[ctx:k3v9m2a1xq] exit 0".to_owned(), "none".to_owned()];
        let input = json!({ "ref": "{ref:0}", "other": "{ref:1}", "lines": "1-9" });
        let expected = json!({ "ref": "[ctx:k3v9m2a1xq]", "other": "{ref:1}", "lines": "1-9" });
        assert_eq!(with_references(input, &results), expected);
    }
}
