//! Working sets of sessions, and cached values derived from files.

use forebay_store::{DerivedValue, FileState, PurgeSelection, Store, WorkingFile};

use crate::engine::{NOW, for_each_engine};

const MANY: usize = 100;

fn file(path: &str, state: FileState) -> WorkingFile {
    WorkingFile {
        path: path.to_owned(),
        state,
        content_hash: [7; 32],
        version: None,
        tokens: 500,
        skeleton_tokens: Some(80),
        delivered: vec![(1, 40), (60, 90)],
        symbols: vec!["Pool::new".to_owned(), "Ptr".to_owned()],
    }
}

fn states(store: &dyn Store, session: &str) -> Vec<(String, FileState)> {
    let files = store.working_set(session).unwrap().files;
    files.into_iter().map(|file| (file.path, file.state)).collect()
}

#[test]
fn a_working_file_is_read_back_as_saved() {
    for_each_engine(|store| {
        let mut kept = file("/p/a.rs", FileState::Active);
        store.save_working_file("s", &kept, MANY).unwrap();
        assert_eq!(store.working_set("s").unwrap().files, [kept.clone()]);
        kept.delivered.clear();
        kept.skeleton_tokens = None;
        kept.symbols.clear();
        store.save_working_file("s", &kept, MANY).unwrap();
        assert_eq!(store.working_set("s").unwrap().files, [kept]);
        assert_eq!(store.working_set("other").unwrap().files, []);
    });
}

#[test]
fn a_session_has_one_active_file() {
    for_each_engine(|store| {
        store.save_working_file("s", &file("/p/a.rs", FileState::Active), MANY).unwrap();
        store.save_working_file("t", &file("/p/a.rs", FileState::Active), MANY).unwrap();
        store.save_working_file("s", &file("/p/b.rs", FileState::Active), MANY).unwrap();
        store.save_working_file("s", &file("/p/c.rs", FileState::Forgotten), MANY).unwrap();
        let of_s = [("/p/c.rs", "forgotten"), ("/p/b.rs", "active"), ("/p/a.rs", "skeleton")];
        let found = states(store, "s");
        let found: Vec<(&str, &str)> =
            found.iter().map(|(path, state)| (path.as_str(), state.as_str())).collect();
        assert_eq!(found, of_s);
        assert_eq!(states(store, "t"), [("/p/a.rs".to_owned(), FileState::Active)]);
    });
}

#[test]
fn evicts_the_least_recently_used_file() {
    for_each_engine(|store| {
        for name in ["a", "b", "c", "a", "d"] {
            store.save_working_file("s", &file(name, FileState::Skeleton), 3).unwrap();
        }
        let names: Vec<String> = states(store, "s").into_iter().map(|(path, _)| path).collect();
        assert_eq!(names, ["d", "a", "c"]);
    });
}

#[test]
fn a_context_reset_clears_deliveries() {
    for_each_engine(|store| {
        for session in ["s", "t"] {
            store.save_working_file(session, &file("a", FileState::Active), MANY).unwrap();
        }
        assert!(!store.working_set("s").unwrap().resets_are_reported);
        store.reset_deliveries("s").unwrap();
        store.reset_deliveries("s").unwrap();
        let (of_s, of_t) = (store.working_set("s").unwrap(), store.working_set("t").unwrap());
        assert!(of_s.resets_are_reported && !of_t.resets_are_reported);
        assert_eq!((of_s.files[0].delivered.len(), of_s.files[0].skeleton_tokens), (0, None));
        assert_eq!(of_s.files[0].state, FileState::Active);
        assert_eq!(of_t.files[0].delivered.len(), 2);
    });
}

#[test]
fn purging_a_session_deletes_its_working_set() {
    for_each_engine(|store| {
        for session in ["s", "t"] {
            store.save_working_file(session, &file("a", FileState::Active), MANY).unwrap();
        }
        let of_s = PurgeSelection { session: Some("s".to_owned()), ..PurgeSelection::default() };
        store.purge(&of_s, NOW).unwrap();
        assert_eq!((states(store, "s").len(), states(store, "t").len()), (0, 1));
        let all = PurgeSelection { everything: true, ..PurgeSelection::default() };
        store.cache_derived(&[derived(1, 10)], 1_000).unwrap();
        store.purge(&all, NOW).unwrap();
        assert_eq!(states(store, "t").len(), 0);
        assert_eq!(store.cached_derived(&[[1; 32]]).unwrap(), [None]);
    });
}

fn derived(key: u8, bytes: usize) -> DerivedValue {
    // Incompressible bytes.
    let mut state = u32::from(key) + 1;
    let noise = (0..bytes).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    });
    DerivedValue { key: [key; 32], value: noise.collect() }
}

#[test]
fn finds_derived_values_by_key() {
    for_each_engine(|store| {
        let (one, stores) = (derived(1, 5_000), derived(2, 0));
        store.cache_derived(&[one.clone(), stores.clone()], 1_000_000).unwrap();
        let found = store.cached_derived(&[[2; 32], [3; 32], [1; 32]]).unwrap();
        assert_eq!(found, [Some(stores.value), None, Some(one.value)]);
    });
}

#[test]
fn derived_values_stay_within_the_byte_limit() {
    for_each_engine(|store| {
        for key in 0..20 {
            store.cache_derived(&[derived(key, 1_000)], 5_500).unwrap();
        }
        let keys: Vec<[u8; 32]> = (0..20).map(|key| [key; 32]).collect();
        let kept: Vec<usize> = store
            .cached_derived(&keys)
            .unwrap()
            .iter()
            .enumerate()
            .filter_map(|(key, value)| value.as_ref().map(|_| key))
            .collect();
        assert_eq!(kept, [15, 16, 17, 18, 19]);
    });
}
