//! `glove mcp`: the agent of a folder, and its tools, for a client of MCP on the standard input and output. The standard output carries
//! the protocol alone.

mod conversation;
mod direct;
mod offered;
mod question;
mod result;
mod running;
mod server;

use std::sync::Arc;

use rmcp::ServiceExt;
use rmcp::service::RunningServiceCancellationToken;
use tokio::io::{stdin, stdout};
use tokio::signal::unix::{SignalKind, signal};

use crate::args::{Mcp, Places};
use crate::chat::threads;
use crate::config::{Config, variables};
use crate::database::open_file;
use crate::failure::Failure;
use crate::model::Models;
use crate::traces::Exporting;
use server::{Served, Server};

/// Until the client goes away, or the program is ended.
pub(crate) fn serve(places: &Places, options: &Mcp) -> Result<(), Failure> {
    let config = Config::read(places)?;
    let variables = variables(&config, &options.env)?;
    let model = match options.no_agent {
        true => None,
        false => {
            Some(Models::new(config, options.model.base_url.clone()).choose(options.model.model.as_deref())?)
        }
    };
    let folder = options.folder.canonicalize();
    let folder = folder.map_err(|error| Failure::new(format!("`{}`: {error}", options.folder.display())))?;
    let served = Arc::new(Served::new(open_file(places)?, folder, model, variables, options)?);
    let _traces = Exporting::begin()?;
    let runtime = threads()?;
    let ended = runtime.block_on(run(Arc::clone(&served)));
    runtime.block_on(served.close());
    // The thread that reads the standard input cannot be interrupted.
    runtime.shutdown_background();
    ended
}

async fn run(served: Arc<Served>) -> Result<(), Failure> {
    // A client that goes away before it has said anything wanted nothing.
    let Ok(service) = Server(served).serve((stdin(), stdout())).await else { return Ok(()) };
    for kind in [SignalKind::interrupt(), SignalKind::hangup(), SignalKind::terminate(), SignalKind::quit()] {
        end_with(kind, service.cancellation_token())?;
    }
    service.waiting().await.map(drop).map_err(|error| Failure::new(error.to_string()))
}

fn end_with(kind: SignalKind, service: RunningServiceCancellationToken) -> Result<(), Failure> {
    let mut arrived = signal(kind)?;
    tokio::spawn(async move {
        if arrived.recv().await.is_some() {
            service.cancel();
        }
    });
    Ok(())
}
