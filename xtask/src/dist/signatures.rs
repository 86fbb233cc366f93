//! Signs what `install.sh` and `forebay upgrade` verify, in the format of minisign.

use std::fs::{self, File};
use std::io::Cursor;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use minisign::{KeyPair, PublicKey, SecretKeyBox, SignatureBox};

use super::checksums::{MANIFEST, SUMS};
use crate::console;

/// The files that are signed: every other one is listed in them with its checksum.
const SIGNED: [&str; 2] = [MANIFEST, SUMS];
/// The secret key, as `minisign -G -W` writes it.
const SECRET_KEY: &str = "SIGNING_KEY";
/// The public key that the programs of this release were built with.
pub(super) const PUBLIC_KEY: &str = "FOREBAY_RELEASE_KEY";

/// The keys of a release.
pub(super) struct Keys(KeyPair);

impl Keys {
    /// The keys of the environment; programs must have the public one.
    pub(super) fn of_environment() -> Result<Self> {
        let variable = |name| std::env::var(name).with_context(|| format!("{name} is not set"));
        Self::parse(&variable(SECRET_KEY)?, &variable(PUBLIC_KEY)?)
    }

    /// New keys, for a release that is only tried.
    pub(super) fn generate() -> Result<Self> {
        Ok(Self(KeyPair::generate_unencrypted_keypair()?))
    }

    fn parse(secret_key: &str, public_key: &str) -> Result<Self> {
        let sk = SecretKeyBox::from_string(secret_key.trim())?.into_unencrypted_secret_key()?;
        let pk = PublicKey::from_base64(public_key.trim())?;
        ensure!(
            PublicKey::from_secret_key(&sk)? == pk,
            "{SECRET_KEY} does not belong to {PUBLIC_KEY}: no program would accept the signatures"
        );
        Ok(Self(KeyPair { pk, sk }))
    }

    /// The public key, as programs and `install.sh` have it.
    pub(super) fn public(&self) -> String {
        self.0.pk.to_base64()
    }

    /// Signs, and verifies the signatures with the key that programs have.
    pub(super) fn sign(&self, version: &str, out: &Path) -> Result<()> {
        for name in SIGNED {
            let path = out.join(name);
            let file =
                File::open(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let comment = format!("forebay {version} {name}");
            let KeyPair { pk, sk } = &self.0;
            let signature = minisign::sign(Some(pk), sk, file, Some(&comment), None)?;
            let signature = signature.into_string();
            fs::write(out.join(format!("{name}.minisig")), &signature)?;
            verify(pk, &signature, &fs::read(&path)?)?;
        }
        console::line(format!("signed {}", SIGNED.join(" and ")));
        Ok(())
    }
}

fn verify(public_key: &PublicKey, signature: &str, text: &[u8]) -> Result<()> {
    let signature = SignatureBox::from_string(signature)?;
    Ok(minisign::verify(public_key, &signature, Cursor::new(text), true, false, false)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_the_manifest_and_the_checksums() {
        let out = tempfile::tempdir().unwrap();
        for name in SIGNED {
            fs::write(out.path().join(name), name).unwrap();
        }
        let keys = Keys::generate().unwrap();
        keys.sign("1.2.3", out.path()).unwrap();
        for name in SIGNED {
            let signature = fs::read_to_string(out.path().join(format!("{name}.minisig"))).unwrap();
            verify(&keys.0.pk, &signature, name.as_bytes()).unwrap();
            verify(&keys.0.pk, &signature, b"something else").unwrap_err();
        }
    }

    #[test]
    fn refuses_a_key_that_programs_do_not_know() {
        let [ours, theirs] = [(); 2].map(|()| Keys::generate().unwrap());
        let secret_key = ours.0.sk.to_box(None).unwrap().into_string();
        Keys::parse(&secret_key, &ours.public()).unwrap();
        let error = Keys::parse(&secret_key, &theirs.public()).err().unwrap();
        assert!(error.to_string().contains(PUBLIC_KEY));
    }
}
