// What servers are told of who asks. A test holds the version to that of the package.

export const clientInfo = { name: "glove-wasm", version: "0.1.0" } as const;
