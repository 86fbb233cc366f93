//! The container image, the compose file and the systemd unit are hardened by default.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result};

use super::Rule;
use crate::workspace;

pub(super) const HARDENED: Rule = Rule {
    name: "deployment files are hardened by default",
    reason: "People deploy these files unchanged: unprivileged, on loopback, with a health check.",
    check: |_| violations(),
};

fn violations() -> Result<Vec<String>> {
    let read = |name: &str| {
        fs::read_to_string(workspace::root().join(name)).with_context(|| name.to_owned())
    };
    let mut found = compose(&read("compose.yaml")?);
    found.extend(unit(&read("deploy/forebay.service")?));
    found.extend(image(&read("Dockerfile")?));
    found.extend(example(&read("deploy/forebay.env.example")?));
    Ok(found)
}

/// The values of a compose file by key path, such as `services.db.image`.
type Keys = BTreeMap<String, Vec<String>>;

/// Parses the subset of YAML that compose.yaml uses: maps, and lists of scalars.
fn parse_keys(text: &str) -> Result<Keys, String> {
    let mut keys = Keys::new();
    let mut path: Vec<(usize, String)> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let content = line.trim();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let error = || format!("compose.yaml:{}: cannot parse `{content}`", number + 1);
        if let Some(item) = content.strip_prefix("- ") {
            path.retain(|(outer, _)| *outer < indent);
            let (_, name) = path.last().ok_or_else(error)?;
            keys.get_mut(name).ok_or_else(error)?.push(unquote(item));
            continue;
        }
        let (name, value) = content.split_once(':').ok_or_else(error)?;
        path.retain(|(outer, _)| *outer < indent);
        let name = path.last().map_or(name.to_owned(), |(_, outer)| format!("{outer}.{name}"));
        let values = Some(unquote(value)).filter(|value| !value.is_empty()).into_iter().collect();
        if keys.insert(name.clone(), values).is_some() {
            return Err(format!("compose.yaml:{}: `{name}` occurs twice", number + 1));
        }
        path.push((indent, name));
    }
    Ok(keys)
}

fn unquote(value: &str) -> String {
    value.trim().trim_matches(['"', '\'']).to_owned()
}

fn compose(text: &str) -> Vec<String> {
    let keys = match parse_keys(text) {
        Ok(keys) => keys,
        Err(error) => return vec![error],
    };
    let values = |name: &str| keys.get(name).map_or(&[][..], Vec::as_slice);
    let has = |name: &str, wanted: &str| values(name).iter().any(|value| value.contains(wanted));
    let mut found = Vec::new();
    let mut require = |holds: bool, violation: &str| {
        if !holds {
            found.push(format!("compose.yaml: {violation}"));
        }
    };
    require(has("services.forebay.read_only", "true"), "forebay can write outside of its volume");
    require(has("services.forebay.cap_drop", "ALL"), "forebay keeps capabilities");
    require(has("services.db.image", "pgvector/pgvector:pg"), "the database has no pgvector");
    require(!keys.contains_key("services.db.ports"), "the database port is published");
    require(
        !values("services.forebay.ports").is_empty()
            && values("services.forebay.ports").iter().all(|port| port.starts_with("127.0.0.1:")),
        "a port is not bound to loopback",
    );
    require(
        has("services.forebay.depends_on.db.condition", "service_healthy"),
        "forebay does not wait for its database",
    );
    for (service, volume, folder) in
        [("forebay", "forebay", "/var/lib/forebay"), ("db", "database", "/var/lib/postgresql/data")]
    {
        let key = |key: &str| format!("services.{service}.{key}");
        require(has(&key("healthcheck.test"), "CMD"), &format!("{service} has no health check"));
        require(
            has(&key("security_opt"), "no-new-privileges:true"),
            &format!("{service} may gain privileges"),
        );
        require(
            has(&key("env_file"), "deploy/forebay.env"),
            &format!("{service} has no secrets file"),
        );
        let is_kept = has(&key("volumes"), &format!("{volume}:{folder}"));
        let is_named = keys.contains_key(&format!("volumes.{volume}"));
        require(is_kept && is_named, &format!("the data of {service} is not on a named volume"));
        require(
            !keys.contains_key(&key("environment")) && !keys.contains_key(&key("privileged")),
            &format!("{service} is privileged or has inline environment variables"),
        );
    }
    found
}

