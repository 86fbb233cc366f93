//! `forebay serve`: serves the tools over HTTP to other models, machines and teams.

use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use forebay_app::{App, AppError, Capability, Setup};

use super::network::{self, Network, print_address};
use super::terminal::Failure;
use super::{Common, data_folder, environment, user_home, wall_clock};
use crate::doors::http::{self, Listening, ServerConfig};

/// Serve the tools over HTTP: MCP at /mcp, plain JSON at /v1
///
/// On loopback no token is needed. On other addresses callers need one (`forebay token create`), and commands and
/// files are off unless enabled. Every option is also a setting: `serve.*` in `forebay config`.
#[derive(Debug, Args)]
pub(super) struct Serve {
    /// Address and port; port 0 picks a free one [default: 127.0.0.1:7878]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
    #[command(flatten)]
    network: Network,
    /// Capabilities of network callers besides the store
    #[arg(long, value_delimiter = ',', value_parser = ["files", "execute"])]
    enable: Vec<String>,
    /// Keep no MCP sessions, so that any of several servers can answer
    #[arg(long)]
    stateless: bool,
}

impl Serve {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let mut common = common.clone();
        common.set.extend(self.settings());
        // The first refusal may come before the first entry, and needs the log.
        data_folder()?.create().map_err(AppError::from)?;
        let program = super::running_program().ok().map(Arc::new);
        let app = common.app_for("http", "http")?.watching(program.clone());
        app.start_rules()?;
        let make_workspace =
            Box::new(move |name: &str| Ok(workspace(&common, name)?.watching(program.clone())));
        http::serve(ServerConfig {
            app,
            make_workspace,
            gateway: None,
            print_address: Box::new(|listening| print_address(listening, &uses(listening))),
        })?;
        Ok(ExitCode::SUCCESS)
    }

    /// The flags as settings.
    fn settings(&self) -> Vec<String> {
        let own = [
            network::text("listen", self.listen.as_deref()),
            network::list("enable", &self.enable),
            self.stateless.then(|| "serve.sessions=false".to_owned()),
        ];
        self.network.settings().into_iter().chain(own.into_iter().flatten()).collect()
    }
}

/// A workspace is isolated: it has its own data directory or part of the server's store, and no project.
pub(super) fn workspace(common: &Common, name: &str) -> Result<App, AppError> {
    let cwd = common.working_folder()?;
    let mut settings = common.settings(&super::project_root(&cwd))?;
    settings.store.enter_workspace(name);
    let app = App::new(Setup {
        home: data_folder()?.workspace(name),
        cwd,
        project: None,
        user_home: user_home(),
        settings,
        environment: environment::all(),
        session: "http".to_owned(),
        client: "http".to_owned(),
        clock: Arc::new(wall_clock),
        supervisor: common.own_program(super::supervise_job::NAME),
    });
    app.start_rules()?;
    Ok(app)
}

/// What callers may use.
fn uses(listening: &Listening) -> String {
    let capabilities: Vec<&str> = [Capability::Files, Capability::Execute]
        .into_iter()
        .filter(|capability| listening.capabilities.has(*capability))
        .map(Capability::as_str)
        .collect();
    if capabilities.is_empty() {
        "the store".to_owned()
    } else {
        format!("the store, {}", capabilities.join(", "))
    }
}
