//! The Rust examples of the guides, as tests.

#[cfg(doctest)]
#[doc = include_str!("../../docs/rust.md")]
struct RustGuide;
#[cfg(doctest)]
#[doc = include_str!("../../docs/tasks.md")]
struct TasksGuide;
#[cfg(doctest)]
#[doc = include_str!("../../docs/sandboxed-tools.md")]
struct SandboxGuide;
