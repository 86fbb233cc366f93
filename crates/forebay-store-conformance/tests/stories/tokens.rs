//! Tokens are kept, found by their id, and ended once.

use forebay_domain::Timestamp;
use forebay_domain::rights::{Right, Rights};
use forebay_store::Token;

use crate::engine::{NOW, on_every_engine};

fn token(id: &str) -> Token {
    Token {
        id: id.to_owned(),
        name: "ann'; DROP TABLE token; --".to_owned(),
        hash: "$argon2id$v=19$...".to_owned(),
        rights: [Right::Read, Right::Execute].into_iter().collect(),
        workspace: Some("team".to_owned()),
        created: NOW,
        expires: Some(Timestamp(NOW.0 + 10)),
        revoked: None,
    }
}

#[test]
fn a_token_comes_back_as_it_was_kept() {
    on_every_engine(|store| {
        assert_eq!(store.tokens().unwrap(), []);
        let plain = Token { workspace: None, expires: None, rights: Rights::ALL, ..token("b") };
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
    on_every_engine(|store| {
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
fn a_token_is_in_force_until_it_expires_or_is_revoked() {
    let (token, late) = (token("a"), Timestamp(NOW.0 + 10));
    assert!(token.is_in_force(NOW) && !token.is_in_force(late));
    assert!(Token { expires: None, ..token.clone() }.is_in_force(late));
    assert!(!Token { revoked: Some(NOW), expires: None, ..token }.is_in_force(NOW));
}
