//! Tokens: kept, listed, ended once.

use forebay_domain::Timestamp;
use forebay_domain::rights::Rights;
use forebay_store::Token;

use crate::engine::on_every_engine;

fn token(id: &str, created: i64) -> Token {
    Token {
        id: id.into(),
        name: "Ada'; DROP TABLE token; --".into(),
        hash: "$argon2id$hash".into(),
        rights: Rights::from_words("read").unwrap(),
        workspace: Some("harbour".into()),
        created: Timestamp(created),
        expires: Some(Timestamp(9_000)),
        revoked: None,
    }
}

#[test]
fn a_token_is_found_by_its_id_and_ended_once() {
    on_every_engine(|store| {
        let (first, second) = (token("one", 1), token("two", 2));
        store.keep_token(&second).unwrap();
        store.keep_token(&first).unwrap();
        assert_eq!(store.tokens().unwrap(), [first.clone(), second.clone()]);
        assert_eq!(store.token("one").unwrap(), Some(first));
        assert_eq!(store.token("' OR 1 = 1 --").unwrap(), None);

        assert!(store.revoke_token("two", Timestamp(5)).unwrap());
        assert!(!store.revoke_token("two", Timestamp(6)).unwrap());
        assert!(!store.revoke_token("three", Timestamp(6)).unwrap());
        let ended = store.token("two").unwrap().unwrap();
        assert_eq!(ended, Token { revoked: Some(Timestamp(5)), ..second });
        assert!(!ended.is_in_force(Timestamp(5)));
    });
}

#[test]
fn a_token_is_not_kept_over_another() {
    on_every_engine(|store| {
        store.keep_token(&token("one", 1)).unwrap();
        assert!(store.keep_token(&token("one", 2)).is_err());
        assert_eq!(store.tokens().unwrap(), [token("one", 1)]);
    });
}
