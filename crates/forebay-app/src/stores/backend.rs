//! Stores: where they are kept, files of this machine or projects on a server, and how one is opened.

use std::path::PathBuf;
use std::sync::Arc;

use forebay_domain::project;
use forebay_store::prelude::*;
use forebay_store::{Home, Project, StoreError};
use forebay_store_postgres::{Address, PostgresStore};
use forebay_store_sqlite::SqliteStore;

use crate::stores::registry::SharedStore;
use crate::{AppError, Settings};

/// What stands before a user's name where his own notes are a project among others.
const USER: &str = "user:";

/// Which store is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Which {
    Project(Project),
    /// The user's own notes, which hold in every project.
    User,
}

/// Where stores are kept.
#[derive(Debug, Clone)]
pub(crate) enum Stores {
    Files(Home),
    Server { url: String, workspace: String, user: String },
}

impl Stores {
    /// As the settings say, for the user who is called so.
    pub(crate) fn of(home: &Home, settings: &Settings, user: &str) -> Self {
        if settings.store.url.is_empty() {
            return Self::Files(home.clone());
        }
        Self::Server {
            url: settings.store.url.clone(),
            workspace: settings.store.workspace.clone(),
            user: user.to_owned(),
        }
    }

    pub(crate) fn open(&self, which: &Which) -> Result<SharedStore, AppError> {
        match self {
            Self::Files(home) => Ok(Arc::new(SqliteStore::open(&database(home, which))?)),
            Self::Server { .. } => {
                Ok(Arc::new(PostgresStore::open(&self.address()?, &self.project_name(which))?))
            }
        }
    }

    /// Opens a store only when it is there already.
    pub(crate) fn open_existing(&self, which: &Which) -> Result<Option<SharedStore>, AppError> {
        match self {
            Self::Files(home) => {
                let path = database(home, which);
                if path.is_file() { self.open(which).map(Some) } else { Ok(None) }
            }
            Self::Server { .. } => {
                let name = self.project_name(which);
                let store = PostgresStore::open_existing(&self.address()?, &name)?;
                Ok(store.map(|store| Arc::new(store) as SharedStore))
            }
        }
    }

    /// Every project's store except one; the notes of users are their own.
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
                    .filter(|name| Some(name) != own.as_ref() && !name.starts_with(USER))
                    .map(|name| Ok(Arc::new(PostgresStore::open(&address, &name)?) as SharedStore))
                    .collect()
            }
        }
    }

    /// The store of the one project that is called so.
    pub(crate) fn called(&self, name: &str) -> Result<Option<SharedStore>, AppError> {
        match self {
            Self::Files(home) => {
                let mut called = home.projects_named(name).into_iter();
                match (called.next(), called.next()) {
                    (Some(only), None) => Ok(Some(Arc::new(SqliteStore::open(&only)?))),
                    _ => Ok(None),
                }
            }
            Self::Server { .. } => {
                let address = self.address()?;
                let is_called = |known: &String| {
                    !known.starts_with(USER)
                        && (project::is_called(known, name) || ends_with(known, name))
                };
                let mut called = PostgresStore::projects(&address)?.into_iter().filter(is_called);
                match (called.next(), called.next()) {
                    (Some(only), None) => Ok(Some(Arc::new(PostgresStore::open(&address, &only)?))),
                    _ => Ok(None),
                }
            }
        }
    }

    /// Whether a store has put something off that keeps it quick.
    pub(crate) fn wants_tidying(&self, which: &Which) -> bool {
        match self {
            Self::Files(home) => forebay_store_sqlite::needs_maintenance(&database(home, which)),
            Self::Server { .. } => false,
        }
    }

    /// Sets a damaged store aside under a new name; a sound one is left alone.
    pub(crate) fn repair(&self, which: &Which) -> Result<String, AppError> {
        match self {
            Self::Files(home) => repair_file(&database(home, which)),
            Self::Server { .. } => {
                let health = self.open(which)?.health()?;
                let place = health.location.display();
                match health.problems.first() {
                    None => Ok(format!("{place} is sound; nothing to repair")),
                    Some(fault) => Err(AppError::bad_input(
                        format!("{place}: {fault}"),
                        "a server is repaired by its administrator; nothing was changed",
                    )),
                }
            }
        }
    }

    pub(crate) fn are_on_server(&self) -> bool {
        matches!(self, Self::Server { .. })
    }

    fn address(&self) -> Result<Address, StoreError> {
        match self {
            Self::Server { url, workspace, .. } if Address::is_one(url) => {
                Address::read(url, workspace)
            }
            _ => Err(StoreError::InvalidAddress {
                why: "it does not begin with postgres://".to_owned(),
            }),
        }
    }

    /// A project by the name that all its machines give it, a user by his own.
    fn project_name(&self, which: &Which) -> String {
        match (which, self) {
            (Which::Project(project), _) => project.shared_name(),
            (Which::User, Self::Server { user, .. }) => format!("{USER}{user}"),
            (Which::User, Self::Files(_)) => USER.to_owned(),
        }
    }
}

/// Whether a name is the last part of another: `app` of `github.com/ann/app`.
fn ends_with(whole: &str, name: &str) -> bool {
    let last = whole.rsplit('/').next().unwrap_or(whole);
    !name.is_empty() && last.eq_ignore_ascii_case(name)
}

fn database(home: &Home, which: &Which) -> PathBuf {
    match which {
        Which::Project(project) => home.project_database(&project.id),
        Which::User => home.user_database(),
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
        return Ok(format!("{} is sound; nothing to repair", path.display()));
    }
    let aside = forebay_store_sqlite::quarantine(path)?;
    Ok(format!("{} was damaged and is kept as {}", path.display(), aside.display()))
}