/// Lines that the unit must contain.
const UNIT: &[&str] = &[
    "User=forebay",
    "ExecStart=/usr/local/bin/forebay serve",
    "StateDirectory=forebay",
    "StateDirectoryMode=0700",
    "UMask=0077",
    "NoNewPrivileges=yes",
    "CapabilityBoundingSet=",
    "ProtectSystem=strict",
    "ProtectHome=yes",
    "PrivateTmp=yes",
    "PrivateDevices=yes",
    "RestrictNamespaces=yes",
    "MemoryDenyWriteExecute=yes",
    "SystemCallFilter=@system-service",
    "WantedBy=multi-user.target",
];

fn unit(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let missing = UNIT.iter().filter(|wanted| !lines.contains(wanted));
    let mut found: Vec<String> =
        missing.map(|line| format!("deploy/forebay.service: `{line}` is missing")).collect();
    let is_invalid = |line: &&&str| {
        let is_valid = line.is_empty() || line.starts_with(['#', '[']) || line.contains('=');
        !is_valid || line.starts_with("User=root")
    };
    found.extend(
        lines.iter().filter(is_invalid).map(|line| format!("deploy/forebay.service: `{line}`")),
    );
    found
}

fn image(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let last_line = |word: &str| lines.iter().rposition(|line| line.starts_with(word));
    let stages = lines.iter().filter(|line| line.starts_with("FROM ")).count();
    let checks = [
        (stages == 2, "does not build and run in separate stages"),
        (
            last_line("USER ").is_some_and(|at| lines[at] != "USER root" && lines[at] != "USER 0"),
            "runs as root",
        ),
        (last_line("USER ") > last_line("RUN "), "runs setup commands after it drops privileges"),
        (last_line("HEALTHCHECK ").is_some(), "has no health check"),
        (last_line("ENTRYPOINT [\"forebay\"]").is_some(), "has another entry point than forebay"),
        (text.contains("cargo build --release --locked"), "does not build with the lock file"),
    ];
    let violations = checks.iter().filter(|(holds, _)| !holds);
    violations.map(|(_, violation)| format!("Dockerfile: it {violation}")).collect()
}

/// A password in an example ends up in production.
fn example(text: &str) -> Vec<String> {
    let is_empty = text.lines().any(|line| line == "POSTGRES_PASSWORD=");
    let violation = "deploy/forebay.env.example: it contains a password".to_owned();
    if is_empty { Vec::new() } else { vec![violation] }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPOSE: &str = include_str!("../../../compose.yaml");
    const SERVICE: &str = include_str!("../../../deploy/forebay.service");
    const IMAGE: &str = include_str!("../../../Dockerfile");

    #[test]
    fn deployment_files_are_hardened() {
        assert_eq!(violations().unwrap(), Vec::<String>::new());
    }

    #[track_caller]
    fn check(before: &str, after: &str, expect: &str) {
        assert!(COMPOSE.contains(before), "{before}");
        let found = compose(&COMPOSE.replace(before, after));
        assert!(found.iter().any(|one| one.contains(expect)), "{expect}: {found:?}");
    }

    #[test]
    fn finds_weakened_compose_files() {
        check("127.0.0.1:7878:7878", "7878:7878", "not bound to loopback");
        check("read_only: true", "read_only: false", "can write outside");
        check("      - ALL\n", "", "keeps capabilities");
        check("database:/var/lib/postgresql/data", "/tmp/x:/y", "not on a named volume");
        check("pg_isready", "x\"]\n    privileged: true\n    x: [\"", "privileged");
        check(
            "  db:\n    image",
            "  db:\n    ports:\n      - \"5432:5432\"\n    image",
            "port is published",
        );
        check("  db:\n    image", "  db:\n    image: x\n    image", "occurs twice");
        check("services:", "services", "cannot parse");
    }

    #[test]
    fn finds_privileged_units_and_images() {
        let loose = SERVICE.replace("User=forebay", "User=root");
        assert_eq!(unit(&loose).len(), 2, "{:?}", unit(&loose));
        assert!(!unit(&SERVICE.replace("ProtectHome=yes", "ProtectHome")).is_empty());
        assert_eq!(
            image(&IMAGE.replace("USER 10001", "USER root")),
            ["Dockerfile: it runs as root"]
        );
        assert!(!image(&IMAGE.replace("HEALTHCHECK", "# HEALTHCHECK")).is_empty());
        assert!(!example("POSTGRES_PASSWORD=secret").is_empty());
    }
}
