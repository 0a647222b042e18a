//! Five tools that ask a person in the middle of their work, in the terminal: `deploy`, `scaffold_project`, `db_migrate`, `inject_secret` and
//! `collect_form`. They change files of a folder, so that you can look at what they did. A script stands in for the model.

mod desk;
mod terminal;

use std::error::Error;
use std::path::PathBuf;

use glove_wasm::runtime::Glove;
use glove_wasm::testing::ScriptedModel;

fn main() -> Result<(), Box<dyn Error>> {
    let place = std::env::args().nth(1).map_or_else(|| PathBuf::from("operations"), PathBuf::from);
    desk::prepare(&place)?;
    let mut builder = Glove::builder(ScriptedModel::by(desk::answer)).system_prompt("You keep the services running.");
    for tool in desk::tools(&place) {
        builder = builder.fold(tool);
    }
    println!("Working in {}. An empty line ends it. Say one of:\n{}", place.display(), desk::SENTENCES.join("\n"));
    terminal::talk(&builder.build()?)
}
