//! Which server a name, an address or a request belongs to.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use forebay_app::bounds::MAX_ROUTES;

use super::super::json::id_key;
use super::member::Member;

/// What lists and requests have told so far.
#[derive(Default)]
pub(super) struct Routes {
    tables: Mutex<Tables>,
}

#[derive(Default)]
struct Tables {
    /// Requests that servers have not answered, by their ids as they are compared.
    requests: HashMap<String, Request>,
    last_request: u64,
    /// Servers by what the client knows of them: kind and name.
    known: HashMap<(Kind, String), usize>,
}

/// A request that a server has.
struct Request {
    member: usize,
    /// Its place in the order of requests.
    number: u64,
    /// Its id as the client wrote it.
    id: String,
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

/// Whose name it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    Server(usize),
    /// It may be that of several servers with the same prefix.
    Unclear,
    Unknown,
}

impl Routes {
    /// Notes to whom a name belongs, unless it belongs to another server already.
    pub(super) fn learn(&self, kind: Kind, name: &str, member: usize) {
        let mut tables = self.tables();
        if tables.known.len() < MAX_ROUTES {
            tables.known.entry((kind, name.to_owned())).or_insert(member);
        }
    }

    /// Replaces a kind of names by those that were listed. Names of servers that have not listed theirs stay.
    pub(super) fn replace(
        &self,
        kind: Kind,
        listed: HashMap<String, usize>,
        unlisted: &HashSet<usize>,
    ) {
        let mut tables = self.tables();
        tables.known.retain(|(known, _), owner| *known != kind || unlisted.contains(owner));
        let room = MAX_ROUTES.saturating_sub(tables.known.len());
        let listed = listed.into_iter().map(|(name, owner)| ((kind, name), owner));
        tables.known.extend(listed.take(room));
    }

    pub(super) fn owner(&self, kind: Kind, name: &str) -> Option<usize> {
        self.tables().known.get(&(kind, name.to_owned())).copied()
    }

    /// The server of a tool or a prompt: the one that has listed it, or the one with the longest prefix that fits.
    pub(super) fn find_by_name(&self, kind: Kind, name: &str, members: &[Member]) -> Owner {
        if let Some(number) = self.owner(kind, name) {
            return Owner::Server(number);
        }
        let prefixes: Vec<&str> = members.iter().map(|member| member.prefix.as_str()).collect();
        find_by_prefix(name, &prefixes)
    }

    /// Notes a request that a server is about to get; returns `false` if another one with this id is not answered yet.
    pub(super) fn expect(&self, id: &str, member: usize) -> bool {
        let (mut tables, key) = (self.tables(), id_key(id));
        if tables.requests.contains_key(&key) {
            return false;
        }
        tables.last_request += 1;
        let number = tables.last_request;
        tables.requests.insert(key, Request { member, number, id: id.to_owned() });
        true
    }

    /// The server that has a request; it has no longer.
    pub(super) fn answered(&self, id: &str) -> Option<usize> {
        self.tables().requests.remove(&id_key(id)).map(|request| request.member)
    }

    /// Notes the answer of a server; returns `false` if it does not have that request.
    pub(super) fn answered_by(&self, id: &str, member: usize) -> bool {
        let (mut tables, id) = (self.tables(), id_key(id));
        let is_asked = tables.requests.get(&id).is_some_and(|request| request.member == member);
        is_asked && tables.requests.remove(&id).is_some()
    }

    /// Whether a server has a request.
    pub(super) fn has_request(&self, id: &str) -> bool {
        self.tables().requests.contains_key(&id_key(id))
    }

    /// The requests that a server has not answered, the latest first, by their ids as they are compared.
    pub(super) fn unanswered(&self, member: usize) -> Vec<String> {
        let tables = self.tables();
        let mut ids: Vec<(&String, u64)> = tables
            .requests
            .iter()
            .filter(|(_, request)| request.member == member)
            .map(|(id, request)| (id, request.number))
            .collect();
        ids.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
        ids.into_iter().map(|(id, _)| id.clone()).collect()
    }

    /// The requests that a server has left unanswered, by their ids as the client wrote them.
    pub(super) fn take_unanswered(&self, member: usize) -> Vec<String> {
        let mut tables = self.tables();
        let left = tables.requests.extract_if(|_, request| request.member == member);
        left.map(|(_, request)| request.id).collect()
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn find_by_prefix(name: &str, prefixes: &[&str]) -> Owner {
    let fitting = prefixes.iter().enumerate().filter(|(_, prefix)| name.starts_with(**prefix));
    let Some((number, longest)) = fitting.max_by_key(|(_, prefix)| prefix.len()) else {
        return Owner::Unknown;
    };
    let is_shared = prefixes.iter().filter(|prefix| *prefix == longest).count() > 1;
    if is_shared { Owner::Unclear } else { Owner::Server(number) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_prefix_that_one_server_has_decides() {
        let prefixes = ["", "a_", "", "a_b_"];
        assert_eq!(find_by_prefix("a_b_c", &prefixes), Owner::Server(3));
        assert_eq!(find_by_prefix("a_c", &prefixes), Owner::Server(1));
        assert_eq!(find_by_prefix("c", &prefixes), Owner::Unclear);
        assert_eq!(find_by_prefix("c", &["a_"]), Owner::Unknown);
    }

    #[test]
    fn names_stay_known_while_they_are_listed_again() {
        let routes = Routes::default();
        let listed = |pairs: &[(&str, usize)]| {
            pairs.iter().map(|(name, owner)| ((*name).to_owned(), *owner)).collect()
        };
        routes.replace(Kind::Tool, listed(&[("a", 0), ("b", 1)]), &HashSet::new());
        routes.learn(Kind::Prompt, "a", 2);
        // The second server does not answer.
        routes.replace(Kind::Tool, listed(&[("c", 0)]), &HashSet::from([1]));
        let owner = |name| routes.owner(Kind::Tool, name);
        assert_eq!((owner("a"), owner("b"), owner("c")), (None, Some(1), Some(0)));
        assert_eq!(routes.owner(Kind::Prompt, "a"), Some(2));
    }

    #[test]
    fn only_the_server_that_has_a_request_answers_it() {
        let routes = Routes::default();
        assert!(routes.expect("1", 0) && routes.has_request("1"));
        assert!(!routes.answered_by("1", 1));
        assert!(routes.answered_by("1", 0) && !routes.answered_by("1", 0));
        routes.expect("12345678901234567890123", 0);
        assert_eq!(routes.take_unanswered(0), ["12345678901234567890123"], "as it was written");
    }
}
