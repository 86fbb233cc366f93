//! TLS with rustls: certificates are verified against the system's roots and those of the address.

use std::sync::Arc;

use forebay_store::StoreError;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::address::Address;

pub(super) fn connector(address: &Address) -> Result<MakeRustlsConnect, StoreError> {
    let mut roots = RootCertStore::empty();
    // Unreadable system certificates are skipped; the handshake fails if one was needed.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(path) = &address.root_certificate {
        let unreadable = |error: rustls::pki_types::pem::Error| StoreError::InvalidAddress {
            why: format!("cannot read sslrootcert {}: {error}", path.display()),
        };
        for certificate in CertificateDer::pem_file_iter(path).map_err(unreadable)? {
            // Invalid certificates are skipped, too.
            roots.add_parsable_certificates([certificate.map_err(unreadable)?]);
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| StoreError::InvalidAddress { why: error.to_string() })?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}
