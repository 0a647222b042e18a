//! What tools and sandboxed code ask of the web natively, against servers of this machine: the cases are those of pages and Node.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use crate::support::wait::block_on;
use glove_wasm::ports::{
    AbortHandle, CallDisplay, CallRef, Credentials, DisplayPort, Show, Tool, ToolContext, ToolFailure,
    ToolHost, Tools,
};
use glove_wasm::run::input::{ApprovalVerdict, ToolOutcome};
use glove_wasm::testing::{Line, ScriptedModel};
use glove_wasm_native::{SearchQuery, SearchResult, WebPage, WebTools, searxng_search, web_search};
use glove_wasm_sandbox::{MountRight, Sandbox};
use glove_wasm_task::runtime::{CredentialRequest, MemoryWorkspace, TaskAgentBuilder};
use glove_wasm_task::{FinishReason, ResultView};
use serde_json::{Value, json};

use crate::task::{asked, builder, spec, worker, workspace};

#[derive(Clone, serde::Deserialize)]
#[serde(default)]
struct Route {
    status: u16,
    headers: BTreeMap<String, String>,
    body: String,
    times: usize,
    echo: bool,
    hangs: bool,
    waits: Option<String>,
}

impl Default for Route {
    fn default() -> Self {
        Route {
            status: 200,
            headers: BTreeMap::new(),
            body: String::new(),
            times: 1,
            echo: false,
            hangs: false,
            waits: None,
        }
    }
}

#[derive(Default, serde::Deserialize)]
#[serde(default)]
struct Case {
    code: String,
    hosts: Option<Vec<String>>,
    named: BTreeMap<String, Vec<String>>,
    given: BTreeMap<String, String>,
    #[serde(rename = "timeMs")]
    time_ms: Option<u64>,
    gives: Option<Value>,
    fails: Option<String>,
    sent: Option<String>,
}

#[derive(serde::Deserialize)]
struct Table {
    routes: BTreeMap<String, Route>,
    cases: Vec<Case>,
}

#[derive(Default)]
struct Seen {
    routes: BTreeMap<String, Route>,
    paths: Vec<String>,
    authorizations: Vec<String>,
}

pub struct Servers {
    pub origin: String,
    other: String,
    cases: Vec<Case>,
    seen: Arc<(Mutex<Seen>, Condvar)>,
}

impl Servers {
    pub fn start() -> Self {
        let seen = Arc::new((Mutex::new(Seen::default()), Condvar::new()));
        let serve = || {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let origin = format!("http://{}", listener.local_addr().unwrap());
            let seen = Arc::clone(&seen);
            thread::spawn(move || {
                for stream in listener.incoming().flatten() {
                    let seen = Arc::clone(&seen);
                    thread::spawn(move || answer(&stream, &seen));
                }
            });
            origin
        };
        let (origin, other) = (serve(), serve());
        let text = include_str!("../fixtures/web-asks.json");
        let table: Table =
            serde_json::from_str(&text.replace("{self}", &origin).replace("{other}", &other)).unwrap();
        seen.0.lock().unwrap().routes = table.routes;
        Servers { origin, other, cases: table.cases, seen }
    }

    pub fn authorizations(&self) -> Vec<String> {
        std::mem::take(&mut self.seen.0.lock().unwrap().authorizations)
    }
}

fn answer(mut stream: &TcpStream, seen: &(Mutex<Seen>, Condvar)) {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).unwrap_or(0) == 0 {
            return;
        }
    }
    let header = |wanted: &str| {
        let lines = head.lines().skip(1).filter_map(|line| line.split_once(": "));
        lines.filter(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value.to_owned()).next()
    };
    let mut sent = vec![0; header("content-length").map_or(0, |length| length.parse().unwrap())];
    reader.read_exact(&mut sent).unwrap();
    let mut words = head.split(' ');
    let (method, path) = (words.next().unwrap(), words.next().unwrap());
    let authorization = header("authorization");
    let (lock, changed) = seen;
    let mut known = lock.lock().unwrap();
    known.paths.push(path.to_owned());
    known.authorizations.extend(authorization.clone());
    changed.notify_all();
    let missing = Route { status: 404, ..Route::default() };
    let route = known.routes.get(path).cloned().unwrap_or(missing);
    if let Some(other) = &route.waits {
        known = changed.wait_while(known, |known| !known.paths.contains(other)).unwrap();
    }
    drop(known);
    if route.hangs {
        thread::sleep(Duration::from_secs(30));
        return;
    }
    let body = match route.echo {
        true => {
            let sent = String::from_utf8(sent).unwrap();
            json!({ "method": method, "key": header("x-key"), "authorization": authorization, "body": sent })
                .to_string()
        }
        false => route.body.repeat(route.times),
    };
    let headers: String = route.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let length = body.len();
    let body = if method == "HEAD" { "" } else { body.as_str() };
    let status = route.status;
    let head =
        format!("HTTP/1.1 {status} X\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n");
    let _ = stream.write_all(format!("{head}{body}").as_bytes());
}

