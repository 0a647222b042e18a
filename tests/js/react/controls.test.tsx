// Buttons, fields and choices by name: what they say to a form and to a screen reader.
import { fireEvent, render, screen } from "@testing-library/react";
import { Button, Choice, Field, preloadRender } from "glove-wasm/react";
import { beforeAll, expect, test, vi } from "vitest";

beforeAll(() => preloadRender());

test("a button sends no form unless it says so, and keeps what it is given", () => {
  const sent = vi.fn((event: { preventDefault: () => void }) => event.preventDefault());
  render(
    <form onSubmit={sent}>
      <Button>Later</Button>
      <Button weight="go" type="submit" className="mine">
        Book
      </Button>
      <Button weight="danger" asChild>
        <a href="#gone">Delete</a>
      </Button>
    </form>,
  );
  fireEvent.click(screen.getByRole("button", { name: "Later" }));
  expect(sent).not.toHaveBeenCalled();
  const book = screen.getByRole("button", { name: "Book" });
  fireEvent.click(book);
  expect(sent).toHaveBeenCalledOnce();
  expect([book.dataset.gloveWeight, book.className]).toEqual(["go", "mine"]);
  expect(screen.getByRole("link", { name: "Delete" }).dataset.gloveWeight).toBe("danger");
});

test("a field has its label, its note and why it is refused, whichever element it is", () => {
  const view = (error?: string) => (
    <>
      <Field label="Name" name="name" note="As in your passport." error={error} />
      <Field label="Where" error={error}>
        <select name="where" defaultValue="in">
          <option>in</option>
        </select>
      </Field>
      <Field label="Own" id="own" />
    </>
  );
  const { rerender } = render(view());
  const name = () => screen.getByRole<HTMLInputElement>("textbox", { name: "Name" });
  const told = (element: HTMLElement) =>
    (element.getAttribute("aria-describedby") ?? "").split(" ").map((id) => document.getElementById(id)?.textContent);
  expect([name().name, name().getAttribute("aria-invalid"), told(name())]).toEqual(["name", null, ["As in your passport."]]);
  expect(screen.getByRole("textbox", { name: "Own" }).id).toBe("own");
  rerender(view("Too short."));
  expect([name().getAttribute("aria-invalid"), told(name())]).toEqual(["true", ["As in your passport.", "Too short."]]);
  const where = screen.getByRole<HTMLSelectElement>("combobox", { name: "Where" });
  expect([where.name, where.getAttribute("aria-invalid"), told(where)]).toEqual(["where", "true", ["Too short."]]);
});

test("a choice is one of several, or any of them", () => {
  render(
    <form>
      <Choice name="seat" value="aisle">
        Aisle
      </Choice>
      <Choice name="seat" value="window" defaultChecked>
        Window
      </Choice>
      <Choice type="checkbox" name="meal">
        With a meal
      </Choice>
    </form>,
  );
  fireEvent.click(screen.getByText("Aisle"));
  fireEvent.click(screen.getByText("With a meal"));
  const data = new FormData(document.querySelector("form") as HTMLFormElement);
  expect([...data]).toEqual([
    ["seat", "aisle"],
    ["meal", "on"],
  ]);
});

test("a field has its label where its element has an id of its own, and is an input where it has none", () => {
  const isInside = false as boolean;
  render(
    <>
      <Field label="Where">
        <select id="place" />
      </Field>
      <Field label="Name">{isInside && <textarea />}</Field>
      <Field label="Note">{null}</Field>
    </>,
  );
  expect(screen.getByRole("combobox", { name: "Where" }).id).toBe("place");
  expect(screen.getByRole("textbox", { name: "Name" }).localName).toBe("input");
  expect(screen.getByRole("textbox", { name: "Note" }).localName).toBe("input");
});
