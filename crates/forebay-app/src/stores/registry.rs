//! The stores that a call may use, opened on first use.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use forebay_domain::{Entry, Reference, Scope};
use forebay_sandbox::StartLatch;
use forebay_store::{Home, Project, Store, StoreError, Upload, own_files, reserve};

use crate::AppError;
use crate::stores::backend::{Backend, StoreId};
use crate::stores::deep_check::Salvaged;

pub(crate) type SharedStore = Arc<dyn Store>;

/// The project's store, the user's store and, on demand, those of other projects.
pub(crate) struct StoreRegistry {
    home: Home,
    backend: Backend,
    project: Option<Project>,
    own: Slot,
    user: Slot,
    /// Set once a thread has begun to open the own store.
    is_opening: AtomicBool,
    /// Holds the first run back until the own store is open.
    gate: Mutex<Option<StartLatch>>,
    /// Registries of the team projects on this server, kept open.
    team_projects: Mutex<HashMap<String, Arc<Self>>>,
    /// Held by the thread that checks whether sources have changed.
    source_refresh: Mutex<()>,
}

/// Team projects kept open; beyond that a project is opened anew for each call.
const MAX_TEAM_PROJECTS: usize = 256;

/// A store that its first user opens while later users wait.
type Slot = Arc<Mutex<Option<SharedStore>>>;

impl StoreRegistry {
    pub(crate) fn new(home: Home, backend: Backend, project: Option<Project>) -> Self {
        own_files::add_data_folder(home.root());
        Self {
            home,
            backend,
            project,
            own: Slot::default(),
            user: Slot::default(),
            is_opening: AtomicBool::default(),
            gate: Mutex::default(),
            team_projects: Mutex::default(),
            source_refresh: Mutex::default(),
        }
    }

    pub(crate) fn home(&self) -> &Home {
        &self.home
    }

    pub(crate) fn project(&self) -> Option<&Project> {
        self.project.as_ref()
    }

    pub(crate) fn branch(&self) -> Option<String> {
        self.project.as_ref().and_then(Project::branch)
    }

    pub(crate) fn default_branch(&self) -> Option<String> {
        self.project.as_ref().and_then(Project::default_branch)
    }

    pub(crate) fn are_on_server(&self) -> bool {
        self.backend.are_on_server()
    }

    /// Returns the store for new entries: the project's, or the user's outside of any project.
    pub(crate) fn own(&self) -> Result<SharedStore, AppError> {
        let (slot, store_id) = self.own_slot();
        open_once(slot, &self.backend, &store_id)
    }

    /// Returns [`Self::own`] if it exists.
    pub(crate) fn own_if_exists(&self) -> Result<Option<SharedStore>, AppError> {
        let (_, store_id) = self.own_slot();
        self.backend.open_existing(&store_id)
    }

