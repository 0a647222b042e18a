// What a test waits for without a limit of its own may take as long as a busy machine needs.
import { vi } from "vitest";

const { waitFor } = vi;
vi.waitFor = (look, limit) => waitFor(look, typeof limit === "number" ? limit : { timeout: 10_000, ...limit });
