// The content of a file of the workspace, as it is now.
import { useEffect, useState } from "react";
import { decodeUtf8 } from "../../src/values/utf8.js";
import { useBoard } from "./parts.js";

/** What is known of a file: nothing yet, its content, that there is none, or why it cannot be read. */
export type FileContent =
  | { readonly status: "loading" }
  | { readonly status: "missing" }
  | { readonly status: "failed"; readonly error: unknown }
  | { readonly status: "ready"; readonly bytes: Uint8Array };

const loading: FileContent = { status: "loading" };

/** Read again with each change in the workspace; the same content is the same object. */
export function useFile(path: string | undefined): FileContent {
  const { workspace, changes } = useBoard().task;
  const [read, setRead] = useState<{ readonly path: string; readonly content: FileContent }>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change is a reason to read again.
  useEffect(() => {
    if (path === undefined || !workspace) return;
    let gone = false;
    const set = (content: FileContent) => {
      if (!gone) setRead((before) => (before?.path === path && same(before.content, content) ? before : { path, content }));
    };
    workspace.read(path).then(
      (bytes) => set(bytes ? { status: "ready", bytes } : { status: "missing" }),
      (error: unknown) => set({ status: "failed", error }),
    );
    return () => {
      gone = true;
    };
  }, [workspace, path, changes]);
  return read && read.path === path ? read.content : loading;
}

/** A file as text, where it is there. */
export function useText(path: string | undefined): string | undefined {
  const content = useFile(path);
  return path !== undefined && content.status === "ready" ? decodeUtf8(content.bytes) : undefined;
}

function same(a: FileContent, b: FileContent): boolean {
  if (a.status !== b.status) return false;
  if (a.status !== "ready" || b.status !== "ready") return a.status !== "failed";
  return a.bytes.length === b.bytes.length && a.bytes.every((byte, at) => byte === b.bytes[at]);
}
