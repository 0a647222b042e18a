//! Questions, one after the other, and what an answer leaves behind.

use glove_wasm::display::Slot;
use glove_wasm::json::Json;

use super::Screen;
use crate::allow_file::{Found, NAME};
use crate::chat::tool_of;
use crate::decision::{BY_RULE, Decision};
use crate::failure::Failure;
use crate::guard::Guard;
use crate::prompt;
use crate::questions::{Answer, Question, RuleOffer, is_notice, settle};
use crate::reading::Reading;
use crate::rules::Rule;
use crate::terminal_text;
use crate::typed_ahead::TypedAhead;

impl Screen<'_> {
    /// What the project says, and its rules if the person trusts them on this machine.
    pub(super) fn begin_project(&mut self) -> Result<(), Failure> {
        let Found::Untrusted(text) = &self.open_agent.rules else {
            return Ok(self.display.print_lines(&self.open_agent.about_project(), true)?);
        };
        let mut told = self.open_agent.about_project();
        // It is asked now.
        told.pop();
        self.display.print_lines(&told, true)?;
        let lines = terminal_text::untrusted_lines(text);
        let reading = Reading::plain(lines.lines().map(str::to_owned));
        let question =
            format!("Use these rules of {NAME}? What they name then runs here without a question.");
        let decision = Decision::unless("Don't use them", "I trust them as they are");
        let answer = prompt::decide(&reading, &question, decision, false)?;
        if !matches!(answer, Some(Answer::Value(value)) if value.as_str() == "true") {
            self.display.lines(&[format!("{NAME} is not used")], true)?;
        } else if let Err(why) = self.open_agent.guard.allow_file.trust(text) {
            self.display.line(&format!("! {why}; {NAME} is not used"))?;
        }
        Ok(())
    }

    /// Asks what is open, one after the other. True if the user stopped the run instead of an answer.
    pub(super) fn questions(&mut self, typed: &mut TypedAhead) -> Result<bool, Failure> {
        let display = self.open_agent.agent.display().clone();
        for slot in display.stack().iter().filter(|slot| is_notice(slot)) {
            self.notice(slot)?;
        }
        while let Some(slot) = display.stack().into_iter().find(|slot| slot.waits) {
            if self.is_allowed(&slot) {
                let _ = display.resolve(&slot.id, Json::string("once"));
                continue;
            }
            let rule = rule_for(&slot, &self.open_agent.guard);
            let offer = rule.as_ref().map(|rule| RuleOffer {
                rule: rule.to_string(),
                about: rule.about(),
                file: NAME.to_owned(),
            });
            let session = self.open_agent.agent.session();
            let question =
                Question::with_rule(&slot, Some(&self.open_agent.workspace), session, offer.as_ref());
            self.display.line("")?;
            // Whoever began while the question was made is typing too.
            let stops = typed.give_back()?;
            let is_typing = typed.is_typing();
            if stops {
                return Ok(true);
            }
            self.was_asked = true;
            match prompt::put(&question, is_typing)? {
                None => return Ok(true),
                Some(answer) => {
                    let answer = match answer {
                        Answer::Value(value) => Answer::Value(self.by_rule(value, rule.as_ref())?),
                        no @ Answer::No(_) => no,
                    };
                    let is_never = matches!(&answer, Answer::Value(value) if value.as_str() == "false");
                    if let Some(why) = settle(&display, &slot.id, answer) {
                        self.display.line(&why)?;
                    } else if is_never
                        && let Some((tool, input)) = permitted(&slot)
                        && let Err(failure) = self.open_agent.forbid(&tool, &input)
                    {
                        self.display.line(&format!("! {}", failure.message))?;
                    }
                }
            }
        }
        Ok(false)
    }

    /// A rule is written before the call runs that it is for. Where that fails, the call runs once: it is what the person allowed.
    pub(super) fn by_rule(&mut self, value: Json, rule: Option<&Rule>) -> Result<Json, Failure> {
        if value.to_text().as_deref() != Some(BY_RULE) {
            return Ok(value);
        }
        let Some(rule) = rule else { return Ok(Json::string("once")) };
        match self.open_agent.guard.allow_file.add(rule) {
            Ok(()) => {
                let rule = terminal_text::name(&rule.to_string());
                self.display.print_lines(&[format!("{NAME} has the rule now: {rule}")], true)?;
            }
            Err(why) => self.display.line(&format!("! {why}"))?,
        }
        Ok(Json::string("once"))
    }

    pub(super) fn is_allowed(&self, slot: &Slot) -> bool {
        slot.renderer == "permission_request" && tool_of(slot).is_some_and(|tool| self.allow.contains(&tool))
    }
}

/// What would let calls like the one run that is asked about.
fn rule_for(slot: &Slot, guard: &Guard) -> Option<Rule> {
    let (tool, input) = permitted(slot)?;
    guard.rule_for(&tool, &input)
}

/// The tool and the arguments of the call that asks for permission.
fn permitted(slot: &Slot) -> Option<(String, Json)> {
    if slot.renderer != "permission_request" {
        return None;
    }
    let input: serde_json::Value = slot.input.read().ok()?;
    Some((input.get("toolName")?.as_str()?.to_owned(), Json::from(input.get("toolInput")?.clone())))
}
