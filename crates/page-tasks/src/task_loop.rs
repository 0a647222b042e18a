//! A loop of the page: a function that looks at what was done and gives the next step.

use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use glove_wasm::json::codec::{Write, from_text, object};
use glove_wasm_page::bindings::PageBindings;
use glove_wasm_page::values::reason;
use glove_wasm_task::{LoopView, Next, StepSpec, TaskLoop};

#[wasm_bindgen]
extern "C" {
    type PageNext;

    /// The JSON of a `TaskStep`, or nothing at the end.
    #[wasm_bindgen(method, structural, catch)]
    fn next(this: &PageNext, view: &str) -> Result<Option<String>, JsValue>;
}

pub(crate) struct PageLoop {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) host: PageBindings,
}

impl TaskLoop for PageLoop {
    fn name(&self) -> &str {
        &self.name
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn next(&self, view: &LoopView<'_>) -> Next {
        let LoopView { goal, plan, ticked, steps, verdict, round, refinements_left, only_verify } = view;
        let fields: [(&str, &dyn Write); 8] = [
            ("goal", &goal.to_string()),
            ("plan", &plan.cloned()),
            ("ticked", &ticked.to_vec()),
            ("steps", &steps.to_vec()),
            ("verdict", &verdict.cloned()),
            ("round", round),
            ("refinements_left", refinements_left),
            ("only_verify", only_verify),
        ];
        let mut text = String::new();
        object(&mut text, &fields);
        let failed = |why: &str| Next::Failed(["the loop ", &self.name, " failed: ", why].concat());
        match self.host.unchecked_ref::<PageNext>().next(&text) {
            Ok(None) => Next::Done,
            Ok(Some(step)) => match from_text::<StepSpec>(&step) {
                Ok(step) => Next::Step(Box::new(step)),
                Err(fault) => failed(&["its step cannot be read, ", &fault.to_string()].concat()),
            },
            Err(error) => failed(&reason(&error)),
        }
    }
}
