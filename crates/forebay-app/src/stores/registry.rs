//! Places: which stores a call may use, opened when first needed.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use forebay_domain::{Entry, Reference, Scope};
use forebay_sandbox::StartLatch;
use forebay_store::{Home, Project, Store, StoreError, Upload};

use crate::AppError;
use crate::stores::backend::{Stores, Which};

pub(crate) type SharedStore = Arc<dyn Store>;

/// The project's store, the user's own, and on demand those of other projects.
pub(crate) struct Places {
    home: Home,
    stores: Stores,
    project: Option<Project>,
    own: Slot,
    user: Slot,
    /// Somebody began to open the own one.
    has_begun: AtomicBool,
    /// Opens with the own one, for the first run.
    gate: Mutex<Option<StartLatch>>,
    /// Those of projects that a team shares here, kept open.
    of_team: Mutex<HashMap<String, Arc<Self>>>,
    /// Held by who looks whether sources have changed.
    looking: Mutex<()>,
}

/// More are opened again when they are asked for.
const MOST_TEAM_PROJECTS: usize = 256;

/// A store that is opened once, by whoever needs it first; others wait for it meanwhile.
type Slot = Arc<Mutex<Option<SharedStore>>>;

impl Places {
    pub(crate) fn new(home: Home, stores: Stores, project: Option<Project>) -> Self {
        Self {
            home,
            stores,
            project,
            own: Slot::default(),
            user: Slot::default(),
            has_begun: AtomicBool::default(),
            gate: Mutex::default(),
            of_team: Mutex::default(),
            looking: Mutex::default(),
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

    pub(crate) fn are_on_server(&self) -> bool {
        self.stores.are_on_server()
    }

    /// The store that new entries go to: the project's, or the user's outside of any project.
    pub(crate) fn own(&self) -> Result<SharedStore, AppError> {
        let (slot, which) = self.own_slot();
        open_once(slot, &self.stores, &which)
    }

    /// Begins an upload to [`Self::own`], which is opened only now and kept in `opened` meanwhile.
    pub(crate) fn upload_to_own<'a>(
        &self,
        opened: &'a OnceCell<SharedStore>,
    ) -> Result<Box<dyn Upload + 'a>, AppError> {
        let store = self.own()?;
        Ok(opened.get_or_init(|| store).upload()?)
    }

    /// Begins to open [`Self::own`], for a caller that has something else to do first.
    pub(crate) fn open_own_soon(&self) {
        if self.is_first_to_open() {
            std::thread::spawn(self.opening(|_| ()));
        }
    }

    /// Opens [`Self::own`] in whatever thread calls it, and with it the gate that the first run waits at; none
    /// where somebody has begun already.
    pub(crate) fn opening_for_a_run(&self) -> Option<impl FnOnce() + Send + use<>> {
        if !self.is_first_to_open() {
            return None;
        }
        // Without a gate a run waits before it is started, for the store itself.
        let keeper = forebay_sandbox::start_latch().ok().map(|(keeper, gate)| {
            *self.gate() = Some(gate);
            keeper
        });
        Some(self.opening(|is_open| {
            if let Some(keeper) = keeper.filter(|_| is_open) {
                keeper.release();
            }
        }))
    }

    /// Where a run waits while [`Self::own`] is being opened; none when it is open.
    pub(crate) fn gate_to_own(&self) -> Result<Option<StartLatch>, AppError> {
        let gate = self.gate().take();
        if gate.is_none() {
            self.own()?;
        }
        Ok(gate)
    }

    fn gate(&self) -> MutexGuard<'_, Option<StartLatch>> {
        self.gate.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether [`Self::own`] is neither open nor about to be, which the caller is to change.
    fn is_first_to_open(&self) -> bool {
        let (slot, _) = self.own_slot();
        let is_missing = slot.try_lock().is_ok_and(|slot| slot.is_none());
        is_missing && !self.has_begun.swap(true, Ordering::Relaxed)
    }

    /// Opens [`Self::own`], and tells `then` whether that was possible.
    fn opening<Then>(&self, then: Then) -> impl FnOnce() + Send + use<Then>
    where
        Then: FnOnce(bool) + Send,
    {
        let (slot, which) = self.own_slot();
        let (slot, stores) = (Arc::clone(slot), self.stores.clone());
        move || {
            let opened = open_once(&slot, &stores, &which);
            then(opened.is_ok());
            // Whoever needs the store tries again, and tells what is wrong.
            let _ = opened.and_then(|store| Ok(store.warm_up()?));
        }
    }

    /// Keeps the log of [`Self::own`] short; a log that is short is not even opened.
    ///
    /// Without this a log grows as long as one short process follows another: what one has copied back, the next
    /// cannot know.
    pub(crate) fn tidy_own(&self) -> Result<(), AppError> {
        if self.own_wants_tidying() {
            self.own()?.tidy()?;
        }
        Ok(())
    }

