//! TLS with a configured certificate.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use forebay_app::AppError;
use forebay_app::settings::Serve;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ServerConfig, version};

/// The TLS acceptor, if a certificate is configured.
pub(super) fn acceptor(settings: &Serve) -> Result<Option<TlsAcceptor>, AppError> {
    match (settings.tls_cert.as_str(), settings.tls_key.as_str()) {
        ("", "") => Ok(None),
        ("", _) | (_, "") => Err(AppError::bad_input(
            "TLS needs both a certificate and its key",
            "give both --tls-cert and --tls-key",
        )),
        (certificate, key) => load(Path::new(certificate), Path::new(key)).map(Some),
    }
}

fn load(certificate: &Path, key: &Path) -> Result<TlsAcceptor, AppError> {
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(&read(certificate)?)
        .collect::<Result<_, _>>()
        .map_err(|error| unusable(certificate, error))?;
    if chain.is_empty() {
        return Err(unusable(certificate, "it contains no certificate"));
    }
    let private =
        PrivateKeyDer::from_pem_slice(&read(key)?).map_err(|error| unusable(key, error))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[&version::TLS13, &version::TLS12])
        .map_err(|error| unusable(certificate, error))?
        .with_no_client_auth()
        .with_single_cert(chain, private)
        .map_err(|error| unusable(certificate, error))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn read(path: &Path) -> Result<Vec<u8>, AppError> {
    fs::read(path).map_err(|error| unusable(path, error))
}

fn unusable(path: &Path, error: impl std::fmt::Display) -> AppError {
    AppError::bad_input(
        format!("{}: {error}", path.display()),
        "give PEM files: the certificate chain and the private key",
    )
}
