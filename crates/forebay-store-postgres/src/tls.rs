//! TLS by rustls: certificates are checked against the machine's own and those the address names.

use std::sync::Arc;

use forebay_store::StoreError;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::address::Address;

pub(super) fn connector(address: &Address) -> Result<MakeRustlsConnect, StoreError> {
    let mut roots = RootCertStore::empty();
    // A certificate that cannot be read is none; the handshake tells when one was needed.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(path) = &address.root_certificate {
        let unreadable = |error: rustls::pki_types::pem::Error| StoreError::InvalidAddress {
            why: format!("its sslrootcert {}: {error}", path.display()),
        };
        for certificate in CertificateDer::pem_file_iter(path).map_err(unreadable)? {
            // The same for one that is no certificate.
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
