//! The machine of `src/run`, without a runtime around it.

mod branches;
mod budgets;
mod compaction;
mod components;
mod contract;
mod cuts;
mod defects;
mod faults;
mod guards;
mod media;
mod projections;
mod prompt_record;
mod properties;
mod reentry;
mod regenerate;
mod stored_form;
