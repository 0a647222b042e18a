//! The program `glove`: an agent in the terminal. A library, so that a test can build it under its own name.

mod agent;
mod allow_file;
mod args;
mod attached;
mod calls;
mod chat;
mod code;
mod config;
mod database;
mod display;
mod editor;
mod end_signals;
mod ends;
mod failure;
mod guard;
mod incoming;
mod lines;
mod mcp;
mod model;
mod modes;
mod own_command;
mod powers;
mod priced;
mod project_notes;
mod project_skills;
mod replay;
mod rewind;
mod rules;
mod said;
mod screen;
mod serve;
mod sessions;
mod status;
mod task;
mod task_words;
mod terminal_text;
mod traces;
mod typed_ahead;
mod undo_folders;
mod visibility;
mod web;

use std::process::ExitCode;

use clap::Parser;
use glove_wasm_terminal::parts::{decision, keys, pages, prompt, questions, reading};

use args::{Args, Command};
use failure::Failure;

/// Does what the command line says.
pub fn main() -> ExitCode {
    // Before anything is read: code of a model runs in a process that has nothing.
    glove_wasm_sandbox::sandbox_main();
    if let Err(error) = config::hide_keys() {
        terminal_text::print_error(&format!(
            "the keys of the environment stay where others of your programs can read them: {error}"
        ));
    }
    let Args { command, places } = Args::parse();
    let done = match command {
        Command::Chat(options) => chat::chat(&places, &options),
        Command::Resume(options) => chat::resume(&places, &options),
        Command::Sessions(options) => sessions::list(&places, &options),
        Command::Export(options) => sessions::export(&places, &options),
        Command::Import(options) => sessions::import(&places, options),
        Command::Replay(options) => replay::replay(&options),
        Command::Serve(options) => serve::serve(&places, &options),
        Command::Mcp(options) => mcp::serve(&places, &options),
        Command::Run(options) => task::run(&places, &options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure { message, exit }) => {
            terminal_text::print_error(&message);
            ExitCode::from(exit)
        }
    }
}