/// A model whose first acting step makes this one call.
fn calling(tool: &'static str, input: Value) -> ScriptedModel {
    ScriptedModel::by(move |_, seen| match asked(seen) {
        (request, 0) if request.contains("(s1)") => Line::call(tool, "c0", input.clone()),
        _ => worker(seen),
    })
}

fn with_credentials(agent: TaskAgentBuilder, given: BTreeMap<String, String>) -> TaskAgentBuilder {
    agent.credentials(move |request: CredentialRequest| {
        let own = if request.tool == "sandbox_exec" { given.clone() } else { BTreeMap::new() };
        std::future::ready(Ok::<_, ToolFailure>(Credentials::new(own)))
    })
}

/// What the model reads of its call of `sandbox_exec`, and the files of the task.
fn called(
    model: &ScriptedModel,
    sandbox: Sandbox,
    given: &BTreeMap<String, String>,
) -> (Value, MemoryWorkspace) {
    let agent = builder(model).tool_for(["act"], sandbox.exec());
    let agent = with_credentials(agent, given.clone()).build().unwrap();
    let files = workspace();
    let result = block_on(agent.do_task(files.clone(), spec(), ResultView::Full)).unwrap();
    assert_eq!(result.finish_reason, Some(FinishReason::Completed));
    let seen = model.seen();
    let mut results =
        seen.iter().flat_map(|seen| &seen.messages).filter_map(|message| message.tool_results.as_ref());
    let own = results.find_map(|results| results.iter().find(|result| result.tool_name == "sandbox_exec"));
    let result = &own.unwrap().result;
    let told = json!({ "data": result.data.read::<Value>().unwrap(), "message": result.message });
    (told, files)
}

#[test]
fn sandboxed_code_asks_the_web_as_the_table_says() {
    let servers = Servers::start();
    for case in &servers.cases {
        let code = format!("const self = {:?}, other = {:?};\n{}", servers.origin, servers.other, case.code);
        let hosts = case.hosts.clone().unwrap_or_else(|| vec![servers.origin.clone()]);
        let mut sandbox = Sandbox::new().hosts(hosts).unwrap();
        for (name, hosts) in &case.named {
            sandbox = sandbox.credential(name, hosts).unwrap();
        }
        if let Some(most) = case.time_ms {
            sandbox = sandbox.time(Duration::from_millis(most));
        }
        let model = calling("sandbox_exec", json!({ "code": code }));
        let (told, files) = called(&model, sandbox, &case.given);
        match &case.fails {
            None => assert_eq!(told["data"], case.gives.clone().unwrap_or_default(), "{}: {told}", case.code),
            Some(words) => {
                let message = told["message"].as_str().unwrap_or_default().to_lowercase();
                assert!(message.contains(&words.to_lowercase()), "{}: {told}", case.code);
            }
        }
        let read = servers.authorizations();
        if let Some(sent) = &case.sent {
            assert_eq!(read, std::slice::from_ref(sent));
        }
        let kept: Vec<String> =
            files.files().into_iter().map(|(_, content)| String::from_utf8(content).unwrap()).collect();
        let requests: Vec<String> = model.seen().iter().map(|seen| format!("{:?}", seen.messages)).collect();
        for text in kept.iter().chain(&requests) {
            assert!(!text.contains("planted"), "{}: {text}", case.code);
        }
    }
}

#[test]
fn a_credential_that_code_names_it_never_has_itself() {
    let servers = Servers::start();
    let code = format!(
        "const r = await fetch('{}/echo', {{ headers: {{ authorization: 'Bearer {{{{TOKEN}}}}' }} }});
         const text = await r.text(); console.log(text);
         await files.write('progress/artifacts/echo.txt', text); return [...text].reverse().join('');",
        servers.origin
    );
    let sandbox = Sandbox::new().hosts([servers.origin.clone()]).unwrap();
    let sandbox = sandbox.credential("TOKEN", [servers.origin.clone()]).unwrap().files(workspace());
    let sandbox = sandbox.mount("progress/artifacts", MountRight::Write).unwrap();
    let about = sandbox.clone().exec().definition().description.clone();
    assert!(
        about.contains("`{{TOKEN}}` in a header of it stands for a credential, at http://127"),
        "{about}"
    );
    let given = BTreeMap::from([("TOKEN".to_owned(), "planted-4711".to_owned())]);
    let (told, _) = called(&calling("sandbox_exec", json!({ "code": code })), sandbox, &given);
    assert_eq!(servers.authorizations(), ["Bearer planted-4711"]);
    let told = told.to_string();
    assert!(
        told.contains("Bearer [redacted]") && !told.contains("planted") && !told.contains("detnalp"),
        "{told}"
    );
}

