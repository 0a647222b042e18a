import { createEndpointModel, defineTool, GloveClient, IndexedDBStore } from "glove-wasm";
import { GloveProvider, Render, useGlove } from "glove-wasm/react";

export { createEndpointModel, defineTool, GloveClient, GloveProvider, IndexedDBStore, Render, useGlove };
