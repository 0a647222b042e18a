// A tool with a form, and what is left of it in the conversation.
import { defineTool } from "glove-wasm/react";
import { z } from "zod";

const ticket = z.object({ summary: z.string().min(1), urgent: z.boolean() });

export const fileTicket = defineTool({
  name: "file_ticket",
  description: "Shows a ticket that the person can change, and files it.",
  inputSchema: z.object({ summary: z.string() }),
  displayPropsSchema: z.object({ summary: z.string() }),
  resolveSchema: ticket,
  displayStrategy: "hide-on-complete",
  async do({ summary }, display) {
    const filed = await display.pushAndWait({ summary });
    return { status: "success", data: filed, renderData: filed };
  },
  render: ({ props, resolve, reject }) => (
    <form
      data-glove-question=""
      onSubmit={(event) => {
        event.preventDefault();
        const fields = new FormData(event.currentTarget);
        resolve({ summary: String(fields.get("summary")), urgent: fields.has("urgent") });
      }}
    >
      <label>
        Summary <input name="summary" defaultValue={props.summary} required />
      </label>
      <label>
        <input name="urgent" type="checkbox" /> It is urgent
      </label>
      <div data-glove-actions="">
        <button type="submit">File the ticket</button>
        <button type="button" onClick={() => reject("The person wants no ticket.")}>
          No ticket
        </button>
      </div>
    </form>
  ),
  renderResult: ({ data }) => {
    const { summary, urgent } = data as z.infer<typeof ticket>;
    return (
      <p className="ticket">
        Ticket: {summary}
        {urgent && <b> (urgent)</b>}
      </p>
    );
  },
});
