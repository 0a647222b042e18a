// A store of the application that is made from one of the package.
import { GloveClient, MemoryStore, type StoredRun, type StoredStep } from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test } from "vitest";

const sessionWith = (store: MemoryStore) =>
  new GloveClient({
    createModel: () => createScriptedModel(["Hello."]),
    createStore: () => store,
    systemPrompt: "",
  }).session("s");

test("what a subclass does with a step, and with a run, is done also where the store takes text", async () => {
  const seen: string[] = [];
  class Logged extends MemoryStore {
    override async appendStep(step: StoredStep): Promise<void> {
      seen.push(`step ${step.seq}`);
      return super.appendStep(step);
    }
    override async readRun(): Promise<StoredRun> {
      seen.push("run");
      return super.readRun();
    }
  }
  const session = sessionWith(new Logged("s"));
  await session.sendMessage("Hi");
  session.dispose();
  expect(seen[0]).toBe("run");
  expect(seen.length).toBeGreaterThan(1);
  expect(seen.slice(1).every((line) => line.startsWith("step "))).toBe(true);
});

test("a method that is put on a store itself comes before those of its class", async () => {
  const store = new MemoryStore("s");
  const append = store.appendStep.bind(store);
  const seqs: number[] = [];
  store.appendStep = async (step) => {
    seqs.push(step.seq);
    return append(step);
  };
  const session = sessionWith(store);
  await session.sendMessage("Hi");
  session.dispose();
  expect(seqs.length).toBeGreaterThan(0);
  expect((await store.getMessages()).map(({ text }) => text)).toEqual(["Hi", "Hello."]);
});
