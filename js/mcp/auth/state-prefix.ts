// What the sign-ins that were begun here are known by, when their people come back.

/** Begins each `state` of ours. */
export const statePrefix = "glove-mcp.";
