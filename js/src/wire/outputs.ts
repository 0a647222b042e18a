// How much a tool may show beside its result.
// Written by tests/it/typescript.rs from the types of Rust; do not edit.

/** The most data that all outputs of a call may have together, in bytes of JSON. */
export const mostOutputBytes = 16777216;
