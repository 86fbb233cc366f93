//! Keys that decoders take for others: some ignore case, and of two such keys some use the first one, some the last one.
//!
//! What is judged here must be what the server reads, so a message with such a key is refused.

use super::json::{Members, NoMembers};

const OF_MESSAGES: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];
/// The parameters by which messages are judged or routed.
const OF_PARAMETERS: [&str; 9] =
    ["_meta", "arguments", "cursor", "name", "ref", "requestId", "task", "taskId", "uri"];

/// Says why decoders may differ in what a message is.
pub(super) fn find_ambiguity(message: &Members<'_>) -> Option<String> {
    find_confusable_key(message, &OF_MESSAGES).or_else(|| {
        let params = message.get("params")?;
        match Members::parse(params) {
            Ok(params) => find_confusable_key(&params, &OF_PARAMETERS),
            Err(NoMembers::Repeated(key)) => Some(explain_repeated(&key)),
            // Such as a key with half of a surrogate pair, which some decoders replace.
            Err(NoMembers::NotAnObject) => {
                params.starts_with('{').then(|| "`params` has a key that is not text".to_owned())
            }
        }
    })
}

pub(super) fn explain_repeated(key: &str) -> String {
    format!("`{key}` is given more than once")
}

fn find_confusable_key(members: &Members<'_>, known: &[&str]) -> Option<String> {
    let mut seen = Vec::new();
    for key in members.keys() {
        let folded = fold_case(key);
        if known.iter().any(|own| *own != key && fold_case(own) == folded) {
            return Some(format!("`{key}` is not the spelling of that key"));
        }
        seen.push(folded);
    }
    seen.sort_unstable();
    let repeated = seen.windows(2).find(|pair| pair[0] == pair[1]);
    repeated.map(|pair| format!("two keys differ from `{}` in case only", pair[0]))
}

/// A key as decoders compare it that ignore case: `ſ` is an `s` to them, and the Kelvin sign a `k`.
fn fold_case(key: &str) -> String {
    key.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: Option<&str>) {
        let why = find_ambiguity(&Members::parse(text).unwrap());
        assert_eq!(why.as_deref(), expect, "{text}");
    }

    #[test]
    fn keys_that_another_decoder_reads_differently_are_found() {
        check(
            r#"{"id":1,"method":"ping","Method":"tools/call"}"#,
            Some("`Method` is not the spelling of that key"),
        );
        check(r#"{"id":1,"PARAMS":{}}"#, Some("`PARAMS` is not the spelling of that key"));
        check(r#"{"id":1,"param\u017f":{}}"#, Some("`paramſ` is not the spelling of that key"));
        check(r#"{"id":1,"x":1,"X":2}"#, Some("two keys differ from `x` in case only"));
        check(r#"{"params":{"Name":"a"}}"#, Some("`Name` is not the spelling of that key"));
        check(r#"{"params":{"\u0054ask":{}}}"#, Some("`Task` is not the spelling of that key"));
        check(r#"{"params":{"a":1,"a":2}}"#, Some("`a` is given more than once"));
        check(r#"{"params":{"\ud800":1}}"#, Some("`params` has a key that is not text"));
    }

    #[test]
    fn other_keys_are_the_servers_own() {
        check(r#"{"jsonrpc":"2.0","\u006dethod":"m","params":{"name":"a","Other":1}}"#, None);
        check(r#"{"params":{"name":"a","arguments":{"Name":1,"name":2}}}"#, None);
        check(r#"{"params":[1]}"#, None);
        check(r#"{"id":1,"result":{"Method":1}}"#, None);
    }
}
