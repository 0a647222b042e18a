//! A model of a provider, for a native program.

use std::fmt;
use std::sync::Arc;

use crate::NativeHttp;
use crate::environment;
use glove_wasm::error::{ModelError, ModelErrorKind};
use glove_wasm::http::retry::Policy;
use glove_wasm::http::{Http, HttpModel, HttpOptions};
use glove_wasm::providers::facts::{Fact, Facts};
use glove_wasm::providers::host::host;
use glove_wasm::providers::request::Options;
use glove_wasm::providers::table::{KeyOrigin, resolve};
use glove_wasm::system::{RandomIds, SystemClock};

/// The provider, the model and its settings. Missing settings are the provider's defaults.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use glove_wasm_native::ProviderModel;
/// use glove_wasm::runtime::Glove;
///
/// let agent = Glove::builder(ProviderModel::new("anthropic").connect()?).build()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct ProviderModel {
    provider: String,
    model: Option<String>,
    key: Option<String>,
    key_is_providers: bool,
    base_url: Option<String>,
    request: Options,
    facts: Vec<Fact>,
    policy: Policy,
}

impl ProviderModel {
    /// The provider's id in [`table`](glove_wasm::providers::table).
    pub fn new(provider: impl Into<String>) -> Self {
        let request = Options { stream: true, ..Options::default() };
        ProviderModel { provider: provider.into(), request, ..ProviderModel::default() }
    }

    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Read from the provider's environment variable unless given.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// A key that is kept under the provider's name. Unlike one that is given for an address, it goes to no host of another provider.
    pub fn provider_key(mut self, key: impl Into<String>) -> Self {
        self.key_is_providers = true;
        self.key(key)
    }

    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// Changes how requests are made: thinking, caching, tokens, temperature, streaming.
    pub fn request(mut self, change: impl FnOnce(&mut Options)) -> Self {
        change(&mut self.request);
        self
    }

    /// What is known of models and hosts beside the crate's own table, and before it.
    pub fn facts(mut self, facts: impl IntoIterator<Item = Fact>) -> Self {
        self.facts.extend(facts);
        self
    }

    /// Retries and waiting limits.
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// The model, on connections of its own.
    pub fn connect(self) -> Result<HttpModel, ModelError> {
        self.over(Arc::new(NativeHttp::new()?))
    }

    /// The model, on connections that others use too.
    pub fn over(self, http: Arc<dyn Http>) -> Result<HttpModel, ModelError> {
        let ProviderModel { provider, model, key, key_is_providers, base_url, mut request, facts, policy } =
            self;
        let origin = match key.is_some() && !key_is_providers {
            true => KeyOrigin::Explicit,
            false => KeyOrigin::Environment,
        };
        let target = resolve(&provider, model.as_deref(), base_url.as_deref(), origin, &facts)?;
        let (name, variable) = (target.provider.name, target.provider.env_var);
        let key = match key.or_else(|| environment::variable(variable)) {
            Some(key) if !key.trim().is_empty() => key.trim().to_owned(),
            _ if target.provider.needs_key => {
                let message = format!("No API key for provider \"{name}\". Pass a key or set {variable}.");
                return Err(ModelError::new(ModelErrorKind::Config, message));
            }
            _ => String::new(),
        };
        request.model.clone_from(&target.model);
        request.facts = Facts::of(target.format, host(&target.base_url), &target.model, &facts);
        let headers = target.format.headers(&target.base_url, &key).into_iter();
        let options = HttpOptions {
            url: target.format.url(&target.base_url, &target.model, request.stream),
            headers: headers.map(|(name, value)| (name.to_owned(), value)).collect(),
            name: target.model,
            format: target.format,
            request,
            policy,
        };
        Ok(HttpModel::new(options, http, Arc::new(SystemClock), Arc::new(RandomIds)))
    }
}

impl fmt::Debug for ProviderModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderModel").field("provider", &self.provider).finish_non_exhaustive()
    }
}
