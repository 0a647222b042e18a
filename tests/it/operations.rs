//! The tools of `examples/rust/src/bin/operations`, called by the script of the example and answered as a person does.

use std::collections::VecDeque;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use glove_wasm::display::Slot;
use glove_wasm::json::Json;
use glove_wasm::ports::{DisplayPort, Show};
use glove_wasm::runtime::Glove;
use glove_wasm::testing::ScriptedModel;
use glove_wasm_terminal::CliDisplay;
use serde_json::{Value, json};

#[cfg(unix)]
use crate::native_glove::{Home, tmux::Screen};
use crate::support::runtime::block_on;

#[path = "../../examples/rust/src/bin/operations/desk/mod.rs"]
mod desk;

struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let path = std::env::temp_dir().join(format!("glove-operations-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        desk::prepare(&path).unwrap();
        Place(path)
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.0.join(file)).unwrap_or_default()
    }

    /// What the agent says at the end, and what was shown and asked, with the answers of the person. `None` turns a question down.
    fn say(&self, sentence: &str, answers: &[Option<&str>]) -> (String, Vec<String>) {
        let mut builder = Glove::builder(ScriptedModel::by(desk::answer));
        for tool in desk::tools(&self.0) {
            builder = builder.fold(tool);
        }
        let agent = builder.build().unwrap();
        let display = agent.display().clone();
        let answers =
            Mutex::new(answers.iter().map(|answer| answer.map(str::to_owned)).collect::<VecDeque<_>>());
        let seen = Arc::new(Mutex::new(Vec::<(String, String)>::new()));
        let asked = Arc::clone(&seen);
        let _listening = agent.display().subscribe(move |stack: &[Slot]| {
            for slot in stack {
                let mut seen = asked.lock().unwrap();
                if seen.iter().any(|(id, _)| *id == slot.id) {
                    continue;
                }
                let input: Value = slot.input.read().unwrap();
                let told = format!("{}: {}", slot.renderer, input["message"].as_str().unwrap());
                seen.push((slot.id.clone(), told));
                drop(seen);
                if slot.waits {
                    match answers.lock().unwrap().pop_front().expect("a question too many") {
                        Some(answer) => drop(display.resolve(&slot.id, Json::from(json!(answer)))),
                        None => drop(display.reject(&slot.id, None)),
                    }
                }
            }
        });
        let text = block_on(agent.process_request(sentence)).unwrap().text();
        let kept = serde_json::to_string(&agent.messages()).unwrap();
        assert!(!kept.contains("s3cret"), "{kept}");
        let seen = seen.lock().unwrap().iter().map(|(_, told)| told.clone()).collect();
        (text, seen)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_service_is_deployed_when_a_person_says_so_and_not_otherwise() {
    let place = Place::new("deploy");
    let (text, seen) = place.say("deploy api to staging", &[Some("dry run")]);
    assert_eq!(text, "Would deploy 1 files to staging; nothing was changed.");
    assert_eq!(seen, ["info: 1 files, for the first time", "confirm: Deploy api to staging?"]);
    assert!(place.say("deploy api to staging", &[Some("cancel")]).0.starts_with("Cancelled"));
    assert!(place.say("deploy api to staging", &[None]).0.starts_with("That did not work"));
    assert!(!place.0.join("deployed").exists());
    assert_eq!(place.say("deploy api to staging", &[Some("deploy")]).0, "Deployed api to staging (1 files).");
    assert_eq!(place.read("deployed/staging/api/main.conf"), "port = 8080\n");
    assert_eq!(
        place.say("deploy api to staging", &[Some("cancel")]).1[0],
        "info: 1 files, replaces what runs"
    );
    for nowhere in ["deploy ../migrations to staging", "deploy api to ../..", "deploy none to staging"] {
        assert!(place.say(nowhere, &[]).0.starts_with("That did not work"), "{nowhere}");
    }
}

#[test]
fn a_project_is_made_after_three_details_and_a_confirmation() {
    let place = Place::new("scaffold");
    let details = |sure| [Some("shop"), Some("Rust"), Some("Sells gloves"), Some(sure)];
    assert_eq!(place.say("new project", &details("no")).0, "Nothing was made.");
    assert!(!place.0.join("shop").exists());
    let (text, seen) = place.say("new project", &details("yes"));
    assert_eq!(text, "Made shop with README.md and src/main.rs.");
    assert_eq!(seen.len(), 4);
    assert_eq!(seen[3], "confirm: Make `shop` in Rust: Sells gloves?");
    assert_eq!(place.read("shop/README.md"), "# shop\n\nSells gloves\n");
    assert!(place.say("new project", &[Some("shop")]).0.contains("already"));
    assert!(place.say("new project", &[Some("../out")]).0.contains("is no name"));
}

#[test]
fn a_migration_is_taken_back_after_two_confirmations() {
    let place = Place::new("migrate");
    assert_eq!(place.say("migrate down", &[]).0, "There is nothing to take back.");
    assert_eq!(place.say("migrate up", &[Some("no")]).0, "Nothing was applied.");
    assert_eq!(place.say("migrate up", &[Some("yes")]).0, "Applied 001_users, 002_names.");
    assert_eq!(place.say("migrate up", &[]).0, "The database is up to date.");
    assert_eq!(place.say("migrate down", &[Some("no")]).0, "Nothing was taken back.");
    assert!(place.say("migrate down", &[Some("yes"), Some("yes")]).0.starts_with("Nothing was taken back"));
    assert_eq!(place.read("applied.txt"), "001_users\n002_names\n");
    let (text, seen) = place.say("migrate down", &[Some("yes"), Some("002_names")]);
    assert_eq!(text, "Took 002_names back.");
    assert_eq!(seen[1], "input: Type `002_names` to take it back:");
    assert_eq!(place.read("applied.txt"), "001_users\n");
}

#[test]
fn a_secret_is_set_and_neither_told_nor_kept() {
    let place = Place::new("secret");
    assert_eq!(place.say("set TOKEN", &[Some("s3cret-1")]).0, "TOKEN is set to ******** (8 characters).");
    place.say("set OTHER", &[Some("s3cret-2")]);
    place.say("set TOKEN", &[Some("s3cret-3")]);
    assert_eq!(place.read("secrets.env"), "OTHER=s3cret-2\nTOKEN=s3cret-3\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(place.0.join("secrets.env")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    assert!(place.say("set TOKEN", &[Some("two\nlines")]).0.contains("one line"));
    assert!(place.say("set TO=KEN", &[]).0.contains("is no name"));
    assert_eq!(place.read("secrets.env"), "OTHER=s3cret-2\nTOKEN=s3cret-3\n");
}

#[test]
fn a_form_asks_again_for_what_is_needed() {
    let place = Place::new("form");
    let answers = [Some(" "), Some("Ada"), Some("today"), Some("")];
    let (text, seen) = place.say("register a visitor", &answers);
    assert_eq!(
        serde_json::from_str::<Value>(&text).unwrap(),
        json!({ "name": "Ada", "day": "today", "note": "" })
    );
    assert_eq!(seen[..2], ["input: A visitor: Name", "input: A visitor: Name is needed"]);
    assert_eq!(seen.len(), 4);
    assert!(place.say("register a visitor", &[None]).0.starts_with("That did not work"));
}

/// What is written to it can be read by the test.
#[derive(Clone, Default)]
struct Page(Arc<Mutex<Vec<u8>>>);

/// Somebody who types a line in the moment in which they see a text.
struct Hasty(Page, &'static str, mpsc::Sender<&'static str>);

impl Write for Hasty {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let wrote = self.0.write(bytes)?;
        let text = String::from_utf8(self.0.0.lock().unwrap().clone()).unwrap();
        if !self.1.is_empty() && text.ends_with(self.1) {
            self.1 = "";
            self.2.send("y\n").unwrap();
        }
        Ok(wrote)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What the agent says at the end, and what the display of the library printed, where these lines are typed.
fn in_lines(place: &Place, sentence: &str, typed: &str) -> (String, String) {
    let mut builder = Glove::builder(ScriptedModel::by(desk::answer));
    for tool in desk::tools(&place.0) {
        builder = builder.fold(tool);
    }
    let (agent, page) = (builder.build().unwrap(), Page::default());
    let terminal = CliDisplay::new().through(io::Cursor::new(typed.to_owned()), page.clone()).attach(&agent);
    let text = block_on(agent.process_request(sentence)).unwrap().text();
    drop(terminal);
    (text, String::from_utf8(page.0.lock().unwrap().clone()).unwrap())
}

#[test]
fn the_display_of_the_library_asks_in_lines_and_takes_no_answer_for_another() {
    let place = Place::new("lines");
    let (text, printed) = in_lines(&place, "deploy api to staging", "perhaps\nyes\n2\n");
    assert_eq!(text, "Would deploy 1 files to staging; nothing was changed.");
    let asked = "i Checked\n  1 files, for the first time\n? Deploy api to staging?\n";
    assert!(printed.starts_with(asked), "{printed}");
    assert_eq!(printed.matches("! answer with").count(), 2, "{printed}");

    // The input has ended: nothing happens that nobody allowed.
    let (text, printed) = in_lines(&place, "deploy api to staging", "");
    assert!(text.starts_with("That did not work") && printed.contains("? Deploy api"), "{text}\n{printed}");
    assert!(!place.0.join("deployed").exists());

    let (text, printed) = in_lines(&place, "new project", "shop\n1\nSells gloves\nyes\ny\n");
    assert!(text.starts_with("Made shop"), "{text}\n{printed}");
}

#[test]
fn the_display_of_the_library_shows_what_stands_there_already_and_nothing_after_it_is_dropped() {
    let agent = Glove::builder(ScriptedModel::new([])).build().unwrap();
    let display = agent.display();
    let push = |message: &str| display.push_and_forget(show("info", &json!({ "message": message }))).unwrap();
    push("before");
    let page = Page::default();
    let terminal = CliDisplay::new().through(io::Cursor::new("no one\nAda\n"), page.clone()).attach(&agent);
    push("between");
    let select = json!({ "message": "Who?", "options": ["Ada", "Bob"] });
    let answer = block_on(display.push_and_wait(show("select", &select))).unwrap();
    assert_eq!(answer.as_str(), "\"Ada\"");
    drop(terminal);
    push("after");
    let printed = String::from_utf8(page.0.lock().unwrap().clone()).unwrap();
    assert_eq!(
        printed,
        "i before\ni between\n? Who?\n  1  Ada\n  2  Bob\n! answer with a number from 1 to 2, or the words of a line\n"
    );
}

/// Somebody who types when they are told to.
struct Typed(mpsc::Receiver<&'static str>);

impl Read for Typed {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let line = self.0.recv().unwrap_or_default();
        into[..line.len()].copy_from_slice(line.as_bytes());
        Ok(line.len())
    }
}

#[test]
fn what_is_typed_after_the_display_of_the_library_is_dropped_allows_nothing() {
    let agent = Glove::builder(ScriptedModel::new([])).build().unwrap();
    let (typing, typed) = mpsc::channel();
    let page = Page::default();
    let terminal = CliDisplay::new().through(BufReader::new(Typed(typed)), page.clone()).attach(&agent);
    let asked = json!({ "toolName": "bash", "toolInput": { "command": "rm -rf x" } });
    let display = agent.display();
    let waiting = display.push_and_wait(show("permission_request", &asked));
    let printed = || String::from_utf8(page.0.lock().unwrap().clone()).unwrap();
    while !printed().contains("? Run this command?") {
        thread::sleep(Duration::from_millis(5));
    }
    drop(terminal);
    typing.send("y\n").unwrap();
    // The display reads no more than that one line, and ends.
    while Arc::strong_count(&page.0) > 1 {
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(display.stack().iter().filter(|slot| slot.waits).count(), 1);
    drop(waiting);
}

#[test]
fn a_question_that_is_answered_elsewhere_holds_no_later_one_up() {
    let agent = Glove::builder(ScriptedModel::new([])).build().unwrap();
    let (typing, typed) = mpsc::channel();
    let page = Page::default();
    let hasty = Hasty(page.clone(), "? Two?\n", typing.clone());
    let _terminal = CliDisplay::new().through(BufReader::new(Typed(typed)), hasty).attach(&agent);
    let display = agent.display();
    let printed = |text: &str| {
        let until = Instant::now() + Duration::from_secs(30);
        while !String::from_utf8(page.0.lock().unwrap().clone()).unwrap().contains(text) {
            assert!(Instant::now() < until, "{text} was never printed");
            thread::sleep(Duration::from_millis(5));
        }
    };
    let first = display.push_and_wait(show("confirm", &json!({ "message": "One?" })));
    printed("? One?");
    let id = display.stack()[0].id.clone();
    assert!(display.resolve(&id, Json::string("yes")).unwrap());
    block_on(first).unwrap();
    printed("! this question is no longer open");
    for (question, key, answer) in [("Two?", "n\n", "no"), ("Three?", "y\n", "yes")] {
        let asked = display.push_and_wait(show("confirm", &json!({ "message": question })));
        printed(&format!("? {question}"));
        if question == "Two?" {
            // Whoever was about to answer the first one has not read this one.
            printed("! input for a question that is gone was ignored");
        }
        typing.send(key).unwrap();
        assert_eq!(block_on(asked).unwrap().to_text().as_deref(), Some(answer), "{question}");
    }
}

/// Set where this test is the program whose input is a pipe.
const PROGRAM: &str = "GLOVE_TEST_PIPED_PROGRAM";

#[test]
fn a_line_that_comes_after_a_question_is_gone_is_read_by_the_program() {
    if std::env::var_os(PROGRAM).is_some() {
        return reads_a_line_after_a_question();
    }
    let mut program = Command::new(std::env::current_exe().unwrap());
    let test = "operations::a_line_that_comes_after_a_question_is_gone_is_read_by_the_program";
    program.args(["--exact", test, "--nocapture"]).env(PROGRAM, "1");
    let mut program = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, output) = (program.stdin.take().unwrap(), program.stdout.take().unwrap());
    let mut lines = BufReader::new(output).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.contains("this question is no longer open")));
    input.write_all(b"the next message\n").unwrap();
    drop(input);
    assert!(lines.any(|line| line.contains("read: the next message")), "the line is lost");
    program.wait().unwrap();
}

fn reads_a_line_after_a_question() {
    let agent = Glove::builder(ScriptedModel::new([])).build().unwrap();
    let _terminal = CliDisplay::new().attach(&agent);
    let display = agent.display();
    let asked = display.push_and_wait(show("confirm", &json!({ "message": "One?" })));
    // Until the display waits for a line.
    thread::sleep(Duration::from_millis(500));
    let id = display.stack()[0].id.clone();
    assert!(display.resolve(&id, Json::string("yes")).unwrap());
    block_on(asked).unwrap();
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let message = format!("read: {}", line.trim_end());
    display.push_and_forget(show("info", &json!({ "message": message }))).unwrap();
}

fn show(renderer: &str, input: &Value) -> Show {
    Show { renderer: renderer.to_owned(), input: Json::from(input.clone()), owner: None, check: None }
}

#[cfg(unix)]
#[test]
fn the_five_tools_ask_on_a_screen_in_the_display_of_the_library() {
    let home = Home::new();
    let place = home.file("operations");
    desk::prepare(&place).unwrap();
    let Some(screen) = Screen::start(&home, "") else { return };
    let asks = |sentence: &str, answers: &[(&str, &str)], end: &str| {
        screen.says(sentence);
        for (question, answer) in answers {
            screen.until(|text| text.contains(question));
            screen.says(answer);
        }
        let text = screen.until(|text| text.contains(&format!("= {end}")));
        screen.tmux(&["send-keys", "-R"]);
        text
    };
    let lines = "  1     deploy\n  2     dry run\n  3     cancel\nAnswer:";
    let dry = format!("? Deploy api to staging?\n{lines}");
    asks("deploy api to staging", &[(&dry, "2")], "Would deploy 1 files to staging; nothing was changed.");
    for (key, end) in [("Escape", "= That did not work"), ("C-c", "= ABORTED")] {
        screen.says("deploy api to staging");
        screen.until(|text| text.ends_with("Answer:"));
        screen.presses(key);
        screen.until(|text| text.contains(end));
        screen.tmux(&["send-keys", "-R"]);
    }
    assert!(!place.join("deployed").exists());

    let last = ("? Make `shop`", "y");
    let details = [("name?", "shop"), ("Answer:", "1"), ("do?", ""), last];
    asks("new project", &details, "Made shop with README.md");
    asks("migrate up", &[("Answer:", "y")], "Applied 001_users, 002_names.");
    let typed = ("Type `002_names`", "002_names");
    asks("migrate down", &[("Answer:", "y"), typed], "Took 002_names back.");
    let text =
        asks("set TOKEN", &[("value of TOKEN", "s3cret-1")], "TOKEN is set to ******** (8 characters).");
    assert!(!text.contains("s3cret"), "{text}");
    let visitor =
        [("visitor: Name", " "), ("Name is needed", "Ada"), ("Answer:", "1"), ("visitor: Note", "")];
    asks("register a visitor", &visitor, "{\"day\":\"today\",\"name\":\"Ada\",\"note\":\"\"}");
}

#[cfg(unix)]
#[test]
fn what_a_program_asks_itself_is_turned_down_by_ctrl_c_and_may_be_answered_elsewhere() {
    let home = Home::new();
    desk::prepare(&home.file("operations")).unwrap();
    let Some(screen) = Screen::start(&home, "") else { return };
    screen.says("ask without a run");
    screen.until(|text| text.contains("? First?") && text.ends_with("Answer:"));
    screen.presses("C-c");
    screen.until(|text| text.contains("? Second?") && text.ends_with("Answer:"));
    screen.says("y");
    screen.until(|text| text.contains("= DISPLAY_REJECTED, \"yes\""));
    screen.tmux(&["send-keys", "-R"]);
    screen.says("ask and answer elsewhere");
    // Nobody touches a key until the second one is asked.
    screen.until(|text| {
        text.contains("! this question is no longer open\n? Second?") && text.ends_with("Answer:")
    });
    screen.says("n");
    screen.until(|text| text.contains("= \"elsewhere\", \"no\""));
    screen.tmux(&["send-keys", "-R"]);
    // A question of two lines is taken away whole.
    screen.says("ask in two lines and answer elsewhere");
    let shown = screen.until(|text| text.contains("? Second?") && text.ends_with("Answer:"));
    assert!(!shown.contains("First"), "{shown}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_run_whose_tool_goes_on_to_its_end_and_asks() {
    let home = Home::new();
    desk::prepare(&home.file("operations")).unwrap();
    let Some(screen) = Screen::start(&home, "") else { return };
    screen.says("hold");
    screen.until(|text| text.contains("? Held?") && text.ends_with("Answer:"));
    screen.presses("C-c");
    screen.until(|text| text.contains("= ABORTED"));
}

#[cfg(unix)]
#[test]
fn a_program_that_ends_while_it_asks_leaves_the_terminal_as_it_was() {
    let home = Home::new();
    desk::prepare(&home.file("operations")).unwrap();
    let Some(screen) = Screen::shell(&home) else { return };
    screen.ends("$");
    for ending in ["leave", "leave an answer"] {
        screen.says("$GLOVE");
        screen.says(ending);
        screen.until(|text| text.contains("? Left?") && text.ends_with("Answer:"));
        // The first one is ended with nothing typed, and the second one in the middle of an answer.
        if ending != "leave" {
            screen.types("y");
            screen.until(|text| text.ends_with("Answer: y"));
        }
        fs::write(home.file("operations/end"), "").unwrap();
        screen.until(|text| text.ends_with("$"));
        fs::remove_file(home.file("operations/end")).unwrap();
        screen.tmux(&["send-keys", "-R"]);
        screen.says("stty -a | grep -o '[-]*\\b\\(echo\\|icanon\\|isig\\)\\b' | tr '\\n' ,");
        screen.until(|text| text.contains("isig,icanon,echo,"));
        screen.tmux(&["send-keys", "-R"]);
    }
}
