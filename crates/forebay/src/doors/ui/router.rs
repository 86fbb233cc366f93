//! The table of routes.

use std::sync::Arc;

use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, post};
use forebay_app::AppError;

use super::guard::{self, Guard};
use super::{UiState, assets, changes, images, live, views};

pub(super) fn router(state: &Arc<UiState>) -> Result<Router, AppError> {
    let guard = Arc::new(Guard::new(state)?);
    let below = |route: &str| format!("{}{route}", state.access.base());
    Ok(Router::new()
        .route(&below("/"), get(assets::index))
        .route(&below("/open"), get(assets::open))
        .route(&below("/assets/{name}"), get(assets::show))
        .route(&below("/image/{reference}"), get(images::show))
        .route(&below("/api/live"), get(live::follow))
        .route(&below("/api/access"), get(changes::access))
        .route(&below("/api/change"), post(changes::make))
        .route(&below("/api/{view}"), get(views::show))
        .with_state(Arc::clone(state))
        .fallback(
            |headers: HeaderMap| async move { guard::refusal(&headers, StatusCode::NOT_FOUND) },
        )
        .layer(axum::middleware::from_fn_with_state(guard, guard::check_and_forward)))
}
