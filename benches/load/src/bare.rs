//! What stands for the least work: each request is passed on, and its answer as it comes.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use tokio::net::TcpListener;

use crate::Failure;

#[derive(Clone)]
struct Upstream {
    client: reqwest::Client,
    url: String,
}

pub(crate) async fn serve(upstream: &str) -> Result<(), Failure> {
    let upstream =
        Upstream { client: reqwest::Client::new(), url: format!("http://{upstream}/v1/chat/completions") };
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    eprintln!("serves at http://{}", listener.local_addr()?);
    Ok(axum::serve(listener, Router::new().route("/api/chat", post(pass_on)).with_state(upstream)).await?)
}

async fn pass_on(State(upstream): State<Upstream>, body: Bytes) -> Response {
    let asked = upstream.client.post(&upstream.url).header(header::CONTENT_TYPE, "application/json").body(body);
    match asked.send().await {
        Ok(answer) => {
            ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(answer.bytes_stream())).into_response()
        }
        Err(_) => StatusCode::BAD_GATEWAY.into_response(),
    }
}
