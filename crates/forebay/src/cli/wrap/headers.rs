//! Headers on the command line, with values from the environment, so that no secret stands in a settings file.

use forebay_app::AppError;

use crate::config::environment;
use crate::doors::wrap::Endpoint;

type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The headers of `--header 'Name: value'` and `--header-env Name=VARIABLE`.
pub(super) fn parse(
    written: &[String],
    from_environment: &[String],
) -> Result<Vec<(String, String)>, AppError> {
    let variables = &environment::read;
    let written = written.iter().map(|text| parse_one(text, variables));
    let from_environment = from_environment.iter().map(|text| from_variable(text, variables));
    written.chain(from_environment).collect()
}

fn parse_one(text: &str, variables: Variables<'_>) -> Result<(String, String), AppError> {
    let (name, value) = text.split_once(':').ok_or_else(|| {
        AppError::bad_input(format!("`{text}` is not a header"), "write it as 'Name: value'")
    })?;
    checked(name.trim(), &expand(value.trim(), variables)?)
}

fn from_variable(text: &str, variables: Variables<'_>) -> Result<(String, String), AppError> {
    let (name, variable) = text.split_once('=').ok_or_else(|| {
        AppError::bad_input(
            format!("`{text}` has no environment variable"),
            "write it as Name=VARIABLE; the variable's value becomes the header's",
        )
    })?;
    let value = variables(variable).ok_or_else(|| unset(variable))?;
    // A host may have written a placeholder of its own into the variable.
    checked(name.trim(), &expand(&value, variables)?)
}

/// A header of a file, as name and value.
pub(in crate::cli) fn written(name: &str, value: &str) -> Result<(String, String), AppError> {
    checked(name, &expand(value, &environment::read)?)
}

/// Replaces variables of the environment in a text.
pub(in crate::cli) fn expanded(text: &str) -> Result<String, AppError> {
    expand(text, &environment::read)
}

fn checked(name: &str, value: &str) -> Result<(String, String), AppError> {
    Endpoint::check_header(name)
        .map_err(|why| AppError::bad_input(why, "remove the header, or correct its name"))?;
    if value.bytes().any(|byte| byte != b'\t' && byte.is_ascii_control()) {
        let why = format!("the value of the header {name} contains control characters");
        return Err(AppError::bad_input(why, "remove line breaks from the variable"));
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// Replaces `${NAME}`, `${env:NAME}` and `${NAME:-default}`, as hosts write them.
fn expand(text: &str, variables: Variables<'_>) -> Result<String, AppError> {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((variable, behind)) = after.split_once('}') else { break };
        let variable = variable.strip_prefix("env:").unwrap_or(variable);
        let (name, default) = match variable.split_once(":-") {
            Some((name, default)) => (name, Some(default.to_owned())),
            None => (variable, None),
        };
        expanded.push_str(before);
        expanded.push_str(&variables(name).or(default).ok_or_else(|| unset(name))?);
        rest = behind;
    }
    expanded.push_str(rest);
    Ok(expanded)
}

fn unset(variable: &str) -> AppError {
    AppError::bad_input(
        format!("the environment variable {variable} is not set"),
        "set it in the environment of the agent, or in `env` of the server's entry",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(name: &str) -> Option<String> {
        (name == "TOKEN").then(|| "s3".to_owned())
    }

    #[track_caller]
    fn check(text: &str, expect: Result<(&str, &str), &str>) {
        let parsed = parse_one(text, &variables);
        let parsed = parsed.as_ref().map(|(name, value)| (name.as_str(), value.as_str()));
        match (parsed, expect) {
            (Ok(parsed), Ok(expect)) => assert_eq!(parsed, expect),
            (Err(error), Err(expect)) => assert!(error.to_string().contains(expect), "{error}"),
            (parsed, _) => panic!("{text}: {parsed:?}"),
        }
    }

    #[test]
    fn values_come_from_the_environment() {
        check("Authorization: Bearer ${TOKEN}", Ok(("Authorization", "Bearer s3")));
        check("X-Key:${env:TOKEN}-${NO:-x}", Ok(("X-Key", "s3-x")));
        check("X-Price: 3 $ and ${", Ok(("X-Price", "3 $ and ${")));
        check("X-Key: ${NO}", Err("NO is not set"));
        check("no header", Err("not a header"));
        check("Mcp-Session-Id: 1", Err("Forebay sets itself"));
        check("a b: 1", Err("not a valid header name"));
        assert_eq!(
            from_variable("Authorization=TOKEN", &variables).unwrap(),
            ("Authorization".to_owned(), "s3".to_owned())
        );
        assert!(from_variable("Authorization=NO", &variables).is_err());
    }
}
