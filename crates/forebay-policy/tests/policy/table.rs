//! Reads and runs case tables.
//!
//! Lines that begin with `@` set the scene, and a new block of them starts from nothing:
//! `@ deny: RULE`, `@ user allow: RULE`, `@ mode: default`, `@ unmatched: ask`, `@ trust: nothing`,
//! `@ link: PATH -> TARGET`, `@ resolve: HOST ADDRESS...`, `@ managed only: yes`, `@ cwd: PATH`,
//! `@ env: NAME=VALUE`, `@ stdin: TEXT`, `@ code: TEXT`, `@ sibling: COMMAND`, `@ sibling code: TEXT`.
//! Every other line is a case: `verdict Tool input ## why`. `⏎` is a line end, `⟨200b⟩` a character by
//! its number, `⟨x*10000⟩` a repetition.

use std::collections::BTreeMap;
use std::net::IpAddr;

use forebay_policy::{
    Action, Call, CallContext, Execution, List, Mode, Origin, Paths, Rules, Sibling, Trust,
    Unmatched, Verdict, judge,
};

pub(crate) struct Case<'a> {
    pub(crate) line: &'a str,
    pub(crate) why: &'a str,
    scene: Scene,
    verdict: &'a str,
    tool: &'a str,
    input: String,
}

#[derive(Debug, Clone)]
pub(crate) struct Scene {
    pub(crate) rules: Vec<(Origin, List, String)>,
    pub(crate) mode: Mode,
    pub(crate) trust: Trust,
    pub(crate) managed_only: bool,
    pub(crate) loopback: bool,
    pub(crate) ignores_case: bool,
    pub(crate) cwd: String,
    pub(crate) links: BTreeMap<String, String>,
    pub(crate) resolve: Option<BTreeMap<String, Vec<IpAddr>>>,
    pub(crate) parameters: Vec<(String, String)>,
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) stdin: Option<String>,
    pub(crate) code: Option<String>,
    pub(crate) siblings: Vec<Sibling>,
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            rules: Vec::new(),
            mode: Mode::Forebay(Unmatched::Run),
            trust: Trust::Workspace,
            managed_only: false,
            loopback: false,
            ignores_case: false,
            cwd: "/home/user/p".to_owned(),
            links: BTreeMap::new(),
            resolve: None,
            parameters: Vec::new(),
            variables: Vec::new(),
            stdin: None,
            code: None,
            siblings: Vec::new(),
        }
    }
}

/// Runs a table and reports every case that fails, not only the first.
#[track_caller]
pub(crate) fn check(name: &str, text: &str) {
    let failures: Vec<String> = cases(text).iter().filter_map(failure).collect();
    assert!(failures.is_empty(), "{name}: {} failed\n{}", failures.len(), failures.join("\n"));
}

fn failure(case: &Case<'_>) -> Option<String> {
    let verdict = case.scene.judge(case.tool, &case.input);
    (verdict.decision.as_str() != case.verdict)
        .then(|| format!("  {} -> {} ({})", case.line, verdict.decision, verdict.reason))
}

pub(crate) fn cases(text: &str) -> Vec<Case<'_>> {
    let mut scene = Scene::default();
    let mut in_scene = false;
    let mut cases = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with("//")) {
        if let Some(setting) = line.strip_prefix('@') {
            if !in_scene {
                scene = Scene::default();
            }
            scene.set(setting.trim());
            in_scene = true;
        } else {
            in_scene = false;
            cases.push(case(line, &scene));
        }
    }
    cases
}

fn case<'a>(line: &'a str, scene: &Scene) -> Case<'a> {
    let (call, why) = line.split_once(" ## ").unwrap_or((line, ""));
    let (verdict, rest) = call.trim().split_once(' ').unwrap_or_else(|| panic!("{line}"));
    let (tool, input) = rest.trim_start().split_once(' ').unwrap_or((rest.trim(), ""));
    let input = unescape(input.trim());
    Case { line, why: why.trim(), scene: scene.clone(), verdict, tool, input }
}

fn unescape(text: &str) -> String {
    let text = text.replace('⏎', "\n");
    let mut parts = text.split('⟨');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (code, rest) = part.split_once('⟩').unwrap();
        match code.split_once('*') {
            Some((unit, times)) => plain.push_str(&unit.repeat(times.parse().unwrap())),
            None => plain.push(char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap()),
        }
        plain.push_str(rest);
    }
    plain
}