    /// Whether so much was written to [`Self::own`] that it is time to look after it.
    pub(crate) fn own_wants_tidying(&self) -> bool {
        let (_, which) = self.own_slot();
        self.stores.wants_tidying(&which)
    }

    fn own_slot(&self) -> (&Slot, Which) {
        match &self.project {
            Some(project) => (&self.own, Which::Project(project.clone())),
            None => (&self.user, Which::User),
        }
    }

    /// The right to look whether sources have changed, unless somebody else has it.
    pub(crate) fn look_at_sources(&self) -> Option<MutexGuard<'_, ()>> {
        match self.looking.try_lock() {
            Ok(right) => Some(right),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// The store of another project, which only a caller who asks for it gets.
    pub(crate) fn of_project(&self, project: &Project) -> Result<SharedStore, AppError> {
        if self.project.as_ref().is_some_and(|own| own.id == project.id) {
            return self.own();
        }
        self.stores.open(&Which::Project(project.clone()))
    }

    /// The store of a project by its name, or by the whole of its id; none where it is not known, or
    /// where several are called so.
    pub(crate) fn named(&self, name: &str) -> Result<Option<SharedStore>, AppError> {
        if self.is_called(name) {
            return self.own().map(Some);
        }
        let of_team = Which::Project(Project::named(name, self.home.root()));
        if self.stores.open_existing(&of_team)?.is_some() {
            return self.of_team_project(name).own().map(Some);
        }
        self.stores.called(name)
    }

    /// Whether a name means the project that these are the places of.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.project.as_ref().is_some_and(|own| own.id.is_called(name))
    }

    /// The places of a project that a team calls so, among the others of this home.
    pub(crate) fn of_team_project(&self, name: &str) -> Arc<Self> {
        let mut known = self.of_team.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_TEAM_PROJECTS {
            known.clear();
        }
        let places = known.entry(name.to_owned()).or_insert_with(|| {
            let project = Project::named(name, self.home.root());
            Arc::new(Self::new(self.home.clone(), self.stores.clone(), Some(project)))
        });
        Arc::clone(places)
    }

    /// The store of what holds in every project.
    pub(crate) fn user(&self) -> Result<SharedStore, AppError> {
        open_once(&self.user, &self.stores, &Which::User)
    }

    /// The same where somebody has noted something there.
    fn existing_user(&self) -> Result<Option<SharedStore>, AppError> {
        let slot = || self.user.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = &*slot() {
            return Ok(Some(Arc::clone(store)));
        }
        // A server is asked whether it is there, and nobody waits until another was told.
        let Some(found) = self.stores.open_existing(&Which::User)? else { return Ok(None) };
        Ok(Some(Arc::clone(slot().get_or_insert(found))))
    }

    /// The stores a scope reaches, the nearest first.
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
            stores.extend(self.existing_user()?);
        }
        if scope == Scope::All {
            stores.extend(self.stores.others(self.project.as_ref())?);
        }
        Ok(stores)
    }

    /// What the stores that are open have to tell.
    pub(crate) fn notices(&self) -> Vec<String> {
        let slots =
            [&self.own, &self.user].map(|slot| slot.lock().unwrap_or_else(PoisonError::into_inner));
        slots
            .iter()
            .filter_map(|slot| slot.as_ref())
            .flat_map(|store| store.notices().to_vec())
            .collect()
    }

    /// Finds an entry in the stores a scope reaches.
    pub(crate) fn locate(
        &self,
        reference: Reference,
        scope: Scope,
    ) -> Result<(SharedStore, Entry), AppError> {
        let mut missing = None;
        for store in self.within(scope)? {
            match store.entry(reference) {
                Ok(entry) => return Ok((store, entry)),
                // Why it is gone tells more than that it was never there.
                Err(error @ StoreError::Unknown(_)) => drop(missing.get_or_insert(error)),
                Err(error @ StoreError::Gone { .. }) => missing = Some(error),
                Err(error) => return Err(error.into()),
            }
        }
        Err(missing.unwrap_or(StoreError::Unknown(reference)).into())
    }

    /// Sets a damaged store aside under a new name; a sound one is left alone.
    pub(crate) fn repair(&self) -> Result<String, AppError> {
        let (_, which) = self.own_slot();
        self.stores.repair(&which)
    }
}

fn open_once(slot: &Slot, stores: &Stores, which: &Which) -> Result<SharedStore, AppError> {
    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(store) = &*slot {
        return Ok(Arc::clone(store));
    }
    let store = stores.open(which)?;
    *slot = Some(Arc::clone(&store));
    Ok(store)
}
