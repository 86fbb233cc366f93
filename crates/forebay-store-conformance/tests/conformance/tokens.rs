//! API tokens are stored, found by id, and revoked once.

use forebay_domain::Timestamp;
use forebay_domain::rights::{Grants, Rights};
use forebay_store::Token;

use crate::engine::{NOW, for_each_engine};

fn token(id: &str) -> Token {
    Token {
        id: id.to_owned(),
        name: "ann'; DROP TABLE token; --".to_owned(),
        hash: "$argon2id$v=19$...".to_owned(),
        grants: Grants::parse("read,execute,db:read").unwrap(),
        workspace: Some("team".to_owned()),
        created: NOW,
        expires: Some(Timestamp(NOW.0 + 10)),
        revoked: None,
    }
}

#[test]
fn a_token_is_read_back_as_stored() {
    for_each_engine(|store| {
        assert_eq!(store.tokens().unwrap(), []);
        let plain =
            Token { workspace: None, expires: None, grants: Rights::ALL.into(), ..token("b") };
        store.add_token(&token("a")).unwrap();
        store.add_token(&plain).unwrap();
        assert_eq!(store.tokens().unwrap(), [token("a"), plain.clone()]);
        assert_eq!(store.token("b").unwrap(), Some(plain));
        assert_eq!(store.token("' OR 1=1").unwrap(), None);
        assert!(store.add_token(&token("a")).is_err(), "no token takes another's place");
    });
}

#[test]
fn a_token_is_revoked_once() {
    for_each_engine(|store| {
        store.add_token(&token("a")).unwrap();
        store.add_token(&token("b")).unwrap();
        assert!(store.revoke_token("a", Timestamp(NOW.0 + 1)).unwrap());
        assert!(!store.revoke_token("a", Timestamp(NOW.0 + 2)).unwrap());
        assert!(!store.revoke_token("c", NOW).unwrap());
        assert_eq!(store.token("a").unwrap().unwrap().revoked, Some(Timestamp(NOW.0 + 1)));
        assert_eq!(store.token("b").unwrap().unwrap().revoked, None);
    });
}

#[test]
fn a_token_is_valid_until_it_expires_or_is_revoked() {
    let (token, late) = (token("a"), Timestamp(NOW.0 + 10));
    assert!(token.is_valid(NOW) && !token.is_valid(late));
    assert!(Token { expires: None, ..token.clone() }.is_valid(late));
    assert!(!Token { revoked: Some(NOW), expires: None, ..token }.is_valid(NOW));
}
