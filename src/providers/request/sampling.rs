//! The plain options, as far as a model takes them: temperature, `topP`, the seed, and where to stop.

use crate::providers::format::Format;
use crate::providers::request::fragments::number;
use crate::providers::request::parts::RequestParts;

/// What the options come to for one model.
pub(in crate::providers) struct Sampling<'a> {
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub seed: Option<u64>,
    pub stop: Vec<&'a str>,
}

impl<'a> RequestParts<'a> {
    /// The value of an option, unless the facts say that the model refuses it: then the developer is told.
    pub(in crate::providers) fn taken<T>(
        &self,
        value: Option<T>,
        fact: Option<bool>,
        option: &str,
    ) -> Option<T> {
        if value.is_some() && fact == Some(false) {
            self.leave_out(option, "takes none");
            return None;
        }
        value
    }

    pub(in crate::providers) fn leave_out(&self, option: &str, why: &str) {
        let message = format!("`{option}` was left out of the request: `{}` {why}.", self.options.model);
        self.notices.add("OPTION_LEFT_OUT", message);
    }

    pub(in crate::providers) fn changed(&self, option: &str, from: &str, to: &str) {
        let message = format!(
            "`{option}` is {from}; it was sent as {to}, the nearest value that `{}` accepts.",
            self.options.model
        );
        self.notices.add("OPTION_CHANGED", message);
    }

    /// The longest answer that was asked for, as far as the model can give it.
    pub(in crate::providers) fn max_tokens(&self) -> Option<u32> {
        let wanted = self.options.max_tokens?;
        let limit = self.options.facts.max_output_tokens.unwrap_or(u32::MAX);
        if wanted > limit {
            self.changed("maxTokens", &wanted.to_string(), &limit.to_string());
        }
        Some(wanted.min(limit))
    }

    pub(in crate::providers) fn sampling(&self) -> Sampling<'a> {
        let (options, facts) = (self.options, &self.options.facts);
        let mut temperature = self.taken(options.temperature, facts.temperature, "temperature");
        let mut top_p = self.taken(options.top_p, facts.top_p, "topP");
        let mut seed = self.taken(options.seed, facts.seed, "seed");
        if self.format == Format::Gemini && seed.is_some_and(|seed| seed > i32::MAX as u64) {
            self.leave_out("seed", "accepts none above 2147483647");
            seed = None;
        }
        let most = facts.max_temperature.unwrap_or(f64::MAX);
        if let Some(requested) = temperature.filter(|requested| *requested > most) {
            self.changed("temperature", &number(requested), &number(most));
            temperature = Some(most);
        }
        if self.format == Format::Anthropic && options.is_told_to_think() {
            if temperature.is_some_and(|temperature| temperature < 1.0) {
                self.leave_out("temperature", "accepts none while it thinks");
            }
            temperature = None;
            if top_p.is_some_and(|top_p| top_p < 0.95) {
                self.leave_out("topP", "accepts none below 0.95 while it thinks");
                top_p = None;
            }
        }
        if temperature.is_some() && top_p.is_some() && facts.temperature_or_top_p == Some(true) {
            self.leave_out("topP", "accepts only one of `temperature` and `topP`");
            top_p = None;
        }
        Sampling { temperature, top_p, seed, stop: self.stop() }
    }

    fn stop(&self) -> Vec<&'a str> {
        let options = self.options;
        let mut stop = Vec::new();
        // Whoever reads calls out of the text does without it, too.
        let takes = options.facts.stop != Some(false);
        if let Some(text) = options.stop.filter(|_| takes) {
            stop.push(text);
        }
        let requested: Vec<&str> = options.stop_sequences.iter().map(String::as_str).collect();
        let Some(mut requested) =
            self.taken(Some(requested).filter(|requested| !requested.is_empty()), Some(takes), "stop")
        else {
            return stop;
        };
        if self.format == Format::Anthropic {
            let all = requested.len();
            requested.retain(|text| !text.trim().is_empty());
            if requested.len() < all {
                self.leave_out("stop", "accepts no blank strings there");
            }
        }
        stop.append(&mut requested);
        let most = match (self.format, options.facts.max_stops) {
            (_, Some(most)) => most as usize,
            (Format::Anthropic, None) => usize::MAX,
            (Format::Gemini, None) => 5,
            (Format::OpenAiChat | Format::OpenAiResponses | Format::Endpoint, None) => 4,
        };
        if stop.len() > most {
            let message = format!(
                "`{}` accepts {most} strings in `stop`; the first {most} of {} were sent.",
                options.model,
                stop.len()
            );
            self.notices.add("OPTION_CHANGED", message);
            stop.truncate(most);
        }
        stop
    }
}
