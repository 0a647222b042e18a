// Messages that no tab of this version sends, for the tab that runs a session and for those that follow it.

export interface Malformed {
  readonly name: string;
  readonly message: unknown;
  /** The code of the refusal, where the message asks for something in a way that can be answered. */
  readonly refused?: string;
}

/** Also run in a page, as its source: it uses nothing from outside of it. */
export function malformedMessages(leader: string): Malformed[] {
  const ask = { v: 4, kind: "ask", leader, method: "messages", args: [0], again: false };
  const protocol = "TAB_PROTOCOL";
  const version = "TAB_VERSION";
  const huge = "x".repeat(5_000_000);
  let count = 0;
  const id = () => `malformed ${count++}`;
  const silent: [string, unknown][] = [
    ["nothing", null],
    ["undefined", undefined],
    ["a text", "ask"],
    ["a number", 7],
    ["a big number", 10n],
    ["a list", [1, 2]],
    ["bytes", new Uint8Array(8)],
    ["a map", new Map([["kind", "ask"]])],
    ["an empty object", {}],
    ["a kind alone that asks", { v: 4, kind: "ask" }],
    ["no kind", { v: 4, leader, id: "x" }],
    ["an unknown kind", { v: 4, kind: "shutdown", leader }],
    ["a kind that objects inherit", { v: 4, kind: "constructor", leader }],
    ["another inherited kind", { v: 4, kind: "__proto__", leader, id: "x" }],
    ["a kind that is an object", { v: 4, kind: { toString: 1 }, leader }],
    ["a huge kind", { v: 4, kind: huge, leader }],
    ["a hello of nobody", { v: 4, kind: "hello" }],
    ["a hello of a newer version, of nobody", { v: 5, kind: "hello" }],
    ["a leader without a name", { v: 4, kind: "leads" }],
    ["a leader whose name is a number", { v: 4, kind: "leads", leader: 1 }],
    ["a newer leader without a name", { v: 5, kind: "leads" }],
    ["a ping to nobody", { v: 4, kind: "ping" }],
    ["a ping to another session", { v: 4, kind: "ping", leader: "of another session" }],
    ["a pong of another session", { v: 4, kind: "pong", leader: "of another session" }],
    ["all of nothing", { v: 4, kind: "all", leader }],
    [
      "all with events that are none",
      { v: 4, kind: "all", leader, events: "x", written: { text: "", reasoning: "" }, extras: {} },
    ],
    [
      "all with an unknown event",
      { v: 4, kind: "all", leader, events: [{ kind: "x" }], written: { text: "", reasoning: "" }, extras: {} },
    ],
    ["all without what is written", { v: 4, kind: "all", leader, events: [], extras: {} }],
    ["all without extras", { v: 4, kind: "all", leader, events: [], written: { text: "", reasoning: "" } }],
    ["events that are none", { v: 4, kind: "events", leader }],
    ["an event that is null", { v: 4, kind: "events", leader, events: [null] }],
    ["an event without data", { v: 4, kind: "events", leader, events: [{ kind: "event", type: "text_delta" }] }],
    ["a timeline without entries", { v: 4, kind: "events", leader, events: [{ kind: "timeline", len: 3 }] }],
    [
      "a timeline with an entry that is null",
      { v: 4, kind: "events", leader, events: [{ kind: "timeline", len: 1, set: [[0, [null]]] }] },
    ],
    ["a timeline of a negative length", { v: 4, kind: "events", leader, events: [{ kind: "timeline", len: -1, set: [] }] }],
    ["a timeline that is endless", { v: 4, kind: "events", leader, events: [{ kind: "timeline", len: 2 ** 40, set: [] }] }],
    ["slots that are none", { v: 4, kind: "events", leader, events: [{ kind: "slots", slots: {} }] }],
    ["a slot that is null", { v: 4, kind: "events", leader, events: [{ kind: "slots", slots: [null] }] }],
    ["a state of nothing", { v: 4, kind: "events", leader, events: [{ kind: "state" }] }],
    [
      "a state with a queue of nulls",
      { v: 4, kind: "events", leader, events: [{ kind: "state", phase: "idle", queue: [null] }] },
    ],
    ["arguments of nobody's call", { v: 4, kind: "events", leader, events: [{ kind: "input" }] }],
    ["extras that are none", { v: 4, kind: "extras", leader, extras: null }],
    [
      "extras that hold what is no message",
      { v: 4, kind: "extras", leader, extras: { held: [{ id: "a", text: "a", files: {} }] } },
    ],
    ["extras of wrong types", { v: 4, kind: "extras", leader, extras: { tasks: 7, inbox: {}, error: 3 } }],
    [
      "extras of another session",
      { v: 4, kind: "extras", leader: "of another session", extras: { error: { code: "NO", message: "no" } } },
    ],
    ["an answer to nothing", { v: 4, kind: "answered", leader }],
    ["an answer to what nobody asked", { v: 4, kind: "answered", leader, id: "never asked", value: 1 }],
    ["something taken that nobody asked", { v: 4, kind: "taken", leader, id: "never asked" }],
    ["a question of a huge id", { ...ask, id: huge }],
    ["a question whose id is a number", { ...ask, id: 7 }],
    ["a question to another session's leader", { ...ask, id: id(), leader: "of another session" }],
    ["events of an older version", { v: 2, kind: "events", leader, events: [{ kind: "slots", slots: [] }] }],
    ["events of a newer version", { v: 5, kind: "events", leader, events: [{ kind: "slots", slots: [] }] }],
  ];
  const refused: [string, object, string][] = [
    ["a question to nobody", { leader: undefined }, protocol],
    ["a question to a number", { leader: 7 }, protocol],
    ["a question without a method", { method: undefined }, protocol],
    ["a method that is a number", { method: 7 }, protocol],
    ["a method that is a list", { method: ["messages"] }, protocol],
    ["an unknown method", { method: "shutdown" }, protocol],
    ["a huge method", { method: huge }, protocol],
    ...["free", "close", "open", "configure", "keepPartial", "pushAndWait", "endStep", "validated", "checkpoint"].map(
      (method): [string, object, string] => [`the core's own \`${method}\``, { method, args: [] }, protocol],
    ),
    ...["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf", "__destroy_into_raw", "__wbg_ptr"].map(
      (method): [string, object, string] => [`the inherited \`${method}\``, { method, args: [] }, protocol],
    ),
    ["no arguments", { args: undefined }, protocol],
    ["arguments that are a text", { args: "0" }, protocol],
    ["too few arguments", { args: [] }, protocol],
    ["too many arguments", { args: [0, 1] }, protocol],
    ["a negative number", { args: [-1] }, protocol],
    ["a number that is too big", { args: [2 ** 33] }, protocol],
    ["a number that is none", { args: [Number.NaN] }, protocol],
    ["a message that is an object", { method: "request", args: [{ text: "hello" }] }, protocol],
    ["a message that is no JSON", { method: "request", args: ["hello"] }, "OUT_OF_PROTOCOL"],
    ["an answer that is an object", { method: "resolveSlot", args: ["s", {}] }, protocol],
    ["an answer without a value", { method: "resolveSlot", args: ["s"] }, protocol],
    ["a permission without an answer", { method: "answer", args: ["q"] }, protocol],
    ["half a step back", { method: "undo", args: [0.5] }, protocol],
    ["a stop of a number", { method: "abort", args: [7] }, protocol],
    ["a question without a version", { v: undefined }, version],
    ["a question of an older version", { v: 2 }, version],
    ["a question of a newer version", { v: 5 }, version],
    ["a question of a version that is a text", { v: "1" }, version],
  ];
  return [
    ...silent.map(([name, message]) => ({ name, message })),
    ...refused.map(([name, more, refused]) => ({ name, message: { ...ask, id: id(), ...more }, refused })),
  ];
}