#[test]
fn grants_that_mean_more_than_they_say_are_refused() {
    let credential = |name: &str, hosts: &[&str]| {
        Sandbox::new().credential(name, hosts.iter().copied()).unwrap_err().message
    };
    assert!(credential("TOKEN", &["*"]).contains("must name the hosts that may have it"));
    assert!(credential("TOKEN", &[]).contains("must name the hosts that may have it"));
    assert!(credential("TOKEN", &["localhost"]).contains("write it as an origin"));
    assert!(credential("MY-TOKEN", &["a.example.com"]).contains("letters, digits and _"));
    let error = Sandbox::new().hosts(["10.0.0.1"]).unwrap_err();
    assert_eq!(
        (error.code(), error.message.contains("write it as an origin")),
        ("TASK_CONFIG_INVALID", true)
    );
    assert_eq!(WebTools::new(["*.com"]).unwrap_err().code(), "CONFIG_INVALID");
}

struct NoDisplay;

impl DisplayPort for NoDisplay {
    fn push_and_forget(&self, _: Show) -> Result<String, glove_wasm::display::DisplayError> {
        Err(glove_wasm::display::DisplayError::Cleared)
    }

    fn push_and_wait(
        &self,
        _: Show,
    ) -> glove_wasm::portable::BoxFuture<
        'static,
        Result<glove_wasm::json::Json, glove_wasm::display::DisplayError>,
    > {
        Box::pin(std::future::ready(Err(glove_wasm::display::DisplayError::Cleared)))
    }

    fn remove_slot(&self, _: &str) -> bool {
        false
    }
}

/// How a call ends, outside of a run.
pub async fn outcome(tool: &Tool, input: &Value) -> ToolOutcome {
    let mut tools = Tools::new();
    tools.register(tool.clone()).unwrap();
    let input = input.clone().into();
    let call = CallRef {
        call_id: "c0",
        tool_name: tool.name(),
        input: &input,
        validated: None,
        judged: None,
        attempt: 1,
        idempotency_key: "k1",
    };
    let display = CallDisplay::new("c0", Arc::new(NoDisplay));
    let context = ToolContext::new(call, display, AbortHandle::new().signal());
    tools.run(call, context).await
}

/// The data of a call, or why it failed.
fn run(tool: &Tool, input: &Value) -> Result<Value, String> {
    match block_on(outcome(tool, input)) {
        ToolOutcome::Returned { result, .. } => Ok(result.data.read().unwrap()),
        ToolOutcome::Threw(why) => Err(why),
        other => panic!("{other:?}"),
    }
}

#[test]
fn http_fetch_and_links_check_read_granted_hosts_alone() {
    let servers = Servers::start();
    let at = |path: &str| format!("{}{path}", servers.origin);
    let web = WebTools::new([servers.origin.clone()]).unwrap().most(1_001);
    let fetch = |path: &str| run(&web.http_fetch(), &json!({ "url": at(path) }));
    assert_eq!(
        fetch("/page").unwrap(),
        json!({ "url": at("/page"), "status": 200, "type": "text/plain", "text": "a page" })
    );
    assert_eq!(fetch("/moved").unwrap()["url"], at("/page"));
    assert_eq!(fetch("/none").unwrap()["status"], 404);
    let long = fetch("/long").unwrap();
    assert_eq!((long["text"].as_str().unwrap().chars().count(), long["cut"].is_string()), (500, true));
    assert!(fetch("/to-metadata").unwrap_err().contains("http://169.254.169.254 is not granted"));
    let public = WebTools::new(["*"]).unwrap().http_fetch();
    for url in [at("/page"), at("/page").replace("127.0.0.1", "localhost"), "file:///etc/passwd".to_owned()] {
        assert!(run(&public, &json!({ "url": url })).unwrap_err().contains("is not granted"), "{url}");
    }
    let urls =
        [at("/page"), at("/moved"), at("/gone"), "https://elsewhere.example/".into(), "no link".into()];
    let found = run(&web.links_check(), &json!({ "urls": urls })).unwrap();
    let ok: Vec<bool> = found.as_array().unwrap().iter().map(|link| link["ok"].as_bool().unwrap()).collect();
    assert_eq!(ok, [true, true, false, false, false]);
    assert_eq!((&found[2]["status"], found[4].get("status")), (&json!(410), None));
}

