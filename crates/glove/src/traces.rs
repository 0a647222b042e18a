//! Traces by OpenTelemetry, to the collector that the environment names (`OTEL_EXPORTER_OTLP_ENDPOINT`).

use std::collections::HashMap;

use glove_wasm_native::environment::variable;
use opentelemetry_otlp::{SpanExporter, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;

use crate::failure::Failure;
use crate::terminal_text::print_error;

/// What has not been sent is sent when it goes.
pub(crate) struct Exporting(Option<SdkTracerProvider>);

impl Exporting {
    /// Nothing is made where no collector is named.
    pub(crate) fn begin() -> Result<Exporting, Failure> {
        let is_named = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];
        let is_off = env_var("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true"))
            || env_var("OTEL_TRACES_EXPORTER").is_some_and(|value| value == "none");
        if is_off || !is_named.into_iter().any(|name| env_var(name).is_some()) {
            return Ok(Exporting(None));
        }
        let protocol =
            env_var("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL").or_else(|| env_var("OTEL_EXPORTER_OTLP_PROTOCOL"));
        if let Some(other) = protocol.filter(|name| name != "http/protobuf") {
            return Err(Failure::new(format!(
                "OTEL_EXPORTER_OTLP_PROTOCOL is `{other}`; traces are sent by `http/protobuf` alone"
            )));
        }
        let unusable = |error: &dyn std::fmt::Display| Failure::new(format!("no traces: {error}"));
        // There is one for all TLS of this program; without it the client would choose, and could not.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let exporter = SpanExporter::builder()
            .with_http()
            .with_headers(headers())
            .build()
            .map_err(|error| unusable(&error))?;
        let mut resource = Resource::builder();
        let attributes = env_var("OTEL_RESOURCE_ATTRIBUTES").unwrap_or_default();
        if env_var("OTEL_SERVICE_NAME").is_none() && !attributes.contains("service.name=") {
            resource = resource.with_service_name("glove");
        }
        let provider = SdkTracerProvider::builder()
            .with_resource(resource.build())
            .with_batch_exporter(exporter)
            .build();
        opentelemetry::global::set_tracer_provider(provider.clone());
        opentelemetry::global::set_text_map_propagator(TraceContextPropagator::new());
        Ok(Exporting(Some(provider)))
    }
}

fn env_var(name: &str) -> Option<String> {
    variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// Of the collector, where keys for it stand: the exporter looks for them in the environment, out of which they were taken.
fn headers() -> HashMap<String, String> {
    let mut headers = HashMap::new();
    for name in ["OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"] {
        let env_var = env_var(name).unwrap_or_default();
        for (name, value) in env_var.split(',').filter_map(|header| header.split_once('=')) {
            // What is encoded here is decoded, and nothing else has a meaning.
            let value = format!("v={}", value.trim().replace('+', "%2B").replace('&', "%26"));
            let value = form_urlencoded::parse(value.as_bytes()).next();
            headers.insert(
                name.trim().to_owned(),
                value.map(|(_, value)| value.into_owned()).unwrap_or_default(),
            );
        }
    }
    headers
}

impl Drop for Exporting {
    fn drop(&mut self) {
        if let Some(provider) = &self.0
            && let Err(error) = provider.shutdown()
        {
            print_error(&format!("the last traces were not sent: {error}"));
        }
    }
}
