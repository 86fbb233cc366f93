//! Signs what `install.sh` and `forebay upgrade` verify, in the format of minisign.

use std::fs::{self, File};
use std::io::Cursor;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use minisign::{PublicKey, SecretKeyBox, SignatureBox};

use super::checksums::{MANIFEST, SUMS};
use crate::console;

/// The files that are signed: every other one is listed in them with its checksum.
const SIGNED: [&str; 2] = [MANIFEST, SUMS];
/// The secret key, as `minisign -G -W` writes it.
const SECRET_KEY: &str = "SIGNING_KEY";
/// The public key that the programs of this release were built with.
pub(super) const PUBLIC_KEY: &str = "FOREBAY_RELEASE_KEY";

/// Signs with the keys of the environment, and verifies the signatures with the key that programs have.
pub(super) fn write(version: &str, out: &Path) -> Result<()> {
    let variable = |name| std::env::var(name).with_context(|| format!("{name} is not set"));
    sign(version, out, &variable(SECRET_KEY)?, &variable(PUBLIC_KEY)?)?;
    console::line(format!("signed {}", SIGNED.join(" and ")));
    Ok(())
}

fn sign(version: &str, out: &Path, secret_key: &str, public_key: &str) -> Result<()> {
    let secret_key = SecretKeyBox::from_string(secret_key.trim())?.into_unencrypted_secret_key()?;
    let public_key = PublicKey::from_base64(public_key.trim())?;
    ensure!(
        PublicKey::from_secret_key(&secret_key)? == public_key,
        "{SECRET_KEY} does not belong to {PUBLIC_KEY}: no program would accept the signatures"
    );
    for name in SIGNED {
        let path = out.join(name);
        let file = File::open(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let comment = format!("forebay {version} {name}");
        let signature = minisign::sign(Some(&public_key), &secret_key, file, Some(&comment), None)?;
        let signature = signature.into_string();
        fs::write(out.join(format!("{name}.minisig")), &signature)?;
        verify(&public_key, &signature, &fs::read(&path)?)?;
    }
    Ok(())
}

fn verify(public_key: &PublicKey, signature: &str, text: &[u8]) -> Result<()> {
    let signature = SignatureBox::from_string(signature)?;
    Ok(minisign::verify(public_key, &signature, Cursor::new(text), true, false, false)?)
}

#[cfg(test)]
mod tests {
    use minisign::KeyPair;

    use super::*;

    fn secret_key(keys: &KeyPair) -> String {
        keys.sk.to_box(None).unwrap().into_string()
    }

    #[test]
    fn signs_the_manifest_and_the_checksums() {
        let out = tempfile::tempdir().unwrap();
        for name in SIGNED {
            fs::write(out.path().join(name), name).unwrap();
        }
        let keys = KeyPair::generate_unencrypted_keypair().unwrap();
        sign("1.2.3", out.path(), &secret_key(&keys), &keys.pk.to_base64()).unwrap();
        for name in SIGNED {
            let signature = fs::read_to_string(out.path().join(format!("{name}.minisig"))).unwrap();
            verify(&keys.pk, &signature, name.as_bytes()).unwrap();
            verify(&keys.pk, &signature, b"something else").unwrap_err();
        }
    }

    #[test]
    fn refuses_a_key_that_programs_do_not_know() {
        let out = tempfile::tempdir().unwrap();
        let [ours, theirs] = [(); 2].map(|()| KeyPair::generate_unencrypted_keypair().unwrap());
        let error = sign("1.2.3", out.path(), &secret_key(&ours), &theirs.pk.to_base64());
        assert!(error.unwrap_err().to_string().contains(PUBLIC_KEY));
    }
}
