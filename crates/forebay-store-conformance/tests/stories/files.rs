//! What a session has of files, and what was made from them.

use forebay_store::{DerivedValue, FileState, PurgeSelection, Store, WorkingFile};

use crate::engine::{NOW, on_every_engine};

const MANY: usize = 100;

fn file(path: &str, state: FileState) -> WorkingFile {
    WorkingFile {
        path: path.to_owned(),
        state,
        seen: [7; 32],
        version: None,
        tokens: 500,
        skeleton_tokens: Some(80),
        delivered: vec![(1, 40), (60, 90)],
        symbols: vec!["Pool::new".to_owned(), "Ptr".to_owned()],
    }
}

fn states(store: &dyn Store, session: &str) -> Vec<(String, FileState)> {
    let files = store.files_at_work(session).unwrap().files;
    files.into_iter().map(|file| (file.path, file.state)).collect()
}

#[test]
fn a_file_comes_back_as_it_was_kept() {
    on_every_engine(|store| {
        let mut kept = file("/p/a.rs", FileState::Active);
        store.save_working_file("s", &kept, MANY).unwrap();
        assert_eq!(store.files_at_work("s").unwrap().files, [kept.clone()]);
        kept.delivered.clear();
        kept.skeleton_tokens = None;
        kept.symbols.clear();
        store.save_working_file("s", &kept, MANY).unwrap();
        assert_eq!(store.files_at_work("s").unwrap().files, [kept]);
        assert_eq!(store.files_at_work("other").unwrap().files, []);
    });
}

#[test]
fn one_file_of_a_session_is_active() {
    on_every_engine(|store| {
        store.save_working_file("s", &file("/p/a.rs", FileState::Active), MANY).unwrap();
        store.save_working_file("t", &file("/p/a.rs", FileState::Active), MANY).unwrap();
        store.save_working_file("s", &file("/p/b.rs", FileState::Active), MANY).unwrap();
        store.save_working_file("s", &file("/p/c.rs", FileState::Forgotten), MANY).unwrap();
        let of_s = [("/p/c.rs", "forgotten"), ("/p/b.rs", "active"), ("/p/a.rs", "skeleton")];
        let found = states(store, "s");
        let found: Vec<(&str, &str)> =
            found.iter().map(|(path, state)| (path.as_str(), state.word())).collect();
        assert_eq!(found, of_s);
        assert_eq!(states(store, "t"), [("/p/a.rs".to_owned(), FileState::Active)]);
    });
}

#[test]
fn the_least_recently_used_file_goes_first() {
    on_every_engine(|store| {
        for name in ["a", "b", "c", "a", "d"] {
            store.save_working_file("s", &file(name, FileState::Skeleton), 3).unwrap();
        }
        let names: Vec<String> = states(store, "s").into_iter().map(|(path, _)| path).collect();
        assert_eq!(names, ["d", "a", "c"]);
    });
}

#[test]
fn a_context_that_starts_over_has_been_handed_nothing() {
    on_every_engine(|store| {
        for session in ["s", "t"] {
            store.save_working_file(session, &file("a", FileState::Active), MANY).unwrap();
        }
        assert!(!store.files_at_work("s").unwrap().resets_are_told);
        store.reset_deliveries("s").unwrap();
        store.reset_deliveries("s").unwrap();
        let (of_s, of_t) = (store.files_at_work("s").unwrap(), store.files_at_work("t").unwrap());
        assert!(of_s.resets_are_told && !of_t.resets_are_told);
        assert_eq!(of_s.files[0].delivered, []);
        assert_eq!(of_s.files[0].state, FileState::Active);
        assert_eq!(of_t.files[0].delivered.len(), 2);
    });
}

#[test]
fn a_session_that_is_purged_has_no_files() {
    on_every_engine(|store| {
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
        assert_eq!(store.derived(&[[1; 32]]).unwrap(), [None]);
    });
}

fn derived(key: u8, bytes: usize) -> DerivedValue {
    // Bytes that do not pack well.
    let mut state = u32::from(key) + 1;
    let noise = (0..bytes).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    });
    DerivedValue { key: [key; 32], value: noise.collect() }
}

#[test]
fn what_was_made_is_found_by_its_key() {
    on_every_engine(|store| {
        let (one, two) = (derived(1, 5_000), derived(2, 0));
        store.cache_derived(&[one.clone(), two.clone()], 1_000_000).unwrap();
        let found = store.derived(&[[2; 32], [3; 32], [1; 32]]).unwrap();
        assert_eq!(found, [Some(two.value), None, Some(one.value)]);
    });
}

#[test]
fn what_was_made_stays_within_its_bound() {
    on_every_engine(|store| {
        for key in 0..20 {
            store.cache_derived(&[derived(key, 1_000)], 5_500).unwrap();
        }
        let keys: Vec<[u8; 32]> = (0..20).map(|key| [key; 32]).collect();
        let kept: Vec<usize> = store
            .derived(&keys)
            .unwrap()
            .iter()
            .enumerate()
            .filter_map(|(key, value)| value.as_ref().map(|_| key))
            .collect();
        assert_eq!(kept, [15, 16, 17, 18, 19]);
    });
}
