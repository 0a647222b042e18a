// What each client is asked for, and what it has to tell.

export const situations = ["text", "tools", "image", "thinking"] as const;
export type Situation = (typeof situations)[number];

export interface Said {
  text: string;
  calls: { name: string; input: unknown }[];
  thought?: string;
}

/** Asks a server at this address, runs the tool when it is called, and gives what was said in the end. */
export type Ask = (url: string, situation: Situation, stream: boolean) => Promise<Said>;

export const question = "How is the weather?";
export const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
export const look = {
  name: "look",
  description: "Looks out of the window.",
  parameters: {
    type: "object" as const,
    properties: { a: { type: "integer" as const } },
    required: ["a"],
    additionalProperties: false,
  },
};
