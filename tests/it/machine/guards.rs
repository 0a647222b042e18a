//! Rules against going in circles, and sizes: what stops a run, and what must not.

use crate::support::machine::*;
use glove_wasm::json::{Json, JsonError};
use glove_wasm::message::{Message, ToolResultData, ToolStatus};
use glove_wasm::run::effect::Effect;
use glove_wasm::run::input::{Input, Issue, PermissionVerdict, ToolOutcome};
use glove_wasm::run::settings::{Limits, Settings};

/// One round of a scripted model: the calls (tool, arguments) and what each of them gives.
type Round = Vec<(String, String, ToolOutcome)>;

/// Plays a model that never stops by itself. Says how many answers it gave before the run stopped it.
fn rounds_until_stopped(script: impl Fn(usize) -> Round) -> usize {
    let names = ["read", "write", "search", "list", "poll"];
    let mut world = World::with_tools(names.map(tool).into_iter().chain([guarded("rm")]));
    world.ask("r", "q");
    for round in 0..200 {
        if !world.finishes.is_empty() {
            return round;
        }
        let calls = script(round);
        let asked: Vec<(&str, &str, &str)> =
            calls.iter().map(|(name, args, _)| (name.as_str(), "", args.as_str())).collect();
        world.model_calls(&asked);
        for (_, _, outcome) in calls {
            if let Some(Effect::CheckPermission { call_id }) = world.in_flight.first().cloned() {
                world.permission_is(&call_id, PermissionVerdict::Denied);
            }
            if let Some(Effect::RunTool { call_id, .. }) = world.in_flight.first().cloned() {
                world.tool_ends(&call_id, outcome);
            }
        }
    }
    panic!("it went on for 200 rounds");
}

fn call(name: &str, args: &str, data: &str) -> (String, String, ToolOutcome) {
    (name.to_owned(), args.to_owned(), returned(data))
}

fn failing(name: &str, args: &str, why: &str) -> (String, String, ToolOutcome) {
    (name.to_owned(), args.to_owned(), ToolOutcome::Threw(why.to_owned()))
}

