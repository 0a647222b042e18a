//! A model whose answers say what they cost, by the prices of the configuration.

use std::collections::BTreeMap;
use std::sync::Arc;

use glove_wasm::error::ModelError;
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{AbortSignal, DeltaSink, ModelAdapter, ModelRequest};
use glove_wasm::prices::{Price, Prices};
use glove_wasm::run::input::Reply;
use serde::Deserialize;

use crate::config::Config;
use crate::failure::Failure;

const PRICES: &str = "GLOVE_PRICES";

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Configured {
    input: f64,
    output: f64,
    cache_read: Option<f64>,
    cache_write: Option<f64>,
}

/// The table of the configuration: JSON, with the names of models and US dollars for a million tokens.
pub(crate) fn prices(config: &Config) -> Result<Arc<Prices>, Failure> {
    let Some(text) = config.get(PRICES) else { return Ok(Arc::default()) };
    let bad = |why: &str| {
        Failure::new(format!(
            r#"{PRICES} is not a table of prices; write for example {{"gpt-6.1*": {{"input": 2, "output": 10, "cacheRead": 0.1}}}}: {why}"#
        ))
    };
    let table: BTreeMap<String, Configured> =
        serde_json::from_str(&text).map_err(|error| bad(&error.to_string()))?;
    let mut prices = Prices::default();
    for (name, Configured { input, output, cache_read, cache_write }) in table {
        if [Some(input), Some(output), cache_read, cache_write].into_iter().flatten().any(|price| price < 0.0)
        {
            return Err(bad(&format!("a price of `{name}` is negative")));
        }
        prices = prices.set(name, Price { input, output, cache_read, cache_write });
    }
    Ok(Arc::new(prices))
}

/// So the cost is known wherever the model is asked: in a conversation, by a server, in a task.
pub(crate) struct Priced {
    pub model: Arc<dyn ModelAdapter>,
    pub prices: Arc<Prices>,
}

impl ModelAdapter for Priced {
    fn name(&self) -> String {
        self.model.name()
    }

    fn provider(&self) -> &str {
        self.model.provider()
    }

    fn prompt(
        &self,
        request: ModelRequest<'_>,
        deltas: DeltaSink,
        abort: AbortSignal,
    ) -> BoxFuture<'static, Result<Reply, ModelError>> {
        let (answering, name) = (self.model.prompt(request, deltas, abort), self.model.name());
        let prices = Arc::clone(&self.prices);
        Box::pin(async move {
            let mut reply = answering.await?;
            prices.apply(&name, &mut reply.usage);
            Ok(reply)
        })
    }
}
