//! Agents and sessions: the machine driven with models, tools and stores.

mod abort;
mod answers;
mod attachments;
mod notices;
mod people;
mod plugins;
mod requests;
mod store;
mod survival;
mod text_tools;
