//! Codex CLI. Its hooks run without the trust prompt, which needs a person.

use super::{GUIDE_START, Host};

pub(super) static HOST: Host = Host {
    label: "codex",
    agent: "codex",
    is_plugin: false,
    has_mod: false,
    package: "@openai/codex",
    program: "codex",
    files: &[(
        ".codex/config.toml",
        "model = \"scripted\"\nmodel_provider = \"scripted\"\n\n[model_providers.scripted]\nname = \"scripted\"\n\
         base_url = \"{url}/v1\"\nwire_api = \"responses\"\nenv_key = \"SCRIPTED_KEY\"\n\n[mcp_servers.probe]\n\
         command = \"{probe}\"\nargs = [\"probe\"]\n",
    )],
    env: &[("SCRIPTED_KEY", "scripted"), ("CODEX_HOME", "{home}/.codex")],
    start: &[
        "exec",
        "--dangerously-bypass-hook-trust",
        "--dangerously-bypass-approvals-and-sandbox",
        "--skip-git-repo-check",
        "--disable",
        "plugins",
    ],
    resume: &[
        "exec",
        "--dangerously-bypass-hook-trust",
        "--dangerously-bypass-approvals-and-sandbox",
        "--skip-git-repo-check",
        "--disable",
        "plugins",
        "resume",
        "--last",
    ],
    end: &[],
    resumed_with: GUIDE_START,
    compact: None,
    commands: &[],
};
