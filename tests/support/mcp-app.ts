// An app of an MCP server for tests, made with the official class: what it hears stands on its page, and its buttons ask for things.
import { App } from "@modelcontextprotocol/ext-apps";

const app = new App({ name: "map-app", version: "1.0.0" }, { availableDisplayModes: ["inline", "fullscreen"] });

const write = (id: string, value: unknown) => {
  const line =
    document.querySelector(`#${id}`) ?? Object.assign(document.body.appendChild(document.createElement("pre")), { id });
  line.textContent = typeof value === "string" ? value : JSON.stringify(value);
};

const context = () => {
  const { theme, displayMode, locale, containerDimensions, styles } = app.getHostContext() ?? {};
  const background = styles?.variables?.["--color-background-primary"] ?? "";
  write("context", { theme, displayMode, locale, wide: containerDimensions, background });
  document.body.style.cssText = `margin:0;padding:8px;font:14px sans-serif;background:${background};color:${styles?.variables?.["--color-text-primary"]}`;
};

const partial: unknown[] = [];
app.addEventListener("toolinputpartial", ({ arguments: input }) => {
  partial.push(input);
  write("partial", partial);
});
app.addEventListener("toolinput", ({ arguments: input }) => write("input", input));
app.addEventListener("toolresult", (result) => write("result", result));
app.addEventListener("toolcancelled", (given) => write("cancelled", given));
app.addEventListener("hostcontextchanged", context);
app.onteardown = async () => ({});

const asked = (id: string, work: () => Promise<unknown>) => {
  const button = document.body.appendChild(document.createElement("button"));
  button.textContent = id;
  button.addEventListener("click", () => {
    write(`${id}-answer`, "…");
    work().then(
      (answer) => write(`${id}-answer`, answer),
      (error: Error) => write(`${id}-answer`, `refused: ${error.message}`),
    );
  });
};

asked("zoom", () => app.callServerTool({ name: "zoom", arguments: { by: 2 } }));
asked("hidden", () => app.callServerTool({ name: "secret", arguments: {} }));
asked("message", () => app.sendMessage({ role: "user", content: [{ type: "text", text: "What is north of Rome?" }] }));
asked("link", () => app.openLink({ url: "https://example.com/rome" }));
asked("badlink", () => app.openLink({ url: "javascript:alert(1)" }));
asked("tell", () => app.updateModelContext({ content: [{ type: "text", text: "The map shows Rome." }] }));
asked("full", () => app.requestDisplayMode({ mode: "fullscreen" }));
asked("read", () => app.readServerResource({ uri: "ui://map/data.json" }));

await app.connect();
context();
