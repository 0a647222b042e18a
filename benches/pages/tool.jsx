// The same with one tool of the page.
import { Page as Ours } from "./ours.jsx";

const jsonSchema = { type: "object", properties: { place: { type: "string" } }, required: ["place"] };
const tools = [{ name: "look", description: "Looks at a place.", jsonSchema, do: ({ place }) => place }];

export function Page(given) {
  return <Ours {...given} kept={{ persistSession: true, tools }} />;
}