#[test]
fn loops_of_every_shape_are_ended_after_a_few_rounds() {
    let shaped =
        |round: usize, a: &str, b: &str| if round.is_multiple_of(2) { a.to_owned() } else { b.to_owned() };
    type Script = Box<dyn Fn(usize) -> Round>;
    let script = |script: fn(usize) -> Round| -> Script { Box::new(script) };
    let table: Vec<(&str, usize, Script)> = vec![
        ("the same call", 5, script(|_| vec![call("read", r#"{"p":"a"}"#, "1")])),
        ("no arguments", 5, script(|_| vec![call("poll", "", "null")])),
        ("empty and written out", 5, script(|n| vec![call("poll", ["", "{}", "{ }"][n % 3], "null")])),
        (
            "keys in another order",
            5,
            script(|n| vec![call("read", [r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#][n % 2], "1")]),
        ),
        ("spaces between", 5, script(|n| vec![call("read", &format!("{{{}\"a\":1}}", " ".repeat(n)), "1")])),
        ("the name in another case", 5, script(|n| vec![call(["read", "READ", "Read"][n % 3], "{}", "1")])),
        ("two calls each round", 5, script(|_| vec![call("read", "{}", "1"), call("list", "{}", "[]")])),
        (
            "the same call twice a round",
            5,
            script(|_| vec![call("read", "{}", "1"), call("read", "{}", "1")]),
        ),
        ("a big result", 5, script(|_| vec![call("read", "{}", &format!("\"{}\"", "x".repeat(10_000)))])),
        ("an empty text", 5, script(|_| vec![call("search", r#"{"q":"x"}"#, "\"\"")])),
        ("nested arguments", 5, script(|_| vec![call("search", r#"{"q":{"a":[1,{"b":null}]}}"#, "[]")])),
        ("the same error", 5, script(|_| vec![failing("read", "{}", "ENOENT")])),
        ("another error each time", 5, Box::new(|n| vec![failing("read", "{}", &format!("error {n}"))])),
        (
            "other arguments, always an error",
            5,
            Box::new(|n| vec![failing("read", &format!("{{\"n\":{n}}}"), "no")]),
        ),
        ("an unknown tool", 5, script(|_| vec![call("nothing", "{}", "1")])),
        ("another unknown tool each time", 5, Box::new(|n| vec![call(&format!("nothing_{n}"), "{}", "1")])),
        ("arguments that are no JSON", 5, Box::new(|n| vec![call("read", &format!("{{\"n\": {n}"), "1")])),
        (
            "arguments that do not fit",
            5,
            Box::new(|n| {
                let issue = Issue { path: Vec::new(), message: format!("bad {n}") };
                vec![("read".to_owned(), format!("[{n}]"), ToolOutcome::Invalid(vec![issue]))]
            }),
        ),
        ("a permission that is denied", 5, Box::new(|n| vec![call("rm", &format!("{{\"n\":{n}}}"), "1")])),
        (
            "a form that is turned down",
            5,
            Box::new(|n| vec![("read".to_owned(), format!("[{n}]"), ToolOutcome::Rejected(None))]),
        ),
        (
            "an error that the tool returned",
            5,
            Box::new(|n| {
                let outcome = ToolOutcome::Returned {
                    result: ToolResultData::error(format!("no {n}")),
                    outputs: vec![],
                };
                vec![("read".to_owned(), format!("[{n}]"), outcome)]
            }),
        ),
        (
            "two calls that both fail",
            5,
            Box::new(|n| {
                vec![failing("read", &format!("[{n}]"), "a"), failing("list", &format!("[{n}]"), "b")]
            }),
        ),
        (
            "one fails and one does not",
            5,
            script(|_| vec![failing("read", "{}", "a"), call("list", "{}", "1")]),
        ),
        ("back and forth", 7, Box::new(move |n| vec![call(&shaped(n, "read", "list"), "{}", "1")])),
        (
            "back and forth between arguments",
            7,
            Box::new(move |n| vec![call("read", &shaped(n, r#"{"p":"a"}"#, r#"{"p":"b"}"#), "1")]),
        ),
        (
            "back and forth between results",
            7,
            Box::new(move |n| vec![call("poll", "{}", &shaped(n, "1", "2"))]),
        ),
        ("useful at first", 8, Box::new(|n| vec![call("read", &format!("[{}]", n.min(3)), "1")])),
    ];
    assert!(table.len() >= 20);
    for (shape, most, script) in table {
        let rounds = rounds_until_stopped(script);
        assert!(rounds <= most, "{shape}: {rounds} rounds");
    }
}

#[test]
fn honest_long_sessions_are_never_stopped() {
    type Script = Box<dyn Fn(usize) -> Round>;
    let name = |n: usize| ["read", "write", "search", "list", "poll"][n % 5];
    let table: Vec<Script> = vec![
        Box::new(move |n| vec![call(name(n), &format!("[{n}]"), "1")]),
        Box::new(|n| vec![call("poll", "{}", &n.to_string())]),
        Box::new(|n| vec![call("poll", "{}", &format!("\"{}%\"", n / 2))]),
        Box::new(|n| vec![call("read", &format!("{{\"page\":{n}}}"), "[]")]),
        Box::new(|n| vec![call("read", "{}", &(n / 2).to_string())]),
        Box::new(|n| vec![call("write", &format!("{{\"n\":{n}}}"), "\"ok\"")]),
        Box::new(|n| match n % 3 {
            2 => vec![call("read", &format!("[{n}]"), "1")],
            _ => vec![failing("read", &format!("[{n}]"), "no")],
        }),
        Box::new(|n| vec![failing("search", &format!("[{n}]"), "no"), call("list", &format!("[{n}]"), "1")]),
        Box::new(|n| vec![call(["read", "write", "list"][n % 3], &format!("[{}]", n / 3), "1")]),
        Box::new(|n| match n % 3 {
            0 => vec![call("list", "{}", "[]")],
            1 => vec![call("write", "{}", "1")],
            _ => vec![call("read", &format!("[{n}]"), "1")],
        }),
        Box::new(|n| vec![call("read", "{}", "1"), call("write", &format!("[{n}]"), "1")]),
        Box::new(|n| vec![call("read", "{}", "1"), call("poll", "{}", &n.to_string())]),
        Box::new(|n| {
            if n % 4 < 2 { vec![call("poll", "{}", "1")] } else { vec![call("poll", "{}", &n.to_string())] }
        }),
        Box::new(|n| {
            if n % 5 < 2 {
                vec![failing("read", "{}", "busy")]
            } else {
                vec![call("read", &format!("[{n}]"), "1")]
            }
        }),
        Box::new(|n| (0..=n % 4).map(|k| call("read", &format!("[{n},{k}]"), "1")).collect()),
        Box::new(|n| vec![call("read", &format!("{{\"n\":1{}}}", "0".repeat(n)), "1")]),
        Box::new(|n| vec![call("search", &format!("{{\"q\":\"{}\"}}", "x".repeat(n)), "[]")]),
        Box::new(|n| {
            vec![
                call("poll", "{}", if n.is_power_of_two() { "1" } else { "0" }),
                call("read", &format!("[{n}]"), "1"),
            ]
        }),
        Box::new(|n| {
            if n % 2 == 0 {
                vec![call("write", &format!("[{n}]"), "1")]
            } else {
                vec![call("list", "{}", "[]")]
            }
        }),
        Box::new(|n| {
            if n % 2 == 0 {
                vec![failing("write", &format!("[{n}]"), "no")]
            } else {
                vec![call("list", "{}", "[]")]
            }
        }),
        Box::new(|n| match n % 4 {
            0 | 1 => vec![call("read", "{}", "1")],
            2 => vec![call("write", &format!("[{n}]"), "1")],
            _ => vec![call("list", "{}", "1")],
        }),
    ];
    assert!(table.len() >= 20);
    for (n, script) in table.into_iter().enumerate() {
        let rounds = rounds_until_stopped(script);
        assert_eq!(rounds, 120, "session {n} was stopped");
    }
}

#[test]
fn after_the_rule_the_model_has_one_answer_left_and_no_tool_runs() {
    let mut world = World::with_tools([tool("t")]);
    world.ask("r", "q");
    for n in 0..3 {
        world.model_calls(&[("t", &format!("c{n}"), "{}")]);
        world.tool_throws(&format!("c{n}"), "boom");
    }
    let told = "user: Every tool call of the last 3 rounds failed. Stop calling tools and explain to the user what went wrong and what they can do.";
    assert_eq!(world.model_requests[3].last().unwrap(), told);
    assert_eq!(world.guards(), ["ErrorRounds"]);
    let mut heeds = World::over(world.run.clone(), world.store.clone());
    heeds.in_flight = world.in_flight.clone();
    heeds.model_says("It is broken.");
    assert_eq!(
        (heeds.last_outcome(), heeds.record().last().unwrap().as_str()),
        ("completed", "agent: It is broken.")
    );
    world.model_calls(&[("t", "c9", "{}")]);
    assert_eq!(world.began.len(), 3);
    assert_eq!(
        world.results(),
        [(ToolStatus::Error, "Error: Not run: tool calls were stopped for this request.".into())]
    );
    assert_eq!(
        world.record().last().unwrap(),
        "agent: I stopped, because every tool call of the last 3 rounds failed. Please check the tools, then send a new message."
    );
    // The next request begins afresh.
    world.ask("r2", "again");
    world.model_calls(&[("t", "d1", "{}")]);
    assert_eq!(world.began.len(), 4);
}

#[test]
fn a_rule_that_is_switched_off_never_stops_anything() {
    let limits = Limits { same_rounds: 0, error_rounds: 0, ..Limits::default() };
    let mut world = World::new(Settings { tools: vec![tool("t")], limits, ..Settings::default() });
    world.ask("r", "q");
    for n in 0..120 {
        world.model_calls(&[("t", &format!("c{n}"), "{}")]);
        world.tool_throws(&format!("c{n}"), "boom");
    }
    assert_eq!(world.guards(), ["Turns"]);
}

#[test]
fn ten_thousand_calls_in_one_answer_are_all_answered_and_few_run() {
    let mut world = World::with_tools([parallel("t")]);
    world.ask("r", "q");
    let calls: Vec<(&str, &str, &str)> = (0..10_000).map(|_| ("t", "same", "{}")).collect();
    world.model_calls(&calls);
    while let Some(Effect::RunTool { call_id, .. }) = world.in_flight.first().cloned() {
        world.tool_returns(&call_id, "1");
    }
    let results = world.results();
    assert_eq!((results.len(), world.began.len()), (10_000, 128));
    assert_eq!(
        results[128].1,
        "Error: Not run: one answer may hold 128 tool calls. Call this tool again in a later answer."
    );
    let ids: std::collections::HashSet<_> =
        world.run.messages()[1].calls().iter().map(|call| call.id().to_owned()).collect();
    assert_eq!(ids.len(), 10_000);
}

fn result_of(limit: usize, outcome: ToolOutcome) -> (World, ToolResultData) {
    let limits = Limits { result_bytes: limit, ..Limits::default() };
    let mut world = World::new(Settings { tools: vec![tool("t")], limits, ..Settings::default() });
    world.ask("r", "q");
    world.model_calls(&[("t", "c1", "{}")]);
    world.tool_ends("c1", outcome);
    let result = world.run.messages()[2].results()[0].result.clone();
    (world, result)
}

#[test]
fn a_huge_result_is_cut_with_a_notice_in_the_record_and_in_the_journal() {
    let huge = format!("\"{}\"", "é".repeat(2_500_000));
    let (world, result) = result_of(256 * 1024, returned(&huge));
    let text = result.data.to_text().unwrap();
    assert!(text.len() <= 256 * 1024 && text.len() > 255 * 1024);
    let shown = text.find('\n').unwrap();
    assert_eq!(
        &text[shown..],
        format!("\n\n[cut: the result has 5000000 bytes, these are the first {shown}]")
    );
    let stored: usize =
        world.store.records.iter().map(|record| serde_json::to_string(record).unwrap().len()).sum();
    assert!(stored < 600 * 1024, "{stored}");
    assert_eq!(world.restart().run, world.run);
}

#[test]
fn a_result_is_measured_as_the_text_that_it_is() {
    // Each line break is two bytes in JSON; the text itself fits.
    let fits = format!("\"{}\"", "\\n".repeat(300));
    assert_eq!(result_of(300, returned(&fits)).1.data.as_str(), fits);
    let list = format!("[{}1]", "1,".repeat(300));
    let cut = result_of(300, returned(&list)).1.data.to_text().unwrap();
    assert!(
        cut.len() <= 300 && cut.starts_with("[1,1,") && cut.contains("[cut: the result has 603 bytes"),
        "{cut}"
    );
}

#[test]
fn nothing_that_a_tool_says_to_the_model_is_longer_than_the_limit() {
    let long = "x".repeat(50_000);
    let error = ToolResultData::error(long.clone());
    let summary = ToolResultData { summary: Some(long.clone()), ..ToolResultData::success(json("1")) };
    let issues =
        (0..500).map(|n| Issue { path: vec![json(&n.to_string())], message: long.clone() }).collect();
    let table = [
        ToolOutcome::Threw(long.clone()),
        ToolOutcome::Rejected(Some(long)),
        ToolOutcome::Returned { result: error, outputs: vec![] },
        ToolOutcome::Returned { result: summary, outputs: vec![] },
        ToolOutcome::Invalid(issues),
    ];
    for outcome in table {
        let world = result_of(1_000, outcome).0;
        let text = &world.results()[0].1;
        assert!(text.len() < 40_000, "{}", text.len());
        assert_eq!(world.restart().run, world.run);
    }
}

#[test]
fn json_nested_a_hundred_thousand_levels_deep_is_refused_wherever_it_comes_from() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(Json::parse(&deep), Err(JsonError::TooDeep));
    let message =
        format!(r#"{{"sender":"agent","text":"","tool_calls":[{{"tool_name":"t","input_args":{deep}}}]}}"#);
    assert!(serde_json::from_str::<Message>(&message).is_err());
    let mut world = World::with_tools([tool("t")]);
    world.ask("r", "q");
    world.model_calls(&[("t", "c1", &deep)]);
    assert!(world.results()[0].1.starts_with("Error: The arguments are not valid JSON"));
    assert!(world.results()[0].1.len() < 3_000);
}

#[test]
fn tools_that_change_in_mid_batch_hold_for_the_calls_that_have_not_begun() {
    let mut world = World::with_tools([tool("a"), tool("b"), tool("c")]);
    world.ask("r", "q");
    world.model_calls(&[("a", "c1", "{}"), ("b", "c2", "{}"), ("c", "c3", "{}")]);
    world.configure(|settings| settings.tools = vec![guarded("c"), tool("d")]);
    world.tool_returns("c1", "1");
    assert_eq!(world.in_flight, [Effect::CheckPermission { call_id: "c3".into() }]);
    world.permission_is("c3", PermissionVerdict::Granted);
    world.tool_returns("c3", "3");
    let texts: Vec<String> = world.results().into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["1", "Error: No tool called b exists. Available tools: c, d.", "3"]);
}

#[test]
fn a_tool_that_is_taken_away_while_it_runs_is_still_answered_by_what_it_gives() {
    let mut world = World::with_tools([parallel("a"), guarded("b")]);
    world.ask("r", "q");
    world.model_calls(&[("a", "c1", "{}"), ("b", "c2", "{}")]);
    world.configure(|settings| settings.tools.clear());
    world.tool_throws("c1", "late");
    assert!(world.results()[0].1.contains("Tool Errored out with late."));
    assert!(world.results()[1].1.contains("No tool called b exists."));
    world.step(Input::Configured { settings: Box::default(), before_recovered: false });
}

#[test]
fn a_name_that_is_no_tools_is_cut_before_it_is_stored_told_or_sent_back() {
    let mut world = World::with_tools([tool("look")]);
    world.ask("r", "q");
    let long = "näme".repeat(250_000);
    world.model_calls(&[(&long, "c1", "{}"), ("look", "c2", "{}")]);
    let (stored, events, asked) = (
        serde_json::to_string(&world.store.messages).unwrap()
            + &serde_json::to_string(&world.store.records).unwrap(),
        format!("{:?}", world.events),
        format!("{:?}", world.effects),
    );
    for (place, text) in [("store", &stored), ("events", &events), ("effects", &asked)] {
        assert!(text.contains("nämenäme") && text.len() < 20_000, "{place}: {}", text.len());
    }
    let name = &world.store.messages[1].calls()[0].tool_name;
    assert!(name.len() <= 200 && long.starts_with(name.trim_end_matches('…')), "{name}");
    assert_eq!(world.began, ["look"], "its neighbour runs");
    assert_eq!(world.restart().run, world.run);
}

#[test]
fn a_tool_with_a_very_long_name_is_found_by_it() {
    let long = "a".repeat(300);
    let mut world = World::with_tools([tool(&long)]);
    world.ask("r", "q");
    world.model_calls(&[(&long, "c1", "{}")]);
    assert_eq!(world.began, [long]);
}
