//! Requests to providers and their answers.

mod broken_answers;
mod decoding;
mod many_calls;
mod recorded_streams;
mod request_facts;
mod request_records;
mod request_schemas;
mod request_thinking;
mod requests;
mod sources;
mod strict_requests;
