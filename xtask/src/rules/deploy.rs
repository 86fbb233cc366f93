//! What is deployed is closed unless somebody opens it: the image, the compose file, the unit.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result};

use super::Rule;
use crate::workspace;

pub(super) const CLOSED: Rule = Rule {
    name: "what is deployed is closed by default",
    why: "People start what stands here as it stands: as nobody, on this machine, with a health check.",
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

/// The keys of a compose file by their path, each with its values: `services.db.image`.
type Keys = BTreeMap<String, Vec<String>>;

/// Reads the part of YAML that compose.yaml is written in: maps, and lists of words.
fn keys(text: &str) -> Result<Keys, String> {
    let mut keys = Keys::new();
    let mut path: Vec<(usize, String)> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let content = line.trim();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let wrong = || format!("compose.yaml:{}: `{content}` is not understood", number + 1);
        if let Some(item) = content.strip_prefix("- ") {
            path.retain(|(outer, _)| *outer < indent);
            let (_, name) = path.last().ok_or_else(wrong)?;
            keys.get_mut(name).ok_or_else(wrong)?.push(plain(item));
            continue;
        }
        let (name, value) = content.split_once(':').ok_or_else(wrong)?;
        path.retain(|(outer, _)| *outer < indent);
        let name = path.last().map_or(name.to_owned(), |(_, outer)| format!("{outer}.{name}"));
        let values = Some(plain(value)).filter(|value| !value.is_empty()).into_iter().collect();
        if keys.insert(name.clone(), values).is_some() {
            return Err(format!("compose.yaml:{}: `{name}` stands twice", number + 1));
        }
        path.push((indent, name));
    }
    Ok(keys)
}

fn plain(value: &str) -> String {
    value.trim().trim_matches(['"', '\'']).to_owned()
}

fn compose(text: &str) -> Vec<String> {
    let keys = match keys(text) {
        Ok(keys) => keys,
        Err(fault) => return vec![fault],
    };
    let values = |name: &str| keys.get(name).map_or(&[][..], Vec::as_slice);
    let has = |name: &str, wanted: &str| values(name).iter().any(|value| value.contains(wanted));
    let mut found = Vec::new();
    let mut wants = |holds: bool, what: &str| {
        if !holds {
            found.push(format!("compose.yaml: {what}"));
        }
    };
    wants(has("services.forebay.read_only", "true"), "forebay writes outside its volume");
    wants(has("services.forebay.cap_drop", "ALL"), "forebay keeps capabilities");
    wants(has("services.db.image", "pgvector/pgvector:pg"), "the database has no pgvector");
    wants(!keys.contains_key("services.db.ports"), "the database can be reached from outside");
    wants(
        !values("services.forebay.ports").is_empty()
            && values("services.forebay.ports").iter().all(|port| port.starts_with("127.0.0.1:")),
        "a port is open to other machines",
    );
    wants(
        has("services.forebay.depends_on.db.condition", "service_healthy"),
        "forebay does not wait for its database",
    );
    for (service, volume, folder) in
        [("forebay", "forebay", "/var/lib/forebay"), ("db", "database", "/var/lib/postgresql/data")]
    {
        let of = |key: &str| format!("services.{service}.{key}");
        wants(has(&of("healthcheck.test"), "CMD"), &format!("{service} has no health check"));
        wants(
            has(&of("security_opt"), "no-new-privileges:true"),
            &format!("{service} may gain privileges"),
        );
        wants(
            has(&of("env_file"), "deploy/forebay.env"),
            &format!("{service} has no secrets file"),
        );
        let is_kept = has(&of("volumes"), &format!("{volume}:{folder}"));
        let is_named = keys.contains_key(&format!("volumes.{volume}"));
        wants(is_kept && is_named, &format!("what {service} keeps is lost with its container"));
        wants(
            !keys.contains_key(&of("environment")) && !keys.contains_key(&of("privileged")),
            &format!("{service} has secrets in the open, or privileges"),
        );
    }
    found
}

/// What the unit must say, word for word.
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
    let is_odd = |line: &&&str| {
        let is_plain = line.is_empty() || line.starts_with(['#', '[']) || line.contains('=');
        !is_plain || line.starts_with("User=root")
    };
    found.extend(
        lines.iter().filter(is_odd).map(|line| format!("deploy/forebay.service: `{line}`")),
    );
    found
}

fn image(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let begins = |word: &str| lines.iter().rposition(|line| line.starts_with(word));
    let stages = lines.iter().filter(|line| line.starts_with("FROM ")).count();
    let checks = [
        (stages == 2, "builds and runs in one stage"),
        (
            begins("USER ").is_some_and(|at| lines[at] != "USER root" && lines[at] != "USER 0"),
            "runs as root",
        ),
        (begins("USER ") > begins("RUN "), "becomes nobody before it is set up"),
        (begins("HEALTHCHECK ").is_some(), "has no health check"),
        (begins("ENTRYPOINT [\"forebay\"]").is_some(), "starts something else"),
        (text.contains("cargo build --release --locked"), "builds what the lock file does not say"),
    ];
    let broken = checks.iter().filter(|(holds, _)| !holds);
    broken.map(|(_, what)| format!("Dockerfile: it {what}")).collect()
}

/// An example with a password in it becomes somebody's password.
fn example(text: &str) -> Vec<String> {
    let has_none = text.lines().any(|line| line == "POSTGRES_PASSWORD=");
    let fault = "deploy/forebay.env.example: it has a password".to_owned();
    if has_none { Vec::new() } else { vec![fault] }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPOSE: &str = include_str!("../../../compose.yaml");
    const SERVICE: &str = include_str!("../../../deploy/forebay.service");
    const IMAGE: &str = include_str!("../../../Dockerfile");

    #[test]
    fn what_stands_here_is_closed() {
        assert_eq!(violations().unwrap(), Vec::<String>::new());
    }

    #[track_caller]
    fn check(before: &str, after: &str, expect: &str) {
        assert!(COMPOSE.contains(before), "{before}");
        let found = compose(&COMPOSE.replace(before, after));
        assert!(found.iter().any(|one| one.contains(expect)), "{expect}: {found:?}");
    }

    #[test]
    fn an_open_door_is_found() {
        check("127.0.0.1:7878:7878", "7878:7878", "open to other machines");
        check("read_only: true", "read_only: false", "writes outside");
        check("      - ALL\n", "", "keeps capabilities");
        check("database:/var/lib/postgresql/data", "/tmp/x:/y", "lost with its container");
        check("pg_isready", "x\"]\n    privileged: true\n    x: [\"", "privileges");
        check(
            "  db:\n    image",
            "  db:\n    ports:\n      - \"5432:5432\"\n    image",
            "reached from outside",
        );
        check("  db:\n    image", "  db:\n    image: x\n    image", "stands twice");
        check("services:", "services", "not understood");
    }

    #[test]
    fn a_unit_or_an_image_with_rights_is_found() {
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
