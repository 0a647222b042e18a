//! Taking actions back, asked for by a program or by the model through `undo_last_action`.

use crate::json::Json;
use crate::json::codec::{Read, from_checked};
use crate::message::{Message, ToolResultData};
use crate::run::effect::{Effect, Outcome};
use crate::run::input::Issue;
use crate::run::state::{CallState, Finished, Phase, UndoEntry, Undoing};
use crate::run::{Effects, Run, texts};

#[derive(Read)]
struct UndoInput {
    steps: Option<u32>,
}

impl Run {
    pub(in crate::run) fn on_undo(&mut self, request: &str, steps: u32, fx: &mut Effects) {
        self.abandon(fx);
        self.open(request, fx);
        self.state.phase = Phase::Undoing(Undoing { left: steps, ..Undoing::default() });
    }

    /// The model asked: the call is answered when all its steps are taken back.
    pub(in crate::run) fn begin_undo_call(&mut self, index: usize, fx: &mut Effects) {
        let Some(call) = self.state.batch().and_then(|batch| batch.calls.get(index)) else { return };
        let input = self.call(&call.id).map(|call| from_checked::<UndoInput>(call.input.as_str()));
        let left = match input {
            Some(Ok(UndoInput { steps })) if steps != Some(0) => steps.unwrap_or(1),
            _ => {
                let message = "expected a whole number of 1 or more".to_owned();
                let issue = Issue { path: vec![Json::string("steps")], message };
                self.refuse_input(index, &[issue], fx);
                return;
            }
        };
        if self.state.undo.is_empty() {
            let result = ToolResultData::error(texts::NOTHING_TO_UNDO);
            self.end_call(index, Finished::without_running(result), fx);
            return;
        }
        self.set(index, CallState::Undoing(Undoing { left, ..Undoing::default() }));
    }

    pub(in crate::run) fn undoing(&self) -> Option<&Undoing> {
        match &self.state.phase {
            Phase::Undoing(undoing) => Some(undoing),
            Phase::Tools(batch) => batch.calls.iter().find_map(|call| match &call.state {
                CallState::Undoing(undoing) => Some(undoing),
                _ => None,
            }),
            Phase::Idle | Phase::Turn | Phase::Model { .. } | Phase::Compacting { .. } => None,
        }
    }

    fn undoing_mut(&mut self) -> Option<&mut Undoing> {
        match &mut self.state.phase {
            Phase::Undoing(undoing) => Some(undoing),
            Phase::Tools(batch) => batch.calls.iter_mut().find_map(|call| match &mut call.state {
                CallState::Undoing(undoing) => Some(undoing),
                _ => None,
            }),
            Phase::Idle | Phase::Turn | Phase::Model { .. } | Phase::Compacting { .. } => None,
        }
    }

    /// Notes what became of one action; the next one is begun with all other new work.
    pub(in crate::run) fn on_undo_finished(&mut self, call_id: &str, error: Option<&str>) {
        let at = self.state.undo.iter().rposition(|entry| entry.call_id == call_id);
        let taken = at.filter(|_| error.is_none()).map(|at| self.state.undo.remove(at));
        let Some(undoing) = self.undoing_mut() else { return };
        undoing.entry = None;
        if let Some(taken) = taken {
            undoing.taken.push(taken);
        }
        if error.is_none() {
            undoing.done += 1;
            undoing.left = undoing.left.saturating_sub(1);
        } else {
            undoing.left = 0;
            undoing.error = error.map(str::to_owned);
        }
    }

    pub(in crate::run) fn next_undo(&mut self, fx: &mut Effects) {
        let entry = self.state.undo.last().map(|entry| entry.call_id.clone());
        let Some(undoing) = self.undoing_mut() else { return };
        undoing.entry = entry.filter(|_| undoing.left > 0);
        match undoing.entry.clone() {
            Some(call_id) => fx.push(Effect::RunUndo { call_id }),
            None => self.end_undo(fx),
        }
    }

    fn end_undo(&mut self, fx: &mut Effects) {
        let Some(Undoing { done, taken, error, .. }) = self.undoing().cloned() else { return };
        if matches!(self.state.phase, Phase::Undoing(_)) {
            let regenerates = self.undoing().is_some_and(|undoing| undoing.regenerates);
            self.report_undone(&taken);
            if regenerates && error.is_none() {
                self.replace_answer(fx);
                return;
            }
            self.close(Outcome::Undone { steps: done, error }, fx);
            return;
        }
        let undoes = |call: &crate::run::state::CallRecord| matches!(call.state, CallState::Undoing(_));
        let Some(index) = self.state.batch().and_then(|batch| batch.calls.iter().position(undoes)) else {
            return;
        };
        self.state.undone.append(&mut ids_of(&taken));
        let text = self.undone_text(&taken, error.as_deref());
        let result = if error.is_none() {
            ToolResultData::success(Json::string(&text))
        } else {
            ToolResultData::error(text)
        };
        self.end_call(index, Finished { result, outputs: Vec::new(), duration_ms: None }, fx);
    }

    pub(in crate::run) fn undone_text(&self, taken: &[UndoEntry], error: Option<&str>) -> String {
        let mut actions = Vec::with_capacity(taken.len());
        for entry in taken {
            let input = self.called(&entry.call_id).map_or("", |call| call.input_args.as_str());
            actions.push((entry.tool.as_str(), input));
        }
        texts::undone(&actions, error)
    }

    /// The model, which had no part in it, reads of it with the next request.
    pub(in crate::run) fn report_undone(&mut self, taken: &[UndoEntry]) {
        if taken.is_empty() {
            return;
        }
        let mut news = Message::user(texts::undone_by_user(&self.undone_text(taken, None)));
        news.framework_context = Some("undo".to_owned());
        news.undone = ids_of(taken);
        self.append(news);
    }
}

pub(in crate::run) fn ids_of(taken: &[UndoEntry]) -> Vec<String> {
    let mut ids = Vec::new();
    for entry in taken {
        ids.push(entry.call_id.clone());
    }
    ids
}
