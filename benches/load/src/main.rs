//! Many streams open at once on one server process that has one core: how long the first event takes, what a stream weighs, and whether all of
//! them hear the end. Beside `glove serve`, the least that a server can do with the same streams: a proxy with axum and reqwest.
//! `npm run bench -- load` builds and starts it.

mod bare;
mod client;
mod model;
mod server;

use std::env;
use std::error::Error;

use server::{Kind, Server};

type Failure = Box<dyn Error>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["model"] => model::serve().await,
        ["bare", upstream] => bare::serve(upstream).await,
        [glove, streams] => measure(glove, streams.parse()?).await,
        _ => Err("usage: glove-wasm-load PATH-OF-GLOVE STREAMS".into()),
    }
}

async fn measure(glove: &str, wanted: usize) -> Result<(), Failure> {
    // A proxied stream has a socket on both sides of its server.
    let files = open_files(2 * wanted + 200)?;
    let proxied = wanted.min((files - 200) / 2);
    let followed = wanted.min(files - 100);
    if proxied < wanted {
        println!(
            "A process may have {files} files open here (`ulimit -Hn`), so {proxied} streams are proxied; glove has {} more, who follow a session.",
            followed - proxied
        );
    }
    let model = Server::start(Kind::Model, glove, "").await?;
    for round in 1..=rounds() {
        println!("\nround {round}");
        println!("{:22}{:>8}{:>10}{:>10}{:>10}{:>14}{:>12}", "", "streams", "p50 ms", "p99 ms", "max ms", "kB a stream", "all end ms");
        for kind in [Kind::Bare, Kind::Glove] {
            let server = Server::start(kind, glove, &model.address).await?;
            let followers = if kind == Kind::Glove { followed - proxied } else { 0 };
            client::proxied(&server, &model, proxied, followers).await?.print(kind.name());
        }
        let server = Server::start(Kind::Glove, glove, &model.address).await?;
        client::followed(&server, followed).await?.print("glove: followers");
    }
    Ok(())
}

fn rounds() -> usize {
    env::var("GLOVE_BENCH_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(3)
}

/// As many as are wanted or the system gives, for this process and those that it starts.
fn open_files(wanted: usize) -> Result<usize, Failure> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let most = getrlimit(Resource::Nofile).maximum;
    let wanted = u64::try_from(wanted)?.max(most.unwrap_or_default());
    // Only root may have more than the system gives.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum: Some(wanted) });
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit.clone())?;
    Ok(limit.maximum.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX)))
}
