//! Skills of tasks: bundles that are what their hash says, stand in every prompt, and show their files without giving them away.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::support::wait::block_on;
use glove_wasm::testing::{Line, ScriptedModel};
use glove_wasm_sandbox::Sandbox;
use glove_wasm_task::front_matter::FrontMatter;
use glove_wasm_task::runtime::{RunOptions, StepContext};
use glove_wasm_task::{FinishReason, Journal, ResultView, SkillBundle, WorkspacePath};
use serde::Deserialize;
use serde_json::json;

use super::killed::Folder;
use super::paths::CASES;
use super::{agent, asked, builder, spec, worker, working_model, workspace};

const MANIFEST: &str = r#"{
  "name": "brief", "description": "Writes briefs.", "mounts": ["templates"],
  "tools": [{
    "name": "count_words", "description": "Counts words.", "code": "tools/count.js", "phases": ["act"],
    "inputSchema": { "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"] },
    "mounts": { "task": "read", "progress/artifacts": "write" }
  }]
}"#;
const CODE: &str = "export default async ({ path }) => {
    const text = await files.read(path);
    await files.write('progress/artifacts/count.txt', String(text.split(/\\s+/).filter(Boolean).length));
    return text.split(/\\s+/).filter(Boolean).length;
}";

fn files() -> Vec<(String, Vec<u8>)> {
    [
        ("skill.json", MANIFEST),
        ("instructions.md", "Keep to one page."),
        ("templates/page.md", "# Title of four words"),
        ("tools/count.js", CODE),
    ]
    .map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()))
    .to_vec()
}

fn with(path: &str, text: &str) -> Vec<(String, Vec<u8>)> {
    let mut files = files();
    files.retain(|(known, _)| known != path);
    files.push((path.to_owned(), text.as_bytes().to_vec()));
    files
}

fn bundle() -> SkillBundle {
    SkillBundle::of_files(files()).unwrap()
}

