//! What the machine decides, one subject per file: each adds its part to `Run`.

mod abort;
mod answer;
mod branch;
mod budget;
mod compaction;
mod guard;
mod media;
mod recovery;
mod regenerate;
mod request;
mod slots;
mod steering;
mod tools;
mod turn;
mod undo;
