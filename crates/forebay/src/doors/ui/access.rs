//! Who may use the dashboard: who opens the printed link, and then the browser that did.
//!
//! The link works once and is exchanged for a cookie. Browsers send a cookie to every port of a host, and another user's
//! server may listen on one; so all routes are below an unguessable path, and the cookie is limited to it.

use std::net::SocketAddr;

use axum::http::{HeaderMap, HeaderValue, header};
use forebay_app::{AppError, random_bytes};
use parking_lot::Mutex;

use super::{Mode, authorities};

const COOKIE: &str = "forebay_ui";

/// The secrets of a running dashboard; they end with its process.
pub(super) struct Access {
    authorities: [String; 2],
    /// The path that all routes are below: `/` and random characters.
    base: String,
    /// The token of the link, until it is used.
    token: Mutex<Option<blake3::Hash>>,
    cookie: blake3::Hash,
    /// What a page has to send with a change; None if nothing may be changed.
    csrf_token: Option<String>,
    link: String,
    set_cookie: String,
}

impl Access {
    pub(super) fn new(address: SocketAddr, mode: Mode) -> Result<Self, AppError> {
        let csrf_token = match mode {
            Mode::ReadOnly => None,
            Mode::Write => Some(secret()?),
        };
        let (base, token, cookie) = (format!("/{}", secret()?), secret()?, secret()?);
        Ok(Self {
            authorities: authorities(address),
            link: format!("http://{address}{base}/open?token={token}"),
            set_cookie: format!("{COOKIE}={cookie}; Path={base}/; HttpOnly; SameSite=Strict"),
            token: Mutex::new(Some(blake3::hash(token.as_bytes()))),
            cookie: blake3::hash(cookie.as_bytes()),
            csrf_token,
            base,
        })
    }

    /// Returns the link that works once.
    pub(super) fn link(&self) -> String {
        self.link.clone()
    }

    pub(super) fn base(&self) -> &str {
        &self.base
    }

    pub(super) fn is_own_authority(&self, authority: &str) -> bool {
        self.authorities.iter().any(|own| own == authority)
    }

    /// Exchanges the token of the link for a cookie; None if it is wrong or was used.
    pub(super) fn exchange(&self, token: &str) -> Option<HeaderValue> {
        let mut own = self.token.lock();
        // Hashes are compared in constant time.
        if *own != Some(blake3::hash(token.as_bytes())) {
            return None;
        }
        *own = None;
        HeaderValue::from_str(&self.set_cookie).ok()
    }

    /// Returns the token for changes; None if the dashboard only reads.
    pub(super) fn csrf_token(&self) -> Option<&str> {
        self.csrf_token.as_deref()
    }

    pub(super) fn is_csrf_token(&self, given: &[u8]) -> bool {
        let own = self.csrf_token.as_deref();
        own.is_some_and(|own| blake3::hash(own.as_bytes()) == blake3::hash(given))
    }

    /// Whether a request has the cookie.
    pub(super) fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
        let cookies = lines.flat_map(|line| line.split(';'));
        let values =
            cookies.filter_map(|cookie| cookie.trim().strip_prefix(COOKIE)?.strip_prefix('='));
        values.into_iter().any(|value| blake3::hash(value.as_bytes()) == self.cookie)
    }
}

/// 128 random bits as hexadecimal digits.
fn secret() -> Result<String, AppError> {
    let bytes: [u8; 16] = random_bytes()?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access() -> Access {
        Access::new(SocketAddr::from(([127, 0, 0, 1], 4_000)), Mode::Write).unwrap()
    }

    fn with_cookie(line: &str) -> HeaderMap {
        HeaderMap::from_iter([(header::COOKIE, line.parse().unwrap())])
    }

    #[test]
    fn the_link_works_once() {
        let access = access();
        let link = access.link();
        let (_, token) = link.split_once("token=").unwrap();
        assert!(access.exchange("wrong").is_none());
        let cookie = access.exchange(token).unwrap();
        let (pair, attributes) = cookie.to_str().unwrap().split_once(';').unwrap();
        assert!(access.has_cookie(&with_cookie(pair)));
        assert!(access.has_cookie(&with_cookie(&format!("a=b; {pair}; c=d"))));
        assert_eq!(attributes, format!(" Path={}/; HttpOnly; SameSite=Strict", access.base()));
        assert!(access.exchange(token).is_none(), "used twice");
    }

    #[test]
    fn no_token_for_changes_counts_without_the_right_to_make_them() {
        let access = access();
        let token = access.csrf_token().unwrap().to_owned();
        assert!(access.is_csrf_token(token.as_bytes()));
        assert!(!access.is_csrf_token(b""));
        let address = SocketAddr::from(([127, 0, 0, 1], 4_000));
        let reader = Access::new(address, Mode::ReadOnly).unwrap();
        assert!(reader.csrf_token().is_none() && !reader.is_csrf_token(b""));
    }

    #[test]
    fn no_other_cookie_counts() {
        let access = access();
        assert!(!access.has_cookie(&HeaderMap::new()));
        assert!(!access.has_cookie(&with_cookie("forebay_ui=; forebay_ui=x; other=y")));
    }
}
