//! What the tokens of models cost, as the application says it. There is no table of ours: prices change, and a wrong cost is worse than none.

use crate::json::codec::{Done, Read, Ts, Write, through_codec};
use crate::json::reader::Reader;
use crate::message::{Usage, dollars};

const MILLION: f64 = 1e6;

/// US dollars for a million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Read, Ts, Write)]
#[json(rename_all = "camelCase")]
#[ts(name = "ModelPrice", input)]
pub struct Price {
    /// Of the prompt.
    pub input: f64,
    /// Of the answer, thoughts included.
    pub output: f64,
    /// Of what was read from a cache; like `input` unless given.
    pub cache_read: Option<f64>,
    /// Of what was written into a cache; like `input` unless given.
    pub cache_write: Option<f64>,
}

/// Prices by the names of models. A name may end with `*`, for all that begin so; of several that fit the longest counts, and a whole
/// name before all.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prices(Vec<(String, Price)>);

through_codec! { Price }

impl Price {
    /// What these tokens cost. `None` for prices that are none.
    fn of(&self, usage: &Usage) -> Option<f64> {
        let cached = usage.cache_read.saturating_add(usage.cache_creation);
        let parts = [
            (usage.tokens_in.saturating_sub(cached), self.input),
            (usage.cache_read, self.cache_read.unwrap_or(self.input)),
            (usage.cache_creation, self.cache_write.unwrap_or(self.input)),
            (usage.tokens_out, self.output),
        ];
        let mut sum = 0.0;
        for (tokens, price) in parts {
            if price < 0.0 {
                return None;
            }
            sum += tokens as f64 * price;
        }
        dollars(sum / MILLION)
    }
}

impl Prices {
    /// The price of a model, in the place of an earlier one.
    pub fn set(mut self, model: impl Into<String>, price: Price) -> Self {
        let model = model.into();
        self.0.retain(|(name, _)| *name != model);
        self.0.push((model, price));
        self
    }

    fn find(&self, model: &str) -> Option<&Price> {
        let mut found: Option<(usize, &Price)> = None;
        for (name, price) in &self.0 {
            let weight = match name.strip_suffix('*') {
                _ if name == model => usize::MAX,
                Some(start) if model.starts_with(start) => start.len(),
                _ => continue,
            };
            if found.is_none_or(|(most, _)| weight >= most) {
                found = Some((weight, price));
            }
        }
        Some(found?.1)
    }

    /// What a model call cost, which counts before what the provider says. Of a model that is not in the table, that stays.
    pub fn apply(&self, model: &str, usage: &mut Usage) {
        if let Some(cost) = self.find(model).and_then(|price| price.of(usage)) {
            usage.cost = Some(cost);
        }
    }
}

impl Read for Prices {
    fn blank() -> Self {
        Prices::default()
    }

    fn read(&mut self, from: &mut Reader<'_>) -> Done {
        self.0.clear();
        from.object()?;
        while let Some(model) = from.key()? {
            let model = model.to_owned();
            let mut price = Price::blank();
            price.read(from)?;
            self.0.push((model, price));
        }
        Ok(())
    }
}

#[cfg(feature = "typescript")]
impl crate::json::codec::ts::Ts for Prices {
    fn ts(_: bool) -> String {
        "Readonly<Record<string, ModelPrice>>".to_owned()
    }

    fn fields() -> Vec<crate::json::codec::ts::Field> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::codec::from_text;

    const USAGE: Usage = Usage {
        tokens_in: 1_000_000,
        tokens_out: 100_000,
        cache_creation: 100_000,
        cache_read: 400_000,
        reasoning: 50_000,
        cost: None,
    };

    fn cost(prices: &Prices, model: &str, usage: Usage) -> Option<f64> {
        let mut usage = usage;
        prices.apply(model, &mut usage);
        usage.cost
    }

    #[test]
    fn each_kind_of_token_has_its_price_and_what_has_none_costs_like_the_prompt() {
        let table = [
            (r#"{"input":2,"output":10}"#, 3.0),
            (r#"{"input":2,"output":10,"cacheRead":0.5}"#, 2.4),
            (r#"{"input":2,"output":10,"cacheRead":0.5,"cacheWrite":4}"#, 2.6),
            (r#"{"input":0,"output":0}"#, 0.0),
        ];
        for (price, wanted) in table {
            let prices: Prices = from_text(&format!(r#"{{"m":{price}}}"#)).unwrap();
            assert_eq!(cost(&prices, "m", USAGE), Some(wanted), "{price}");
        }
    }

    #[test]
    fn a_whole_name_counts_before_the_longest_that_ends_with_a_star() {
        let price = |input| Price { input, ..Price::default() };
        let prices = Prices::default()
            .set("*", price(1.0))
            .set("gpt-5*", price(2.0))
            .set("gpt-5-mini*", price(3.0))
            .set("gpt-5-mini", price(4.0))
            .set("gpt-5-mini", price(5.0));
        let usage = Usage { tokens_in: 1_000_000, ..Usage::default() };
        for (model, wanted) in
            [("o9", 1.0), ("gpt-5", 2.0), ("gpt-5-mini-2", 3.0), ("gpt-5-mini", 5.0), ("", 1.0)]
        {
            assert_eq!(cost(&prices, model, usage), Some(wanted), "{model}");
        }
    }

    #[test]
    fn of_a_model_that_is_not_in_the_table_only_what_the_provider_says_counts() {
        let prices = Prices::default().set("a", Price { input: 1.0, ..Price::default() });
        let told = Usage { cost: Some(0.25), ..USAGE };
        assert_eq!((cost(&prices, "b", USAGE), cost(&prices, "b", told)), (None, Some(0.25)));
        assert_eq!(cost(&prices, "a", told), Some(1.0));
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            let prices = Prices::default().set("a", Price { input: bad, ..Price::default() });
            assert_eq!((cost(&prices, "a", USAGE), cost(&prices, "a", told)), (None, Some(0.25)), "{bad}");
        }
    }
}
