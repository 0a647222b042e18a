//! A display in a terminal, for agents in programs: [`CliDisplay`]. For Unix.
//!
//! ```no_run
//! use glove_wasm::runtime::Glove;
//! use glove_wasm_terminal::CliDisplay;
//! # use glove_wasm::testing::{Line, ScriptedModel};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let model = ScriptedModel::new([Line::text("Hey, Don!")]);
//! let agent = Glove::builder(model).build()?;
//! let _terminal = CliDisplay::new().attach(&agent);
//! let response = futures_executor::block_on(agent.process_request("greet Don"))?;
//! println!("{}", response.text());
//! # Ok(())
//! # }
//! ```

mod cli_display;
mod on_demand;

pub use cli_display::{Attached, CliDisplay};

/// What the program `glove` draws with beside it. It changes without notice.
#[doc(hidden)]
pub mod parts {
    pub mod decision;
    pub mod keys;
    pub mod pages;
    pub mod prompt;
    pub mod questions;
    pub mod reading;
    pub mod text;
}
