// What is loaded when it is first shown.
import { render, screen } from "@testing-library/react";
import { createElement } from "react";
import { expect, test } from "vitest";
import { Loader } from "../../../js/react/look/loader.js";

test("what could not be loaded ahead is loaded again when it is drawn", async () => {
  let tries = 0;
  const loader = new Loader(async () => {
    if (++tries === 1) throw new Error("offline");
    return { Part: () => createElement("p", null, "here") };
  });
  await loader.load();
  const Part = loader.component("Part");
  render(createElement(Part));
  await screen.findByText("here");
  expect(tries).toBe(2);
});
