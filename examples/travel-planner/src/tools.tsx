// The tool asks what the traveller likes, with a form in the conversation, and computes the route from the answer.
import { Button, Choice, defineTool } from "glove-wasm/react";
import { z } from "zod";
import { inOrder, kinds, places } from "./iceland";

export const planRoute = defineTool({
  name: "plan_route",
  description: "Asks the traveller what they want to see, and plans a route through Iceland.",
  inputSchema: z.object({ days: z.number().int().min(1).max(21) }),
  title: ({ days }) => `A route for ${days} days`,
  displayPropsSchema: z.object({ days: z.number() }),
  resolveSchema: z.object({ kinds: z.array(z.enum(kinds)).min(1, "Choose at least one.") }),
  displayStrategy: "hide-on-complete",
  async do({ days }, display) {
    const liked = await display.pushAndWait({ days });
    const chosen = places.filter(({ name, kind }) => name === "Reykjavík" || (kind !== "town" && liked.kinds.includes(kind)));
    const stops = inOrder(chosen.slice(0, days + 1)).map(({ name }) => name);
    return { status: "success", data: { stops }, renderData: { stops } };
  },
  render: ({ props, resolve, reject }) => (
    <form
      data-glove-question=""
      onSubmit={(event) => {
        event.preventDefault();
        resolve({ kinds: new FormData(event.currentTarget).getAll("kind") as (typeof kinds)[number][] });
      }}
    >
      <p>{props.days} days from Reykjavík. What do you want to see?</p>
      {kinds.map((kind) => (
        <Choice key={kind} type="checkbox" name="kind" value={kind}>
          {kind}
        </Choice>
      ))}
      <div data-glove-actions="">
        <Button onClick={() => reject("Not now.")}>Not now</Button>
        <Button weight="go" type="submit">
          Draw the route
        </Button>
      </div>
    </form>
  ),
});
