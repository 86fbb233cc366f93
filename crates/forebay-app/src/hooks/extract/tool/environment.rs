//! Extracts changes of the environment: folders, variables, versions, packages, services.

use forebay_domain::{Event, EventKind};
use forebay_policy::shell::Assignment;
use forebay_text::cut;

/// Prefixes of command lines that change the environment. Package managers need a name to add one.
const CHANGING_COMMANDS: &[&[&str]] = &[
    &["nvm", "use"],
    &["nvm", "install"],
    &["fnm", "use"],
    &["pyenv", "local"],
    &["pyenv", "global"],
    &["rustup", "default"],
    &["rustup", "override"],
    &["rustup", "target", "add"],
    &["asdf", "local"],
    &["mise", "use"],
    &["conda", "activate"],
    &["conda", "install"],
    &["source"],
    &["."],
    &["python", "-m", "venv"],
    &["python3", "-m", "venv"],
    &["virtualenv"],
    &["pip", "install"],
    &["pip3", "install"],
    &["uv", "add"],
    &["uv", "pip", "install"],
    &["poetry", "add"],
    &["npm", "install"],
    &["npm", "i"],
    &["npm", "uninstall"],
    &["pnpm", "add"],
    &["yarn", "add"],
    &["bun", "add"],
    &["cargo", "add"],
    &["cargo", "install"],
    &["go", "get"],
    &["gem", "install"],
    &["brew", "install"],
    &["apt", "install"],
    &["apt-get", "install"],
    &["apk", "add"],
    &["docker", "compose", "up"],
    &["docker", "compose", "down"],
    &["docker-compose", "up"],
    &["docker", "run"],
    &["systemctl", "start"],
    &["systemctl", "restart"],
];

pub(super) fn read(words: &[&str], assignments: &[Assignment]) -> Vec<Event> {
    match words {
        ["cd" | "pushd", folder] => vec![event("folder", &format!("works in {folder}"))],
        ["export", rest @ ..] => rest.iter().filter_map(|word| variable(word)).collect(),
        [] => assignments.iter().filter_map(|one| variable(&one.name)).collect(),
        _ => changed(words).into_iter().collect(),
    }
}

/// Returns the event of a variable by its name only; the value may be a secret.
fn variable(word: &str) -> Option<Event> {
    let name = word.split('=').next().unwrap_or_default();
    let is_name =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_name.then(|| event(&format!("variable {name}"), &format!("sets {name}")))
}

fn changed(words: &[&str]) -> Option<Event> {
    let beginning =
        CHANGING_COMMANDS.iter().find(|own| words.len() >= own.len() && words.starts_with(own))?;
    let line = cut::one_line(&words.join(" "), 160);
    Some(event(&beginning.join(" "), &line))
}

fn event(subject: &str, text: &str) -> Event {
    Event::new(EventKind::Environment, subject, text)
}