#[test]
fn a_hash_is_that_of_what_sha256sum_prints() {
    let lines = "two files, by their paths";
    let small = [("skill.json", r#"{"name":"a","description":"b"}"#), ("instructions.md", lines)];
    let files =
        |files: [(&str, &str); 2]| files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
    let bundle = SkillBundle::of_files(files(small)).unwrap();
    // `sha256sum instructions.md skill.json | sha256sum`
    assert_eq!(bundle.sha256, "8172537282dc40f5ae7dde192e09e47e5d45318fa689912123253488d19e91fe");
    let mut turned = small;
    turned.reverse();
    assert_eq!(SkillBundle::of_files(files(turned)).unwrap().sha256, bundle.sha256);
    // What begins with a dot is of an editor or a version control system.
    let mut more = files(small).to_vec();
    more.push((".git/config".to_owned(), b"x".to_vec()));
    assert_eq!(SkillBundle::of_files(more).unwrap().sha256, bundle.sha256);
    let other = [small[0], ("instructions.md", "two files, by their path")];
    assert_ne!(SkillBundle::of_files(files(other)).unwrap().sha256, bundle.sha256);
}

fn agent_skill(text: &str) -> Result<SkillBundle, String> {
    let files = [("SKILL.md", text), ("references/page.md", "# Title"), ("scripts/run.py", "print(1)")];
    let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
    SkillBundle::of_files(files).map_err(|error| error.to_string())
}

#[test]
fn a_folder_with_a_skill_md_is_a_skill_whose_other_files_are_to_be_read() {
    let text = "---\nname: brief\ndescription: Writes briefs.\n---\n\nRead references/page.md.\n";
    let bundle = agent_skill(text).unwrap();
    assert_eq!(
        (bundle.name.as_str(), bundle.description.as_str(), bundle.instructions.as_str()),
        ("brief", "Writes briefs.", "Read references/page.md.")
    );
    let paths: Vec<&str> = bundle.files.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["skills/brief/references/page.md", "skills/brief/scripts/run.py"]);
    assert!(bundle.tools.is_empty());
    assert_ne!(bundle.sha256, agent_skill(&text.replace("page.md.", "page.md!")).unwrap().sha256);
}

#[test]
fn a_skill_md_that_says_nothing_is_refused_with_a_sentence() {
    for (text, why) in [
        ("# Brief", "it must begin with a line `---`"),
        ("---\ndescription: D\n---\nText", "its `name` must be letters"),
        ("---\nname: ../up\ndescription: D\n---\nText", "its `name` must be letters"),
        ("---\nname: a\n---\nText", "has no `description`"),
        ("---\nname: a\ndescription: D\n---\n\n", "no text below the front matter"),
    ] {
        let refused = agent_skill(text).unwrap_err();
        assert!(refused.contains(why), "{text}: {refused}");
    }
}

#[test]
fn front_matter_is_read_as_in_javascript() {
    #[derive(Deserialize)]
    struct Case {
        what: String,
        text: String,
        fields: Option<BTreeMap<String, String>>,
        body: Option<String>,
        error: Option<String>,
    }
    let cases: Vec<Case> = serde_json::from_str(include_str!("../../fixtures/front-matter.json")).unwrap();
    assert!(cases.len() > 20);
    for Case { what, text, fields, body, error } in cases {
        match FrontMatter::read(&text) {
            Ok(read) => {
                assert_eq!(Some(read.fields.into_iter().collect()), fields, "{what}");
                assert_eq!(Some(read.body), body, "{what}");
            }
            Err(why) => assert_eq!(Some(why), error, "{what}"),
        }
    }
}

#[test]
fn a_folder_is_the_same_bundle_and_its_links_are_refused() {
    let place = Folder::new();
    for (path, content) in files() {
        let path = place.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    fs::create_dir(place.path().join(".git")).unwrap();
    assert_eq!(glove_wasm_native::open_skill(place.path()).unwrap(), bundle());
    std::os::unix::fs::symlink("/etc/hostname", place.path().join("templates/link.md")).unwrap();
    let error = glove_wasm_native::open_skill(place.path()).unwrap_err();
    assert_eq!(error.code(), "TASK_SKILL_INVALID");
    assert!(error.message.contains("templates/link.md"), "{error}");
    let error = glove_wasm_native::open_skill(Path::new("/nowhere")).unwrap_err();
    assert_eq!(error.code(), "TASK_SKILL_INVALID");
}

#[test]
fn a_bundle_with_another_hash_is_refused_with_both() {
    let hash = bundle().sha256;
    assert!(bundle().pinned(&hash.to_uppercase()).is_ok());
    let error = bundle().pinned("abc").unwrap_err();
    assert_eq!(error.code(), "TASK_SKILL_CHANGED");
    assert!(error.message.contains(&hash) && error.message.contains("abc"), "{error}");
}

#[test]
fn what_is_no_bundle_is_refused_with_a_reason() {
    let tool = |change: fn(&mut serde_json::Value)| {
        let mut manifest: serde_json::Value = serde_json::from_str(MANIFEST).unwrap();
        change(&mut manifest["tools"][0]);
        with("skill.json", &manifest.to_string())
    };
    let long = "x".repeat(200_001);
    let table = [
        (files()[1..].to_vec(), "`skill.json` is not among its files"),
        (with("skill.json", "{"), "`skill.json` cannot be read"),
        (with("skill.json", r#"{"name":"a"}"#), "description"),
        (
            with("skill.json", r#"{"name":"a","description":"b","instructions":"x.md"}"#),
            "`x.md` is not among its files",
        ),
        (with("skill.json", r#"{"name":"a","description":"b","mounts":["none"]}"#), "no files below `none`"),
        (with("instructions.md", &long), "200001 letters"),
        (tool(|tool| tool["code"] = json!("gone.js")), "the tool count_words names it"),
        (tool(|tool| tool["mounts"] = json!({ "progress": "write" })), "may write below progress/artifacts"),
        (tool(|tool| tool["mounts"] = json!({ "task": "all" })), "must say \"read\" or \"write\""),
        ((0..1_001).map(|at| (format!("templates/{at}"), Vec::new())).chain(files()).collect(), "1005 files"),
    ];
    for (files, words) in table {
        let error = SkillBundle::of_files(files).unwrap_err();
        assert_eq!(error.code(), "TASK_SKILL_INVALID", "{words}");
        assert!(error.message.contains(words), "{error}");
    }
    let bytes = vec![("templates/a.png".to_owned(), vec![0xff, 0xd8])];
    let error = SkillBundle::of_files(bytes.into_iter().chain(files())).unwrap_err();
    assert!(error.message.contains("is not UTF-8"), "{error}");
}

#[test]
fn names_are_those_of_the_skills_of_chats() {
    #[derive(Deserialize)]
    struct Names {
        good: Vec<String>,
        bad: Vec<String>,
    }
    let table: Names = serde_json::from_str(include_str!("../../fixtures/skill-names.json")).unwrap();
    let named = |name: &String| {
        let manifest = json!({ "name": name, "description": "b" });
        SkillBundle::of_files(with("skill.json", &manifest.to_string()))
    };
    for name in &table.good {
        assert_eq!(named(name).unwrap().name, *name);
    }
    for name in &table.bad {
        let error = named(name).unwrap_err();
        assert_eq!(error.code(), "TASK_SKILL_INVALID", "{name:?}");
    }
}

#[test]
fn no_path_of_a_bundle_leads_out_of_it() {
    for (path, clean) in CASES {
        let mut own = files();
        own.push(((*path).to_owned(), b"x".to_vec()));
        match (SkillBundle::of_files(own), clean) {
            (Ok(bundle), _) => {
                assert!(bundle.files.iter().all(|(shown, _)| shown.is_below("skills/brief")), "{path:?}");
            }
            (Err(error), None) => assert_eq!(error.code(), "TASK_PATH_INVALID", "{path:?}"),
            (Err(error), Some(_)) => panic!("{path:?}: {error}"),
        }
        let manifest = json!({ "name": "a", "description": "b", "mounts": [path] });
        let error = SkillBundle::of_files(with("skill.json", &manifest.to_string())).unwrap_err();
        let code = if clean.is_some() { "TASK_SKILL_INVALID" } else { "TASK_PATH_INVALID" };
        assert_eq!(error.code(), code, "{path:?}");
    }
}

#[test]
fn a_task_reads_its_skill_in_every_prompt_and_says_so_in_its_record() {
    let model = ScriptedModel::by(|_, seen| {
        let (request, rounds) = asked(seen);
        match rounds {
            0 if request.contains("Phase: gather") => {
                Line::call("file_read", "g1", json!({ "path": "skills/brief/templates/page.md" }))
            }
            1 if request.contains("Phase: gather") => {
                Line::call("file_glob", "g2", json!({ "pattern": "skills/**" }))
            }
            0 if request.contains("(s1)") => {
                Line::call("count_words", "c1", json!({ "path": "skills/brief/templates/page.md" }))
            }
            1 if request.contains("(s1)") => Line::call(
                "fs_write",
                "c2",
                json!({ "path": "skills/brief/templates/page.md", "content": "x" }),
            ),
            _ => worker(seen),
        }
    });
    let plain = block_on(agent(&working_model()).do_task(workspace(), spec(), ResultView::Minimal)).unwrap();
    let agent = builder(&model).skill(bundle()).skill_runner(Sandbox::new()).build().unwrap();
    let files = workspace();
    let result = block_on(agent.do_task(files.clone(), spec(), ResultView::Full)).unwrap();
    assert_eq!(result.finish_reason, Some(FinishReason::Completed));
    for seen in model.seen() {
        let prompt = &seen.system_prompt;
        let (rules, skill) =
            (prompt.find("You work on a task").unwrap(), prompt.find("## Skill: brief").unwrap());
        assert!(
            rules < skill
                && prompt.contains("Keep to one page.")
                && prompt.contains("skills/brief/templates/page.md")
        );
        assert!(!prompt.contains("tools/count.js"), "code is not for the model");
    }
    assert!(
        model.seen().windows(2).all(|pair| pair[0].system_prompt == pair[1].system_prompt),
        "the beginning of prompts stays"
    );
    let record = files.text("progress/steps/gather-1/session.ndjson").unwrap();
    assert!(
        record.contains("# Title of four words")
            && record.contains("skills/brief/templates/page.md (21 bytes)"),
        "{record}"
    );
    // A skill's tool is for its phases, reads the skill's files and writes artifacts; nobody writes into the skill.
    assert_eq!(files.text("progress/artifacts/count.txt").unwrap(), "5");
    let statuses: Vec<(String, String)> = result
        .steps
        .iter()
        .flat_map(|step| &step.tool_calls)
        .map(|call| (call.tool.clone(), call.status.clone()))
        .collect();
    assert!(statuses.contains(&("count_words".to_owned(), "success".to_owned())), "{statuses:?}");
    assert!(statuses.contains(&("fs_write".to_owned(), "error".to_owned())), "{statuses:?}");
    assert!(
        result
            .steps
            .iter()
            .all(|step| (step.name == "act") == step.tools_allowed.contains(&"count_words".to_owned()))
    );
    assert!(files.files().iter().all(|(path, _)| !path.starts_with("skills")));
    // What was used stands in the state, in the journal and in the signature.
    let state: serde_json::Value = serde_json::from_str(&files.text("progress/state.json").unwrap()).unwrap();
    let used = json!([{ "name": "brief", "sha256": bundle().sha256 }]);
    assert_eq!(state["skills"], used);
    let journal = Journal::read(&files.text("progress/events.ndjson").unwrap());
    assert!(journal.events[0].data.as_str().contains(&bundle().sha256));
    assert_ne!(result.loop_signature, plain.loop_signature);
}

#[test]
fn a_task_goes_on_with_the_skill_that_it_began_with_and_no_other() {
    let files = workspace();
    let model = working_model();
    let first = builder(&model).skill(bundle()).skill_runner(Sandbox::new()).build().unwrap();
    block_on(async {
        let task = first.start_task(files.clone(), spec()).await.unwrap();
        task.step_once().await.unwrap();
    });
    let before = files.files();
    let changed = SkillBundle::of_files(with("instructions.md", "Keep to two pages.")).unwrap();
    let second = builder(&model).skill(changed.clone()).skill_runner(Sandbox::new()).build().unwrap();
    for (agent, words) in [(second, changed.sha256.as_str()), (agent(&model), "register it")] {
        let error = block_on(agent.resume(files.clone())).unwrap_err();
        assert_eq!(error.code(), "TASK_SKILL_CHANGED");
        assert!(error.message.contains(&bundle().sha256) && error.message.contains(words), "{error}");
        assert_eq!(files.files(), before, "nothing was written");
    }
    // A skill that came later is none of this task.
    let manifest = json!({ "name": "late", "description": "Late." });
    let late = SkillBundle::of_files(with("skill.json", &manifest.to_string())).unwrap();
    let third = builder(&model).skill(late).skill(bundle()).skill_runner(Sandbox::new()).build().unwrap();
    let result = block_on(async {
        third.resume(files.clone()).await.unwrap().run(RunOptions::default()).await.unwrap()
    });
    assert_eq!(result.finish_reason, Some(FinishReason::Completed));
    assert!(model.seen().iter().all(|seen| !seen.system_prompt.contains("Skill: late")));
    let state: serde_json::Value = serde_json::from_str(&files.text("progress/state.json").unwrap()).unwrap();
    assert_eq!(state["skills"].as_array().unwrap().len(), 1);
}

#[test]
fn a_skill_whose_tools_nothing_runs_and_one_that_is_there_twice_are_refused() {
    let error = builder(&working_model()).skill(bundle()).build().unwrap_err();
    assert!(error.code() == "TASK_CONFIG_INVALID" && error.message.contains("count_words"), "{error}");
    let twice =
        builder(&working_model()).skill(bundle()).skill(bundle()).skill_runner(Sandbox::new()).build();
    assert!(twice.unwrap_err().message.contains("two skills named \"brief\""));
}

#[test]
fn a_function_of_a_step_reads_the_files_of_skills_and_writes_none() {
    let agent = builder(&working_model())
        .skill(bundle())
        .skill_runner(Sandbox::new())
        .phase("gather", async |context: StepContext| {
            let path = WorkspacePath::parse("skills/brief/templates/page.md")?;
            let refused = context.files.write(&path, Vec::new()).await.unwrap_err();
            let text = String::from_utf8(context.files.read(&path).await?.unwrap()).unwrap();
            Ok::<_, glove_wasm::ports::ToolFailure>(format!("{text} {}", refused.code()))
        })
        .build()
        .unwrap();
    let files = workspace();
    block_on(agent.do_task(files.clone(), spec(), ResultView::Minimal)).unwrap();
    let findings = files.text("progress/findings.md").unwrap();
    assert!(findings.contains("# Title of four words TASK_PATH_READ_ONLY"), "{findings}");
}
