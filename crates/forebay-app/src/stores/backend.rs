//! The storage backend: SQLite files on this machine, or a PostgreSQL server.

use std::path::PathBuf;
use std::sync::Arc;

use forebay_domain::project;
use forebay_store::prelude::*;
use forebay_store::{Home, Project, StoreError, reserve};
use forebay_store_postgres::{Address, PostgresStore};
use forebay_store_sqlite::SqliteStore;
use forebay_text::number;

use crate::stores::deep_check::Salvaged;
use crate::stores::registry::SharedStore;
use crate::{AppError, Settings};

/// Prefix of the server project that holds a user's own notes.
const USER_PREFIX: &str = "user:";

/// Identifies a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StoreId {
    Project(Project),
    /// The user's own notes, which apply to every project.
    User,
}

/// Where stores are located.
#[derive(Debug, Clone)]
pub(crate) enum Backend {
    Files(Home),
    Server { url: String, workspace: String, user: String },
}

impl Backend {
    /// Chooses the backend from the settings, for the user with this name.
    pub(crate) fn new(home: &Home, settings: &Settings, user: &str) -> Self {
        if settings.store.url.is_empty() {
            return Self::Files(home.clone());
        }
        Self::Server {
            url: settings.store.url.clone(),
            workspace: settings.store.workspace.clone(),
            user: user.to_owned(),
        }
    }

    pub(crate) fn open(&self, store_id: &StoreId) -> Result<SharedStore, AppError> {
        match self {
            Self::Files(home) => {
                home.create()?;
                Ok(Arc::new(SqliteStore::open(&database(home, store_id))?))
            }
            Self::Server { .. } => {
                Ok(Arc::new(PostgresStore::open(&self.address()?, &self.project_name(store_id))?))
            }
        }
    }

    /// Opens a store if it exists.
    pub(crate) fn open_existing(
        &self,
        store_id: &StoreId,
    ) -> Result<Option<SharedStore>, AppError> {
        match self {
            Self::Files(home) => {
                let path = database(home, store_id);
                if path.is_file() { self.open(store_id).map(Some) } else { Ok(None) }
            }
            Self::Server { .. } => {
                let name = self.project_name(store_id);
                let store = PostgresStore::open_existing(&self.address()?, &name)?;
                Ok(store.map(|store| Arc::new(store) as SharedStore))
            }
        }
    }

    /// Opens every other project's store; the users' own stores are private and left out.
    pub(crate) fn others(&self, own: Option<&Project>) -> Result<Vec<SharedStore>, AppError> {
        match self {
            Self::Files(home) => {
                let own = own.map(|project| home.project_database(&project.id));
                let user = home.user_database();
                let databases = home.databases().into_iter();
                databases
                    .filter(|path| Some(path) != own.as_ref() && *path != user)
                    .map(|path| Ok(Arc::new(SqliteStore::open(&path)?) as SharedStore))
                    .collect()
            }
            Self::Server { .. } => {
                let address = self.address()?;
                let own = own.map(Project::shared_name);
                let projects = PostgresStore::projects(&address)?.into_iter();
                projects
                    .filter(|name| Some(name) != own.as_ref() && !name.starts_with(USER_PREFIX))
                    .map(|name| Ok(Arc::new(PostgresStore::open(&address, &name)?) as SharedStore))
                    .collect()
            }
        }
    }

    /// Opens the store of the project with this name, or returns None if there is not exactly one.
    pub(crate) fn find_by_name(&self, name: &str) -> Result<Option<SharedStore>, AppError> {
        match self {
            Self::Files(home) => {
                let mut find_by_name = home.projects_named(name).into_iter();
                match (find_by_name.next(), find_by_name.next()) {
                    (Some(only), None) => Ok(Some(Arc::new(SqliteStore::open(&only)?))),
                    _ => Ok(None),
                }
            }
            Self::Server { .. } => {
                let address = self.address()?;
                let is_called = |known: &String| {
                    !known.starts_with(USER_PREFIX)
                        && (project::is_called(known, name) || ends_with(known, name))
                };
                let mut find_by_name =
                    PostgresStore::projects(&address)?.into_iter().filter(is_called);
                match (find_by_name.next(), find_by_name.next()) {
                    (Some(only), None) => Ok(Some(Arc::new(PostgresStore::open(&address, &only)?))),
                    _ => Ok(None),
                }
            }
        }
    }

