// Stands in for a model: it mends the sample. What it does next depends on what the last tool gave.
const piece = { path: "sum.mjs", find: "total - number", replace: "total + number" };

export function mend({ messages }) {
  const { tool_results: [made] = [] } = messages.at(-1);
  if (!made) return call("list_files", { folder: "." }, "I look at the project. ");
  const { status, data } = made.result;
  if (status !== "success") return "You did not want that, so I stop here.";
  if (made.tool_name === "list_files") return call("run", { command: "node --test" }, "There is a test. I run it. ");
  if (made.tool_name === "read_file") return call("edit_file", piece, "It subtracts. ");
  if (made.tool_name === "edit_file") return call("run", { command: "node --test" });
  return data.ended === 0 ? "All tests pass." : call("read_file", { path: "sum.mjs" }, "A test fails. ");
}

const call = (name, input, text = "") => ({ text, toolCalls: [{ name, input }] });
