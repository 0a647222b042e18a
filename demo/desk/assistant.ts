// The operations desk's script: what a model would do with what the person says and with what the tools gave.
import { type Answer, type Assistant, type Call, type Said, taskList } from "../network/script.js";
import { list, named, numberIn, says } from "../network/words.js";
import { getBoard, type Service } from "./board.js";

export const assistant: Assistant = (said) => {
  const { text, failed, results } = said;
  const services = named(getBoard().services, text);
  if (says(text, /investigat|incident|what'?s wrong|why|slow|fix\b/)) return investigate(said);
  if (failed) return { text: sorry(said) };
  if (results.length > 0) return { text: results.map(told).join(" ") };
  if (says(text, /\bundo\b|\btake (it|that) back\b/)) return { calls: [["undo_last_action", {}]] };
  if (says(text, /\b(refund|pay .*back|money back|reimburse)\b/)) return refund(text);
  if (says(text, /\b(key|secret|token|password|pager|paging)\b/)) return { calls: [["connect_key", {}]] };
  if (says(text, /\brestart|reboot|bounce\b/)) {
    if (services.length === 0) return { text: which("restart") };
    return { calls: services.map(({ id }): Call => ["restart_service", { service: id }]) };
  }
  if (says(text, /\b(scale|replicas?|instances?)\b/)) {
    const [service] = services;
    const replicas = numberIn(text);
    if (!service || !replicas) return { text: "Which service, and to how many replicas? “Scale search to 6”, say." };
    return { calls: [["scale_service", { service: service.id, replicas }]] };
  }
  if (says(text, /\blogs?\b/)) return { calls: services.map(({ id }): Call => ["read_logs", { service: id }]) };
  if (services.length > 0 || says(text, /\b(status|board|services|how|health|list|show)\b/))
    return { calls: [["list_services", {}]] };
  return { text: help };
};

const which = (what: string) => `Which service shall I ${what}: ${list(getBoard().services.map(({ name }) => name))}?`;

function refund(text: string): Answer {
  const order = /(?:order|#)\s*#?(\d{3,})/i.exec(text)?.[1];
  const euros = Number(/(?:€|eur(?:os?)?\s*)(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?)\s*(?:€|eur)/i.exec(text)?.slice(1).find(Boolean));
  if (!order || !euros) return { text: "Which order, and how much? “Refund €80 for order 1042”, say." };
  return { calls: [["refund", { order, euros }]] };
}

function sorry({ failed }: Said): string {
  const why = failed?.result.message ?? "";
  if (says(why, /permission denied/)) return "OK, it stays up. Ask again when you want it restarted.";
  if (failed?.tool_name === "connect_key") return "OK, no key was connected.";
  const reason = /The user rejected this: (.*)/.exec(why)?.[1];
  if (says(why, /rejected/)) return `I left it as it was${reason ? `, because you said: “${reason}”` : ""}.`;
  return `That did not work: ${why || "something went wrong"}`;
}

// biome-ignore lint/suspicious/noExplicitAny: what a tool gave, as a model reads it.
const sentences: Readonly<Record<string, (data: any) => string>> = {
  list_services: board,
  read_logs: (lines) => `The log says: ${lines.at(-1)}.`,
  restart_service: ({ name, latency }) => `${name} is up again and answers in ${latency} ms.`,
  scale_service: ({ name, replicas }) => `${name} now runs ${replicas} replicas. Say “undo that” to go back.`,
  refund: ({ order, euros }) => `Refunded €${euros} for order ${order}.`,
  connect_key: () =>
    "The paging service is connected. I never saw the key, and no request contains it: check under Requests in the Inspector.",
  undo_last_action: () => "The last action is undone.",
};

const told = ({ tool_name, result }: Said["results"][number]) => sentences[tool_name]?.(result.data) ?? "Done.";

function board(services: readonly Service[]): string {
  const ill = services.filter(({ state }) => state !== "healthy");
  if (ill.length === 0) return "Everything is healthy.";
  const names = list(ill.map(({ name, latency }) => `${name} (${latency.toLocaleString("en")} ms)`));
  return `${names} ${ill.length === 1 ? "is" : "are"} having trouble. The rest is healthy. Shall I investigate?`;
}

// ---- an incident, in several steps ---------------------------------------------------------------------------------

const tasks = taskList([
  { content: "Check all services", activeForm: "Checking all services" },
  { content: "Read the logs of slow services", activeForm: "Reading the logs" },
  { content: "Restart what is stuck", activeForm: "Restarting" },
]);

function investigate(said: Said): Answer {
  const services = said.data("list_services") as Service[] | undefined;
  const ill = services?.filter(({ state }) => state !== "healthy") ?? [];
  if (!services) return { text: "Checking all services first.", calls: [tasks(0), ["list_services", {}]] };
  if (ill.length === 0) return { text: "Nothing is wrong at the moment. To see it again, press “Reset incident” on the board." };
  const read: Call[] = [...ill.map(({ id }): Call => ["read_logs", { service: id }]), ["read_logs", { service: "payments" }]];
  if (!said.data("read_logs")) return { calls: [tasks(1), ...read] };
  if (said.failed) return { text: sorry(said) };
  if (!said.data("restart_service")) {
    return {
      thought:
        "Both logs are here. Checkout says “pool exhausted” and waits for connections; payments, which it calls, is quiet. So the cause is in checkout itself. A restart empties the pool. It loses some requests, so a person has to allow it.",
      text: "Checkout has run out of connections, and payments is fine. A restart would free them.",
      calls: [tasks(2), ...ill.map(({ id }): Call => ["restart_service", { service: id }])],
    };
  }
  const written = said.results.filter(({ tool_name }) => tool_name === "glove_update_tasks");
  if (written.length < 4) return { calls: [tasks(3)] };
  return { text: `${list(ill.map(({ name }) => name))} is healthy again. It had run out of database connections.` };
}

const help = "I watch four services, restart and scale them, refund orders, and connect keys. Try “what’s wrong?”.";