    /// Begins an upload to [`Self::own`]; `opened` keeps the store alive meanwhile.
    pub(crate) fn upload_to_own<'a>(
        &self,
        opened: &'a OnceCell<SharedStore>,
    ) -> Result<Box<dyn Upload + 'a>, AppError> {
        let store = self.own()?;
        Ok(opened.get_or_init(|| store).upload()?)
    }

    /// Opens [`Self::own`] on a background thread while the caller does something else.
    pub(crate) fn open_own_in_background(&self) {
        if self.claim_opening() {
            std::thread::spawn(self.open_task(|_| ()));
        }
    }

    /// Returns a task that opens [`Self::own`] and then the gate of the first run, or None if the store is
    /// already open or being opened.
    pub(crate) fn open_task_for_run(&self) -> Option<impl FnOnce() + Send + use<>> {
        if !self.claim_opening() {
            return None;
        }
        // Without a gate the run waits for the store before it starts.
        let keeper = forebay_sandbox::start_latch().ok().map(|(keeper, gate)| {
            *self.gate() = Some(gate);
            keeper
        });
        Some(self.open_task(|is_open| {
            if let Some(keeper) = keeper.filter(|_| is_open) {
                keeper.release();
            }
        }))
    }

    /// Takes the gate that holds a run back while [`Self::own`] opens, or None once it is open.
    pub(crate) fn take_gate(&self) -> Result<Option<StartLatch>, AppError> {
        let gate = self.gate().take();
        if gate.is_none() {
            self.own()?;
        }
        Ok(gate)
    }

    fn gate(&self) -> MutexGuard<'_, Option<StartLatch>> {
        self.gate.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Claims the opening of [`Self::own`]; false if it is already open or being opened.
    fn claim_opening(&self) -> bool {
        let (slot, _) = self.own_slot();
        let is_missing = slot.try_lock().is_ok_and(|slot| slot.is_none());
        is_missing && !self.is_opening.swap(true, Ordering::Relaxed)
    }

    /// Returns a task that opens [`Self::own`] and calls `then` with whether that succeeded.
    fn open_task<Then>(&self, then: Then) -> impl FnOnce() + Send + use<Then>
    where
        Then: FnOnce(bool) + Send,
    {
        let (slot, store_id) = self.own_slot();
        let (slot, backend) = (Arc::clone(slot), self.backend.clone());
        move || {
            let opened = open_once(&slot, &backend, &store_id);
            then(opened.is_ok());
            // The next user of the store tries again and reports the error.
            let _ = opened.and_then(|store| Ok(store.warm_up()?));
        }
    }

    /// Checkpoints the log of [`Self::own`] if it has grown; otherwise the store is not even opened.
    ///
    /// Without this the log grows with every short-lived process, because none of them knows what the previous
    /// ones have already checkpointed.
    pub(crate) fn maintain_own(&self) -> Result<(), AppError> {
        if self.own_needs_maintenance() {
            self.own()?.maintain()?;
        }
        Ok(())
    }

    /// Whether [`Self::own`] has grown enough since its last maintenance to need another.
    pub(crate) fn own_needs_maintenance(&self) -> bool {
        let (_, store_id) = self.own_slot();
        self.backend.needs_maintenance(&store_id)
    }

    /// Frees the disk space that [`Self::own`] has set aside for a purge.
    pub(crate) fn release_reserve(&self) -> Option<reserve::Released> {
        let (_, store_id) = self.own_slot();
        self.backend.release_reserve(&store_id)
    }

    fn own_slot(&self) -> (&Slot, StoreId) {
        match &self.project {
            Some(project) => (&self.own, StoreId::Project(project.clone())),
            None => (&self.user, StoreId::User),
        }
    }

    /// Returns the lock for checking whether sources have changed, or None if another thread holds it.
    pub(crate) fn lock_source_refresh(&self) -> Option<MutexGuard<'_, ()>> {
        match self.source_refresh.try_lock() {
            Ok(right) => Some(right),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Returns the store of another project.
    pub(crate) fn of_project(&self, project: &Project) -> Result<SharedStore, AppError> {
        if self.project.as_ref().is_some_and(|own| own.id == project.id) {
            return self.own();
        }
        self.backend.open(&StoreId::Project(project.clone()))
    }

    /// Returns the store of a project by its name or full id, or None if it is unknown or the name is ambiguous.
    pub(crate) fn named(&self, name: &str) -> Result<Option<SharedStore>, AppError> {
        if self.is_called(name) {
            return self.own().map(Some);
        }
        let team_project = StoreId::Project(Project::named(name, self.home.root()));
        if self.backend.open_existing(&team_project)?.is_some() {
            return self.for_team_project(name).own().map(Some);
        }
        self.backend.find_by_name(name)
    }

    /// Whether this registry's own project has this name.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.project.as_ref().is_some_and(|own| own.id.is_called(name))
    }

    /// Returns the registry of the team project with this name.
    pub(crate) fn for_team_project(&self, name: &str) -> Arc<Self> {
        let mut known = self.team_projects.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_TEAM_PROJECTS {
            known.clear();
        }
        let registry = known.entry(name.to_owned()).or_insert_with(|| {
            let project = Project::named(name, self.home.root());
            Arc::new(Self::new(self.home.clone(), self.backend.clone(), Some(project)))
        });
        Arc::clone(registry)
    }

    /// Returns a registry for each project with a store on this machine, and for what is outside of projects, by name.
    pub(crate) fn of_each_project(&self) -> Result<Vec<(String, Arc<Self>)>, AppError> {
        if self.are_on_server() {
            return Err(AppError::bad_input(
                "the projects of a server cannot be followed together",
                "without --all, the project of this folder is followed",
            ));
        }
        let of = |project: Option<Project>| {
            Arc::new(Self::new(self.home.clone(), self.backend.clone(), project))
        };
        let ids = self.home.project_ids().into_iter();
        let projects = ids.map(|id| {
            let name = id.name().to_owned();
            (name, of(Some(Project::stored(id, self.home.root()))))
        });
        let outside = self.home.user_database().is_file();
        Ok(projects.chain(outside.then(|| ("no project".to_owned(), of(None)))).collect())
    }

    /// Returns the user's store, which applies to every project.
    pub(crate) fn user(&self) -> Result<SharedStore, AppError> {
        open_once(&self.user, &self.backend, &StoreId::User)
    }

    /// Returns the user's store if it exists.
    fn user_if_exists(&self) -> Result<Option<SharedStore>, AppError> {
        let slot = || self.user.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = current(&mut slot()) {
            return Ok(Some(store));
        }
        // On a server this is a query, so it runs outside of the lock.
        let Some(found) = self.backend.open_existing(&StoreId::User)? else { return Ok(None) };
        Ok(Some(Arc::clone(slot().get_or_insert(found))))
    }

    /// Returns the stores in a scope, the nearest first.
    pub(crate) fn within(&self, scope: Scope) -> Result<Vec<SharedStore>, AppError> {
        let mut stores = vec![self.own()?];
        if scope == Scope::Session
            || scope == Scope::Branch
            || scope == Scope::Ticket
            || self.project.is_none() && scope != Scope::All
        {
            return Ok(stores);
        }
        if self.project.is_some() {
            stores.extend(self.user_if_exists()?);
        }
        if scope == Scope::All {
            stores.extend(self.backend.others(self.project.as_ref())?);
        }
        Ok(stores)
    }

    /// Returns the notices of all open stores.
    pub(crate) fn notices(&self) -> Vec<String> {
        let slots =
            [&self.own, &self.user].map(|slot| slot.lock().unwrap_or_else(PoisonError::into_inner));
        slots
            .iter()
            .filter_map(|slot| slot.as_ref())
            .flat_map(|store| store.notices().to_vec())
            .collect()
    }

    /// Finds an entry in the stores of a scope.
    pub(crate) fn locate(
        &self,
        reference: Reference,
        scope: Scope,
    ) -> Result<(SharedStore, Entry), AppError> {
        let mut missing = None;
        for store in self.within(scope)? {
            match store.entry(reference) {
                Ok(entry) => return Ok((store, entry)),
                // "Removed, and why" is more helpful than "not found".
                Err(error @ StoreError::NotFound(_)) => drop(missing.get_or_insert(error)),
                Err(error @ StoreError::Gone { .. }) => missing = Some(error),
                Err(error) => return Err(error.into()),
            }
        }
        Err(missing.unwrap_or(StoreError::NotFound(reference)).into())
    }

    /// Renames a damaged store out of the way; leaves an intact one unchanged.
    pub(crate) fn repair(&self) -> Result<String, AppError> {
        let (_, store_id) = self.own_slot();
        self.backend.repair(&store_id)
    }

    /// Copies what is whole of [`Self::own`] to a new file; returns what was done.
    pub(crate) fn salvage_own(&self, salvaged: Salvaged) -> Result<String, AppError> {
        let (_, store_id) = self.own_slot();
        self.backend.salvage(&store_id, salvaged)
    }
}

/// Returns the open store, or None if its file was removed or replaced: it is opened again then.
fn current(slot: &mut Option<SharedStore>) -> Option<SharedStore> {
    if slot.as_ref().is_some_and(|store| !store.is_current()) {
        *slot = None;
    }
    slot.clone()
}

fn open_once(slot: &Slot, backend: &Backend, store_id: &StoreId) -> Result<SharedStore, AppError> {
    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(store) = current(&mut slot) {
        return Ok(store);
    }
    let store = backend.open(store_id)?;
    *slot = Some(Arc::clone(&store));
    Ok(store)
}
