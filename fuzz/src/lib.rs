//! What several fuzz targets share.

use std::path::Path;
use std::sync::Arc;

use forebay_app::settings::DEFAULTS;
use forebay_app::{App, Settings, Setup};
use forebay_domain::Timestamp;
use forebay_policy::{
    Action, Call, CallContext, Mode, Rules, Trust, Unmatched, Verdict, judge, no_links,
};
use forebay_store::{Home, Project};

/// The verdict on a command in a trusted project whose rules run what they do not name.
pub fn decide(command: &str, rules: &Rules) -> Verdict {
    let context = CallContext {
        cwd: "/home/user/p",
        root: "/home/user/p",
        home: Some("/home/user"),
        directories: &[],
        trust: Trust::Workspace,
        mode: Mode::Forebay(Unmatched::Run),
        ignores_case: false,
        allows_loopback: false,
        real_path: &no_links,
    };
    judge(&Call { tool: "Bash", action: Action::Run(command), parameters: &[] }, rules, &context)
}

/// An app whose home and project are below a folder.
pub fn app(folder: &Path) -> App {
    app_with(folder, |_| ())
}

/// The same with other settings.
pub fn app_with(folder: &Path, change: impl FnOnce(&mut Settings)) -> App {
    let mut settings = toml::from_str(DEFAULTS).unwrap();
    change(&mut settings);
    let cwd = folder.join("project");
    std::fs::create_dir_all(cwd.join(".git")).unwrap();
    App::new(Setup {
        home: Home::new(folder.join("data")),
        project: Some(Project::for_folder(&cwd, None).unwrap()),
        cwd,
        user_home: Some(folder.to_owned()),
        settings,
        environment: Vec::new(),
        session: "conversation".to_owned(),
        client: "fuzz".to_owned(),
        clock: Arc::new(|| Timestamp(1_800_000_000_000)),
        supervisor: None,
    })
}
