/// <reference types="vite/client" />

interface ImportMetaEnv {
  /** The model behind /api/chat; null where nobody serves it. */
  readonly DEMO_ENDPOINT: { readonly provider: string; readonly model: string } | null;
}
