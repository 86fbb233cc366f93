//! Which server a name, an address or a request belongs to.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::super::json::id_key;
use super::member::Member;

/// Entries of each table; further ones are asked from every server.
const MAX_ENTRIES: usize = 100_000;

/// What lists and requests have told so far.
#[derive(Default)]
pub(super) struct Routes {
    tables: Mutex<Tables>,
}

#[derive(Default)]
struct Tables {
    /// Servers by the sources of the ids of requests that they have not answered, with the number of the request.
    requests: HashMap<String, (usize, u64)>,
    last_request: u64,
    /// Servers by what the client knows of them: kind and name.
    known: HashMap<(Kind, String), usize>,
}

/// What is known by a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Tool,
    Prompt,
    Resource,
    Template,
    Task,
}

impl Routes {
    /// Notes to whom a name belongs; returns `false` if it belongs to another server already.
    pub(super) fn learn(&self, kind: Kind, name: &str, member: usize) -> bool {
        let mut tables = self.tables();
        if tables.known.len() >= MAX_ENTRIES {
            return true;
        }
        *tables.known.entry((kind, name.to_owned())).or_insert(member) == member
    }

    /// Forgets a kind of names, before they are listed again.
    pub(super) fn forget(&self, kind: Kind) {
        self.tables().known.retain(|(known, _), _| *known != kind);
    }

    pub(super) fn owner(&self, kind: Kind, name: &str) -> Option<usize> {
        self.tables().known.get(&(kind, name.to_owned())).copied()
    }

    /// The server of a tool or a prompt: the one that has listed it, or the one with the longest prefix that fits.
    pub(super) fn owner_by_prefix(
        &self,
        kind: Kind,
        name: &str,
        members: &[Member],
    ) -> Option<usize> {
        let by_prefix = || {
            let fits = |member: &Member| name.starts_with(&member.prefix);
            let fitting = members.iter().enumerate().filter(|(_, member)| fits(member));
            fitting.max_by_key(|(_, member)| member.prefix.len()).map(|(number, _)| number)
        };
        self.owner(kind, name).or_else(by_prefix)
    }

    /// Notes a request that a server is about to get; returns `false` if another one with this id is not answered yet.
    pub(super) fn expect(&self, id: &str, member: usize) -> bool {
        let (mut tables, id) = (self.tables(), id_key(id));
        if tables.requests.contains_key(&id) {
            return false;
        }
        tables.last_request += 1;
        let number = tables.last_request;
        tables.requests.insert(id, (member, number));
        true
    }

    /// The server that has a request; it has no longer.
    pub(super) fn answered(&self, id: &str) -> Option<usize> {
        self.tables().requests.remove(&id_key(id)).map(|(member, _)| member)
    }

    /// The requests that a server has not answered, the latest first.
    pub(super) fn unanswered(&self, member: usize) -> Vec<String> {
        let tables = self.tables();
        let mut ids: Vec<(&String, u64)> = tables
            .requests
            .iter()
            .filter(|(_, (owner, _))| *owner == member)
            .map(|(id, (_, number))| (id, *number))
            .collect();
        ids.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
        ids.into_iter().map(|(id, _)| id.clone()).collect()
    }

    /// The requests that a server has left unanswered.
    pub(super) fn take_unanswered(&self, member: usize) -> Vec<String> {
        let mut tables = self.tables();
        let left = tables.requests.extract_if(|_, (owner, _)| *owner == member);
        left.map(|(id, _)| id).collect()
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
