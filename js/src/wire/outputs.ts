// How much a tool may show beside its result.
// Written by src/wire/typescript.rs from the types of Rust; do not edit.

/** The most data that one output of a tool may have, in bytes of JSON. */
export const mostOutputBytes = 16777216;
