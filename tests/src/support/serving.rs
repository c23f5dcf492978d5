//! Servers of the tests.

use axum::Router;

/// Serves routes on a port of their own. Returns the URL.
pub async fn serve(routes: Router) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        axum::serve(listener, routes)
            .await
            .unwrap();
    });
    url
}
