//! What is posted to the endpoint of pages: a question to the model, a call of one of the server's tools, or that an answer is not needed
//! any more.

use std::sync::Arc;

use hyper::header::{HeaderName, HeaderValue};

use super::answers::{AnswerKey, AnswerKind, Answers, NAME, OVER, last_event, name_of};
use super::body::Body;
use super::chat;
use super::chat_tools::{self, ChatTools};
use super::reply::{self, Reply, stream};
use super::shared::{Caller, Shared};
use glove_wasm::endpoint::Refusal;
use glove_wasm_native::Traces;

/// The tools of the server.
pub(super) fn listed(shared: &Shared, user: &str) -> Result<Reply, Refusal> {
    let tools = ChatTools::of(shared, user, &[])?;
    Ok(reply::json(200, tools.map_or_else(|| "{\"tools\":[]}".to_owned(), |tools| tools.listed())))
}

pub(super) async fn posted(
    shared: &Arc<Shared>,
    answers: &Arc<Answers>,
    user: &str,
    caller: &Caller,
    body: &mut Body,
) -> Result<Reply, Refusal> {
    let name = name_of(caller)?;
    if let Some(name) = name
        && caller.header(OVER).is_some()
    {
        answers.forget(&AnswerKey::new(name, user, "").id).await?;
        return Ok(reply::empty());
    }
    let body = body.text(shared, caller).await?;
    let tools = ChatTools::of(shared, user, &caller.headers)?;
    if let Some(tools) = &tools
        && chat_tools::is_call(body)
    {
        return tools.answer(shared, answers, caller, body).await;
    }
    let tickets = tools.map(|tools| tools.tickets(chat_tools::now()));
    let traces = Traces::of_caller(&caller.headers);
    let Some(name) = name else {
        let begun = chat::begin(shared, body, tickets, &traces).await?;
        return Ok(stream(Some(begun.first), begun.rest));
    };
    let (shared, text) = (Arc::clone(shared), body.to_owned());
    let key = AnswerKey::new(name, user, body);
    let begin = move || -> glove_wasm::portable::BoxFuture<'static, _> {
        Box::pin(async move { chat::begin(&shared, &text, tickets, &traces).await })
    };
    let mut reply = answers.answer(key, last_event(caller)?, false, AnswerKind::Model, begin).await?;
    if let Ok(name) = HeaderValue::from_str(name) {
        reply.headers_mut().insert(HeaderName::from_static(NAME), name);
    }
    Ok(reply)
}
