// What the provider says of a client that is made while rendering.
import { render } from "@testing-library/react";
import { GloveProvider } from "glove-wasm/react";
import { StrictMode } from "react";
import { expect, test, vi } from "vitest";
import { clientOf } from "./page.js";

const warnings = vi.spyOn(console, "warn").mockImplementation(() => {});
const app = (client = clientOf([]).client) => (
  <StrictMode>
    <GloveProvider client={client}>.</GloveProvider>
  </StrictMode>
);

test("a client that is changed now and then is no mistake", () => {
  const { client } = clientOf([]);
  const page = render(app(client));
  for (const next of [client, clientOf([]).client, client, client, clientOf([]).client]) {
    page.rerender(app(next));
    page.rerender(app(next));
  }
  expect(warnings).not.toHaveBeenCalled();
});

test("a client whose module is edited while it runs is no mistake", () => {
  const clock = vi.spyOn(Date, "now");
  const page = render(app());
  for (let n = 1; n < 5; n++) {
    clock.mockReturnValue(n * 1000);
    page.rerender(app());
  }
  clock.mockRestore();
  expect(warnings).not.toHaveBeenCalled();
});

test("a client that is made at each render is told once", () => {
  const page = render(app());
  for (let n = 0; n < 5; n++) page.rerender(app());
  expect(warnings.mock.calls).toEqual([[expect.stringContaining("GloveProvider received a new client")]]);
});