#[test]
fn url_extract_gives_what_the_application_makes_of_a_page() {
    let servers = Servers::start();
    let at = |path: &str| json!({ "url": format!("{}{path}", servers.origin) });
    let web = WebTools::new([servers.origin.clone()]).unwrap();
    let tool = web.url_extract(|page: WebPage| {
        assert_eq!(page.kind, "text/plain");
        Ok::<_, ToolFailure>(page.text.replace("a ", ""))
    });
    assert_eq!(
        run(&tool, &at("/page")).unwrap(),
        json!({ "url": format!("{}/page", servers.origin), "text": "page" })
    );
    assert!(run(&tool, &at("/gone")).unwrap_err().contains("status 410"));
    let long = web.url_extract(|_| Ok::<_, ToolFailure>("𝒳".repeat(40_000)));
    let found = run(&long, &at("/page")).unwrap();
    // Counted as JavaScript counts.
    assert_eq!((found["text"].as_str().unwrap().chars().count(), found["cut"].is_string()), (30_000, true));
    let failing = web.url_extract(|_| Err::<String, _>(ToolFailure::new("no text in it")));
    assert_eq!(run(&failing, &at("/page")).unwrap_err(), "no text in it");
}

#[test]
fn web_search_asks_the_engine_of_the_application_and_takes_no_more_than_it_may() {
    let tool = web_search(2, |asked: SearchQuery| async move {
        let result = |at: usize| SearchResult {
            title: format!("{} {at}", asked.query),
            url: format!("https://example.com/{at}"),
            snippet: "x".repeat(2_000),
        };
        assert_eq!(asked.most, 2);
        Ok::<_, ToolFailure>((1..=3).map(result).collect())
    });
    let found = run(&tool, &json!({ "query": "gloves" })).unwrap();
    assert_eq!(found.as_array().unwrap().len(), 2);
    assert_eq!(found[0]["title"], "gloves 1");
    assert_eq!(found[1]["snippet"].as_str().unwrap().len(), 1_000);
    let failing = web_search(8, |_| std::future::ready(Err::<Vec<_>, _>(ToolFailure::new("no engine"))));
    assert_eq!(run(&failing, &json!({ "query": "gloves" })).unwrap_err(), "no engine");
}

#[test]
fn a_server_of_searxng_is_asked_by_its_own_words() {
    let servers = Servers::start();
    let search =
        |address: &str| run(&searxng_search(address, 8).unwrap(), &json!({ "query": "warm gloves" }));
    let found = search(&servers.origin).unwrap();
    assert_eq!(
        found,
        json!([
            { "title": "Gloves", "url": "https://example.com/", "snippet": "Are warm." },
            { "title": "", "url": "https://example.com/2", "snippet": "" }
        ])
    );
    assert!(
        search(&format!("{}/none/", servers.origin))
            .unwrap_err()
            .contains("needs `json` among the `formats`")
    );
    assert!(search(&format!("{}/page?", servers.origin)).is_err());
    assert!(searxng_search("search", 8).unwrap_err().message.contains("no address of a search engine"));
    assert!(searxng_search("data:x", 8).is_err());
}

#[test]
fn http_post_sends_to_its_hosts_and_asks_a_person_before_it_sends_to_others() {
    let servers = Servers::start();
    let at = |path: &str| format!("{}{path}", servers.origin);
    let own = WebTools::new([servers.origin.clone()]).unwrap().http_post();
    let found = run(&own, &json!({ "url": at("/echo"), "body": "{}" })).unwrap();
    assert!(found["text"].as_str().unwrap().contains(r#""body":"{}""#), "{found}");
    let moved = run(&own, &json!({ "url": at("/moved"), "body": "" })).unwrap_err();
    assert!(moved.contains("which a POST does not follow"), "{moved}");
    // Nor does an approval open this machine: that is for the developer to name.
    let nobody = WebTools::new(["api.example.com"]).unwrap().http_post();
    assert!(run(&nobody, &json!({ "url": at("/echo"), "body": "" })).unwrap_err().contains("is not granted"));
    let mut tools = Tools::new();
    tools.register(nobody).unwrap();
    for (url, needed) in [(at("/echo"), true), ("https://api.example.com/a".to_owned(), false)] {
        let input = json!({ "url": url, "body": "" }).into();
        let call = CallRef {
            call_id: "c0",
            tool_name: "http_post",
            input: &input,
            validated: None,
            judged: None,
            attempt: 1,
            idempotency_key: "k1",
        };
        let verdict = block_on(tools.approval(call)).verdict;
        let asks = ApprovalVerdict::Needed { reason: Some(format!("it sends to {url}")) };
        assert_eq!(verdict, if needed { asks } else { ApprovalVerdict::NotNeeded });
    }
}
