// The form. While it is on the screen, the assistant sees what stands in it, can fill its fields, and can ask to send it.
import { defineTool, useReadable, useTool } from "glove-wasm/react";
import { change, claim, current, type Field, fields, names, part, useForm } from "./claim";

const fill = defineTool({
  name: "fill_fields",
  description: "Fills fields of the claim. Leave out what you do not know: the person fills it in.",
  inputSchema: part,
  title: (input) => `Filled ${Object.keys(input).length} fields`,
  do(input) {
    const { values, filled, sent } = current();
    if (sent) return { status: "error", data: null, message: "The claim has been sent." };
    const texts = Object.fromEntries(Object.entries(input).map(([name, value]) => [name, String(value)]));
    const before = { values, filled };
    change({ values: { ...values, ...texts }, filled: [...new Set([...filled, ...(Object.keys(texts) as Field[])])] });
    return { before, missing: names.filter((name) => !current().values[name]) };
  },
  undo: (_, { before }) => change(before as typeof before & { filled: Field[] }),
});

const send = defineTool({
  name: "send_claim",
  description: "Sends the claim, exactly with these values.",
  inputSchema: claim,
  title: "Send the claim",
  confirm: ({ euros, destination }) => `Claim €${euros} for ${destination}?`,
  requireApproval: true,
  async do(_, display) {
    const sent = await display.step("number", () => crypto.randomUUID().slice(0, 6).toUpperCase());
    change({ sent, filled: [] });
    return `Sent as number ${sent}`;
  },
});

export function ClaimForm() {
  const { values, filled, sent } = useForm();
  useReadable("claim", values);
  useTool(fill);
  useTool(send);
  return (
    <form aria-label="Travel claim" onSubmit={(event) => event.preventDefault()}>
      <h1>Travel claim</h1>
      {sent && <output className="sent">✓ Sent as number {sent}</output>}
      {names.map((name) => (
        <label key={name} data-filled={filled.includes(name)}>
          {fields[name]}
          <input
            name={name}
            type={name === "from" || name === "to" ? "date" : "text"}
            inputMode={name === "euros" ? "decimal" : undefined}
            value={values[name] ?? ""}
            readOnly={sent !== undefined}
            onChange={({ target }) =>
              change({ values: { ...values, [name]: target.value }, filled: filled.filter((other) => other !== name) })
            }
          />
        </label>
      ))}
    </form>
  );
}