impl Scene {
    fn set(&mut self, setting: &str) {
        let (key, value) = setting.split_once(':').unwrap_or_else(|| panic!("{setting}"));
        let value = value.trim();
        match key.trim() {
            "mode" => self.mode = Mode::from_host_name(value).unwrap(),
            "unmatched" => self.mode = Mode::Forebay(unmatched(value)),
            "trust" => self.trust = trust(value),
            "managed only" => self.managed_only = value == "yes",
            "loopback" => self.loopback = value == "yes",
            "ignores case" => self.ignores_case = value == "yes",
            "cwd" => value.clone_into(&mut self.cwd),
            "link" => {
                let (from, to) = value.split_once(" -> ").unwrap();
                self.links.insert(from.to_owned(), to.to_owned());
            }
            "resolve" => {
                let mut words = value.split(' ');
                let host = words.next().unwrap().to_owned();
                let addresses = words.map(|word| word.parse().unwrap()).collect();
                self.resolve.get_or_insert_default().insert(host, addresses);
            }
            "parameter" => {
                let (name, value) = value.split_once('=').unwrap();
                self.parameters.push((name.to_owned(), value.to_owned()));
            }
            "env" => {
                let (name, value) = value.split_once('=').unwrap();
                self.variables.push((name.to_owned(), value.to_owned()));
            }
            "stdin" => self.stdin = Some(unescape(value)),
            "code" => self.code = Some(unescape(value)),
            "sibling" => {
                self.siblings.push(Sibling { command: unescape(value), code: None });
            }
            "sibling code" => {
                let code = Some(unescape(value));
                self.siblings.push(Sibling { command: "python3 script.py".to_owned(), code });
            }
            list => self.rules.push(rule(list, value)),
        }
    }

    fn is_bare(&self) -> bool {
        self.variables.is_empty()
            && self.stdin.is_none()
            && self.code.is_none()
            && self.siblings.is_empty()
    }

    fn execution<'a>(&'a self, command: &'a str) -> Execution<'a> {
        Execution {
            command,
            variables: &self.variables,
            stdin: self.stdin.as_deref(),
            code: self.code.as_deref(),
            siblings: &self.siblings,
        }
    }

    pub(crate) fn compile(&self) -> Rules {
        let written = self.rules.iter().map(|(origin, list, text)| (*origin, *list, text.as_str()));
        let (rules, _) = Rules::compile(written);
        if self.managed_only { rules.managed_only() } else { rules }
    }

    pub(crate) fn judge(&self, tool: &str, input: &str) -> Verdict {
        let rules = self.compile();
        let real_path = |path: &str| self.links.get(path).cloned();
        let context = CallContext {
            cwd: &self.cwd,
            root: "/home/user/p",
            home: Some("/home/user"),
            directories: &[],
            trust: self.trust,
            mode: self.mode,
            ignores_case: self.ignores_case,
            allows_loopback: self.loopback,
            real_path: &real_path,
        };
        let paths = Paths { given: input.to_owned(), resolved: real_path(input) };
        let resolved = self.resolve.as_ref().map(|hosts| {
            hosts
                .iter()
                .find(|(host, _)| input.to_lowercase().contains(*host))
                .map(|(_, a)| a.clone())
        });
        let resolved = resolved.map(Option::unwrap_or_default);
        let action = match tool {
            "Bash" if self.is_bare() => Action::Run(input),
            "Bash" => Action::Execute(self.execution(input)),
            "Read" => Action::Read(&paths),
            "Edit" | "Write" => Action::Edit(&paths),
            "WebFetch" => Action::Fetch { url: input, resolved: resolved.as_deref() },
            _ => Action::Other,
        };
        judge(&Call { tool, action, parameters: &self.parameters }, &rules, &context)
    }
}

fn trust(text: &str) -> Trust {
    match text {
        "workspace" => Trust::Workspace,
        "local file" => Trust::LocalFile,
        "nothing" => Trust::Nothing,
        other => panic!("{other}"),
    }
}

fn unmatched(text: &str) -> Unmatched {
    match text {
        "run" => Unmatched::Run,
        "ask" => Unmatched::Ask,
        "deny" => Unmatched::Deny,
        other => panic!("{other}"),
    }
}

fn rule(key: &str, text: &str) -> (Origin, List, String) {
    let (origin, list) = key.split_once(' ').unwrap_or(("project", key));
    let origin = Origin::ALL.into_iter().find(|known| known.as_str() == origin).unwrap();
    let list = match list {
        "deny" => List::Deny,
        "ask" => List::Ask,
        "allow" => List::Allow,
        other => panic!("{other}"),
    };
    (origin, list, text.to_owned())
}
