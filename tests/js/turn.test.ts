// A turn of a tool: as long as nothing but microtasks lie between, and never into the next task.
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Turn } from "../../js/src/timing/microtask-turn.js";
import { type Served, serve } from "../support/server.js";

let server: Served;

beforeAll(async () => {
  server = await serve("/", { pages: { "/": "here" } });
});
afterAll(() => server.close());

const awaits = async (count: number) => {
  for (let n = 0; n < count; n++) await undefined;
};

test("a tool that goes on at once is in its turn, through any usual number of awaits", async () => {
  const turn = new Turn();
  expect(turn.goesOn).toBe(false);
  turn.begin();
  expect(turn.goesOn).toBe(true);
  await awaits(100);
  expect(turn.goesOn).toBe(true);
});

const tasks: [string, () => Promise<unknown>][] = [
  ["a timer", () => new Promise((done) => setTimeout(done, 0))],
  ["an immediate", () => new Promise((done) => setImmediate(done))],
  ["a network answer", () => fetch(server.url)],
  ["a file", () => readFile(new URL(import.meta.url))],
  [
    "a message",
    () =>
      new Promise((done) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => {
          port1.close();
          done(undefined);
        };
        port2.postMessage(1);
      }),
  ],
  ["more awaits than anybody needs", () => awaits(600)],
];

test.each(tasks)("%s ends a turn", async (_, wait) => {
  const turn = new Turn();
  // What was begun before the turn may come to its end in the very next task.
  const before = wait();
  turn.begin();
  await before;
  await wait();
  expect(turn.goesOn).toBe(false);
});

test("the next thing that the tool is told begins a turn of its own", async () => {
  const turn = new Turn();
  turn.begin();
  await awaits(499);
  turn.begin();
  await awaits(100);
  expect(turn.goesOn).toBe(true);
  await awaits(500);
  expect(turn.goesOn).toBe(false);
});

test("a turn that is ended is over at once, and counts no further", async () => {
  const turn = new Turn();
  const { queueMicrotask } = globalThis;
  let counted = 0;
  globalThis.queueMicrotask = (work) => {
    counted++;
    queueMicrotask(work);
  };
  try {
    turn.begin();
    await awaits(5);
    turn.begin(0);
    expect(turn.goesOn).toBe(false);
    await awaits(600);
  } finally {
    globalThis.queueMicrotask = queueMicrotask;
  }
  expect(counted).toBeLessThan(10);
});
