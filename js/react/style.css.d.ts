// TypeScript asks for the types of everything that is imported; a style sheet has none.
export {};
