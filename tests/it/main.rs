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
mod components;
mod crates;
mod fuzzed;
mod golden;
mod http;
mod import_circles;
mod machine;
#[cfg(unix)]
mod native_coding;
mod native_derive;
#[cfg(unix)]
mod native_glove;
mod native_http;
#[cfg(unix)]
mod native_postgres;
#[cfg(unix)]
mod native_redis;
#[cfg(unix)]
mod native_sandbox;
mod native_schemas;
mod native_serve;
mod native_serve_tasks;
mod native_sqlite;
mod native_web;
mod operations;
mod providers;
mod runtime;
mod store_conformance;
#[cfg(unix)]
mod stored_databases;
mod task;
mod typescript;
