// States of a task that a board shows, as text for a page of task-board-page.tsx. Each leaves `board` with the properties of a board.

/** What the agent of all of them answers, and what it works with. */
export const common = `
  const brief = "# Brief\\n\\nOne page on the open proposals, for people who decide.\\n\\n- Sources at the end\\n- No more than 400 words\\n";
  const files = { "task/brief.md": brief, "task/proposals.csv": "name,status\\nA,open\\nB,open\\nC,closed\\n", "task/links.txt": "https://example.org/a\\nhttps://example.org/b\\n" };
  const plan = JSON.stringify({
    objective: "A brief of one page that a board can decide on",
    steps: [
      { id: "s1", title: "Compare the two open proposals", instructions: "A table with scope, cost and who carries it." },
      { id: "s2", title: "Write the brief" },
      { id: "s3", title: "List the sources" },
    ],
    acceptance: [{ criterion: "No more than 400 words" }, { criterion: "Each claim has a source" }],
  });
  const table = "| Proposal | Scope | Cost |\\n|---|---|---|\\n| A | all models | low |\\n| B | large models | high |\\n";
  const text = "# Brief\\n\\n**Two proposals are open.** A covers all models at low cost, B only large ones.\\n\\n" + table + "\\nSources: A, B.\\n";
  const write = (id, path, content) => ({ text: "", toolCalls: [{ name: "fs_write", id, input: { path: "progress/artifacts/" + path, content } }] });
  const answers = [
    "Two proposals are open, one is closed. Both differ in their scope.", plan,
    write("c1", "comparison.md", table), "Compared.",
    write("c2", "brief.md", text), "The brief is written: **A** is cheaper, **B** is stricter.\\n\\n1. A covers all models\\n2. B covers large ones",
    write("c3", "sources.json", '{"sources":["https://example.org/a","https://example.org/b"]}'), "The sources are listed.",
    '{"pass": true, "reasons": ["The brief has 31 words", "Both claims have a source"]}',
  ];
  const goal = "Summarise the open proposals on AI governance in a one-page brief";
  const spec = { goal, id: "brief", budgets: { max_steps: 12, max_wall_clock_ms: 600_000 } };
  const skill = (name) => ({ files: { "skill.json": JSON.stringify({ name, description: "How we write." }), "instructions.md": "Keep it short." } });
  const skills = [skill("house-style"), skill("sources"), skill("a-skill-whose-name-is-longer-than-any-phone-is-wide-and-goes-on")];
  const at = (answers, approvals) => look.agent(answers, { approvals });
  const workspace = look.memory(files);
`;

const scenes = {
  missing: `const board = { task: workspace, agent: at(answers, "strict"), start: spec };`,
  planned: `const agent = at(answers, { require_plan: true }); await look.begin(agent, workspace, spec); const board = { task: workspace, agent };`,
  asked: `const agent = look.agent(answers, { approvals: { require_tools: ["fs_write"] }, skills }); await look.begin(agent, workspace, spec); const board = { task: workspace, agent };`,
  paused: `const agent = at(answers, "automatic"); await look.begin(agent, workspace, spec, 3);
    await workspace.write("progress/STOP", "enough for today"); const task = await agent.resume(workspace); await task.run(); task.close();
    const board = { task: workspace, agent };`,
  running: `const agent = at([...answers.slice(0, 4), () => new Promise(() => {})], "automatic");
    const task = await agent.startTask(workspace, spec); void task.run().catch(() => {});
    while ((await workspace.read("progress/state.json")) && !task.getSnapshot().state.current?.id.includes("s2")) await new Promise((go) => setTimeout(go, 20));
    const board = { task };`,
  failed: `const agent = at([...answers.slice(0, 2)], "automatic"); await look.begin(agent, workspace, spec); const board = { task: workspace, agent };`,
  refused: `const agent = at([...answers.slice(0, -1), '{"pass": false, "reasons": ["The second claim has no source"]}'], "automatic");
    await look.begin(agent, workspace, { ...spec, budgets: { refinements: 0 } }); const board = { task: workspace, agent };`,
  done: `const agent = at(answers, "automatic"); await look.begin(agent, workspace, spec); const board = { task: workspace, agent };`,
  long: `const agent = at(answers, "automatic"); await look.begin(agent, workspace, { ...spec, goal: (goal + ". ").repeat(20) + "Averyveryverylongwordthatnobodywouldwrite".repeat(6) });
    const board = { task: workspace };`,
} as const;

export type TaskScene = keyof typeof scenes;
export const taskScenes = Object.keys(scenes) as TaskScene[];

/** Shows a state: an expression that settles when it is on the screen. */
export const showing = (scene: TaskScene): string =>
  `(async () => { ${common} ${scenes[scene]} look.workspace = workspace; look.show(board); })()`;
