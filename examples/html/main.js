// A chat without React: a session tells when it changed, and this draws what it shows.
import { defineTool, GloveClient, jsonSchema } from "glove-wasm";

const askGuess = defineTool({
  name: "ask_guess",
  description: "Asks the person for a number between 1 and 9.",
  inputSchema: jsonSchema({ type: "object", properties: { hint: { type: "string" } } }),
  displayPropsSchema: jsonSchema({ type: "object", properties: { hint: { type: "string" } } }),
  resolveSchema: jsonSchema({ type: "integer", minimum: 1, maximum: 9 }),
  do: ({ hint }, display) => display.pushAndWait({ hint }),
});

const client = new GloveClient({
  endpoint: "/api/chat",
  systemPrompt: "You play a guessing game: think of a number, and let the person guess with the tool.",
  tools: [askGuess],
  persistSession: true,
});
const session = client.session(await client.firstSessionId());

const log = document.querySelector("#log");
const form = document.querySelector("#say");

session.subscribe(draw);
session.start(); // Reads what is stored.

form.addEventListener("submit", (event) => {
  event.preventDefault();
  session.sendMessage(form.elements.text.value);
  form.reset();
});

function draw() {
  const { timeline, streamingText, slots, error } = session.getSnapshot();
  const lines = timeline.map((entry) =>
    entry.kind === "tool" ? line("tool", `Your guess: ${entry.output ?? "…"}`) : line(entry.kind, entry.text),
  );
  const questions = slots.filter(({ status }) => status === "pending").map(question);
  log.replaceChildren(...lines, ...(streamingText ? [line("agent_text", streamingText)] : []), ...questions);
  if (error) log.append(line("error", error.message));
}

function line(kind, text) {
  const made = document.createElement("p");
  made.className = kind;
  made.textContent = text;
  return made;
}

function question({ id, input }) {
  const made = line("question", `${input.hint} `);
  for (let number = 1; number <= 9; number++) {
    const button = document.createElement("button");
    button.textContent = String(number);
    button.addEventListener("click", () => session.resolveSlot(id, number));
    made.append(button);
  }
  return made;
}
