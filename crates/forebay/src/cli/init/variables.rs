//! The variables of Forebay that entries of wrapped servers carry: some agents pass none on to the servers that they start.

use forebay_app::AppError;
use forebay_redact::Redactor;

use super::super::data_folder;
use crate::config::environment;

/// The variables that are set here, apart from the name of a conversation and from secrets.
pub(super) fn to_carry() -> Result<Vec<(String, String)>, AppError> {
    let mut variables: Vec<(String, String)> =
        own().filter(|variable| !is_secret(variable)).collect();
    variables.sort();
    for (name, value) in &mut variables {
        if name == environment::HOME {
            // An agent starts its servers in folders of its choice.
            let absolute = std::path::absolute(data_folder()?.root());
            *value = absolute.unwrap_or_default().to_string_lossy().into_owned();
        }
    }
    Ok(variables)
}

/// What to do about variables with secrets, which would stand among the arguments.
pub(super) fn remark_on_secret() -> Option<String> {
    let mut names: Vec<String> = own().filter(is_secret).map(|(name, _)| name).collect();
    names.sort();
    (!names.is_empty()).then(|| {
        format!(
            "{} has a secret, and no entry gets it: agents that pass no variables on need it in your settings file \
             (`forebay config edit`)",
            names.join(", ")
        )
    })
}

fn own() -> impl Iterator<Item = (String, String)> {
    environment::forebay_variables().filter(|(name, _)| name != environment::SESSION)
}

fn is_secret((name, value): &(String, String)) -> bool {
    let (_, redactions) = Redactor::default().redact(format!("{name}={value}").as_bytes());
    !redactions.is_empty()
}
