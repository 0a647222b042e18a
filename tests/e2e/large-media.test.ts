// A large image is read, sent and stored without a long standstill of the page. Compared with what one loop over its bytes costs
// in the same page: machines differ, and are busy.
import { expect, test } from "vitest";
import { inPage } from "../support/pages.js";
import { profiles } from "../support/profiles.js";

const { profile } = profiles();

const sent = `
  const events = ['{"type":"text_delta","text":"Big."}', '{"type":"done","message":{"sender":"agent","text":"Big."},"tokens_in":1,"tokens_out":1}'];
  const response = () => new Response(events.map((event) => "data: " + event + "\\n\\n").join(""), { headers: { "content-type": "text/event-stream" } });
  const bodies = [];
  const fetch = async (_, { body }) => (bodies.push(body), response());
  const session = new GloveClient({ createModel: () => createEndpointModel("/chat", { fetch }), systemPrompt: "" }).session("s");
  await session.start();
  const bytes = new Uint8Array(20_000_000).map((_, at) => at * 31);
  const pause = () => new Promise((later) => setTimeout(later, 300));
  await pause();
  const began = performance.now();
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  const text = btoa(binary);
  const loop = performance.now() - began;
  const tasks = [];
  new PerformanceObserver((list) => tasks.push(...list.getEntries())).observe({ type: "longtask" });
  await pause();
  tasks.length = 0;
  const outcome = await session.sendMessage({ text: "What is it?", files: [new File([bytes], "big.png", { type: "image/png" })] });
  await pause();
  const kept = await rows("media");
  return {
    type: outcome.type,
    whole: bodies.length === 1 && JSON.parse(bodies[0]).messages[0].content[0].source.data === text,
    kept: kept.length === 1 && kept[0].every((byte, at) => byte === bytes[at]),
    ratio: Math.max(0, ...tasks.map(({ duration }) => duration)) / loop,
  };
`;

test("an image of 20 MB reaches the model and the database whole, and no task is as long as a loop over it", async () => {
  const ratios: number[] = [];
  // One good run is enough; a busy machine has three.
  while (ratios.length < 3 && !ratios.some((ratio) => ratio < 0.9)) {
    await profile(async ({ open }) => {
      const { ratio, ...rest } = await inPage<{ ratio: number; type: string; whole: boolean; kept: boolean }>(await open(), sent);
      expect(rest).toEqual({ type: "completed", whole: true, kept: true });
      ratios.push(ratio);
    });
  }
  expect(Math.min(...ratios), ratios.join(" ")).toBeLessThan(0.9);
});
