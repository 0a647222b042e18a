//! The calls of an answer, each with its result below it and in the order in which the model made them, however they end. The first one
//! that has not ended is shown already.

use glove_wasm::event::ToolUseResult;
use glove_wasm::json::Json;

use crate::terminal_text;

#[derive(Default)]
pub(crate) struct Calls {
    open: Vec<Call>,
    /// The answer is whole: what comes next is another one.
    is_whole: bool,
}

struct Call {
    id: String,
    tool: String,
    line: String,
    /// Its line is printed.
    is_shown: bool,
    result: Option<Vec<String>>,
    change: Vec<String>,
}

/// What is to be printed next: a call, what came of one, or both.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Shown {
    pub call: Option<String>,
    pub result: Vec<String>,
    /// What it changed, in colours.
    pub change: Vec<String>,
}

impl Calls {
    pub(crate) fn called(&mut self, id: &str, tool: &str, input: &Json) {
        if std::mem::take(&mut self.is_whole) {
            self.open.clear();
        }
        self.open.push(Call {
            id: id.to_owned(),
            tool: tool.to_owned(),
            line: terminal_text::call_line(tool, &input.read().unwrap_or_default()),
            is_shown: false,
            result: None,
            change: Vec::new(),
        });
    }

    /// The answer is whole. Its first call is shown before it runs.
    pub(crate) fn begun(&mut self) -> Vec<Shown> {
        if std::mem::replace(&mut self.is_whole, true) {
            self.open.clear();
        }
        self.next().into_iter().collect()
    }

    /// The first call without a result: what is printed next is of this one.
    fn next(&mut self) -> Option<Shown> {
        let call = self.open.first_mut().filter(|call| !call.is_shown)?;
        call.is_shown = true;
        Some(Shown { call: Some(call.line.clone()), ..Shown::default() })
    }

    /// `input` is needed of a call that was made before anything was shown; `change` is what this one changed.
    pub(crate) fn ended(
        &mut self,
        result: &ToolUseResult,
        input: Option<&Json>,
        change: Vec<String>,
    ) -> Vec<Shown> {
        let lines = terminal_text::result_lines(&result.result);
        match self.open.iter_mut().find(|call| call.id == result.call_id) {
            Some(call) => (call.result, call.change) = (Some(lines), change),
            None => {
                let input = input.and_then(|input| input.read().ok()).unwrap_or_default();
                let call = Some(terminal_text::call_line(&result.tool_name, &input));
                return vec![Shown { call, result: lines, change }];
            }
        }
        let ready = self.open.iter().take_while(|call| call.result.is_some()).count();
        let mut shown: Vec<Shown> = self.open.drain(..ready).map(Call::shown).collect();
        shown.extend(self.next());
        shown
    }

    /// What has ended out of turn, when nothing more comes.
    pub(crate) fn rest(&mut self) -> Vec<Shown> {
        let shown: Vec<Shown> =
            self.open.extract_if(.., |call| call.result.is_some()).map(Call::shown).collect();
        // A result that comes later stands below its own call.
        for call in self.open.iter_mut().filter(|_| !shown.is_empty()) {
            call.is_shown = false;
        }
        shown
    }

    /// What runs now, in a few words.
    pub(crate) fn running(&self) -> Option<String> {
        let mut running = self.open.iter().filter(|call| call.result.is_none());
        let first = terminal_text::isolated_name(&running.next()?.tool);
        Some(match running.count() {
            0 => format!("running {first}"),
            more => format!("running {first} and {more} more"),
        })
    }
}

impl Call {
    fn shown(self) -> Shown {
        let Call { line, is_shown, result, change, .. } = self;
        Shown { call: (!is_shown).then_some(line), result: result.unwrap_or_default(), change }
    }
}

#[cfg(test)]
mod tests {
    use glove_wasm::message::ToolResultData;
    use serde_json::json;

    use super::*;

    fn called(calls: &mut Calls, ids: &[&str]) -> Vec<Shown> {
        for id in ids {
            calls.called(id, "look", &Json::from(json!({ "path": id })));
        }
        calls.begun()
    }

    fn ends(calls: &mut Calls, id: &str) -> Vec<Shown> {
        let data = json!({ "status": "success", "data": format!("of {id}") });
        let result: ToolResultData = serde_json::from_value(data).unwrap();
        let (tool_name, call_id) = ("look".to_owned(), id.to_owned());
        let result = ToolUseResult {
            name: tool_name.clone(),
            id: call_id.clone(),
            tool_name,
            call_id,
            result,
            duration_ms: None,
            outputs: None,
        };
        let input = Json::from(json!({ "path": format!("old {id}") }));
        calls.ended(&result, Some(&input), Vec::new())
    }

    fn both(id: &str) -> Shown {
        Shown { call: Some(format!("look {id}")), result: vec![format!("of {id}")], ..Shown::default() }
    }

    #[test]
    fn a_call_alone_is_shown_before_it_runs() {
        let mut calls = Calls::default();
        let begun = called(&mut calls, &["a"]);
        assert_eq!(begun, [Shown { call: Some("look a".to_owned()), ..Shown::default() }]);
        assert_eq!(calls.running().unwrap(), "running look");
        assert_eq!(ends(&mut calls, "a"), [Shown { result: vec!["of a".to_owned()], ..Shown::default() }]);
        assert_eq!(calls.running(), None);
    }

    fn begins(id: &str) -> Shown {
        Shown { call: Some(format!("look {id}")), ..Shown::default() }
    }

    fn result(id: &str) -> Shown {
        Shown { result: vec![format!("of {id}")], ..Shown::default() }
    }

    #[test]
    fn of_several_calls_the_one_that_runs_is_shown_and_each_result_stands_below_its_call() {
        let mut calls = Calls::default();
        assert_eq!(called(&mut calls, &["a", "b", "c"]), [begins("a")]);
        assert_eq!(ends(&mut calls, "b"), []);
        assert_eq!(calls.running().unwrap(), "running look and 1 more");
        assert_eq!(ends(&mut calls, "a"), [result("a"), both("b"), begins("c")]);
        assert_eq!(ends(&mut calls, "c"), [result("c")]);
        assert_eq!(called(&mut calls, &["d", "e", "f"]), [begins("d")]);
        assert_eq!(ends(&mut calls, "f"), []);
        assert_eq!(calls.rest(), [both("f")], "the others did not end");
        assert_eq!(calls.rest(), []);
        assert_eq!(ends(&mut calls, "d"), [both("d"), begins("e")], "it went on later");
    }

    #[test]
    fn a_result_of_a_call_that_nobody_saw_is_shown_with_its_call() {
        let shown = ends(&mut Calls::default(), "a");
        assert_eq!(shown[0].call.as_deref(), Some("look old a"));
        assert_eq!((shown.len(), shown[0].result.as_slice()), (1, ["of a".to_owned()].as_slice()));
    }
}
