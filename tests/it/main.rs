//! The tests of the whole library, in one program: what they have in common is compiled once and linked once.
#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr
)]

mod support;

mod architecture;
#[cfg(all(feature = "sqlite", feature = "task"))]
mod fuzzed;
mod golden;
mod http;
mod import_circles;
mod machine;
#[cfg(all(feature = "coding", unix))]
mod native_coding;
#[cfg(feature = "derive")]
mod native_derive;
#[cfg(all(feature = "cli", unix))]
mod native_glove;
#[cfg(feature = "native")]
mod native_http;
#[cfg(all(feature = "postgres", feature = "sqlite", unix))]
mod native_postgres;
#[cfg(all(feature = "postgres", feature = "redis", feature = "sqlite", unix))]
mod native_redis;
#[cfg(all(feature = "cli", unix))]
mod native_sandbox;
#[cfg(feature = "native")]
mod native_schemas;
#[cfg(feature = "serve")]
mod native_serve;
#[cfg(all(feature = "serve", feature = "task"))]
mod native_serve_tasks;
#[cfg(feature = "sqlite")]
mod native_sqlite;
#[cfg(feature = "sandbox")]
mod native_web;
mod operations;
mod providers;
mod runtime;
mod store_conformance;
#[cfg(feature = "task")]
mod task;