    /// Whether a store has deferred maintenance.
    pub(crate) fn needs_maintenance(&self, store_id: &StoreId) -> bool {
        match self {
            Self::Files(home) => forebay_store_sqlite::needs_maintenance(&database(home, store_id)),
            Self::Server { .. } => false,
        }
    }

    /// Frees the disk space that a store has set aside for a purge.
    pub(crate) fn release_reserve(&self, store_id: &StoreId) -> Option<reserve::Released> {
        match self {
            Self::Files(home) => reserve::Released::free(&database(home, store_id)),
            Self::Server { .. } => None,
        }
    }

    /// Renames a damaged store out of the way; leaves an intact one unchanged.
    pub(crate) fn repair(&self, store_id: &StoreId) -> Result<String, AppError> {
        match self {
            Self::Files(home) => repair_file(&database(home, store_id)),
            Self::Server { .. } => {
                let health = self.open(store_id)?.health()?;
                let location = health.location.display();
                match health.problems.first() {
                    None => Ok(format!("{location} is intact; nothing to repair")),
                    Some(fault) => Err(AppError::bad_input(
                        format!("{location}: {fault}"),
                        "ask the server's administrator; nothing was changed",
                    )),
                }
            }
        }
    }

    /// Copies what is whole of a damaged store to a new file, and puts that in its place if asked.
    pub(crate) fn salvage(
        &self,
        store_id: &StoreId,
        salvaged: Salvaged,
    ) -> Result<String, AppError> {
        let Self::Files(home) = self else {
            return Err(AppError::bad_input(
                "a store on a server cannot be salvaged here",
                "ask the server's administrator",
            ));
        };
        let path = database(home, store_id);
        let saved = forebay_store_sqlite::salvage(&path, &mut |_| ())?;
        let entries = number::counted(saved.entries, "entry");
        if salvaged == Salvaged::Beside {
            return Ok(format!(
                "{entries} saved to {}\nto put it in place of the damaged store: forebay doctor --deep --repair",
                saved.path.display()
            ));
        }
        let aside = forebay_store_sqlite::install(&path, &saved.path)?;
        Ok(format!(
            "{entries} saved, now in {}\nthe damaged store was renamed to {}",
            path.display(),
            aside.display()
        ))
    }

    pub(crate) fn are_on_server(&self) -> bool {
        matches!(self, Self::Server { .. })
    }

    fn address(&self) -> Result<Address, StoreError> {
        match self {
            Self::Server { url, workspace, .. } if Address::is_postgres_url(url) => {
                Address::parse(url, workspace)
            }
            _ => Err(StoreError::InvalidAddress {
                why: "it does not start with postgres://".to_owned(),
            }),
        }
    }

    /// Returns the server-side name: of a project the one shared by all its machines, of a user the user name.
    fn project_name(&self, store_id: &StoreId) -> String {
        match (store_id, self) {
            (StoreId::Project(project), _) => project.shared_name(),
            (StoreId::User, Self::Server { user, .. }) => format!("{USER_PREFIX}{user}"),
            (StoreId::User, Self::Files(_)) => USER_PREFIX.to_owned(),
        }
    }
}

/// Whether `name` is the last path component of `whole`: `app` of `github.com/ann/app`.
fn ends_with(whole: &str, name: &str) -> bool {
    let last = whole.rsplit('/').next().unwrap_or(whole);
    !name.is_empty() && last.eq_ignore_ascii_case(name)
}

fn database(home: &Home, store_id: &StoreId) -> PathBuf {
    match store_id {
        StoreId::Project(project) => home.project_database(&project.id),
        StoreId::User => home.user_database(),
    }
}

fn repair_file(path: &std::path::Path) -> Result<String, AppError> {
    let sound = match SqliteStore::open_existing(path) {
        Ok(None) => true,
        Ok(Some(store)) if !store.notices().is_empty() => {
            return Ok(store.notices().join("\n"));
        }
        Ok(Some(store)) => store.health()?.problems.is_empty(),
        Err(StoreError::Corrupt { .. }) => false,
        Err(error) => return Err(error.into()),
    };
    if sound {
        return Ok(format!("{} is intact; nothing to repair", path.display()));
    }
    let aside = forebay_store_sqlite::quarantine(path)?;
    Ok(format!("{} was damaged and has been moved to {}", path.display(), aside.display()))
}
