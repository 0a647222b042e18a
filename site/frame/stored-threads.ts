// The conversations that the gallery's list shows: a catalog in memory, as an application with stores of its own gives one.
import type { SessionCatalog, SessionInfo } from "glove-wasm/react";

const day = 24 * 60 * 60 * 1000;

/** Of conversations by their titles, each as many days old as it says. */
export function storedThreads(threads: Readonly<Record<string, number>>): SessionCatalog {
  const now = Date.now();
  let lines: readonly SessionInfo[] = Object.entries(threads).map(([title, days], at) => {
    const updatedAt = now - days * day;
    return { id: `thread-${at}`, title, createdAt: updatedAt, updatedAt, messageCount: 2, unfinished: false };
  });
  const change = (id: string, changed: Partial<SessionInfo>) => {
    lines = lines.map((line) => (line.id === id ? { ...line, ...changed } : line));
  };
  const refuse = () => Promise.reject(new Error("The gallery keeps titles alone."));
  return {
    list: async () => lines,
    rename: async (id, title) => change(id, { title }),
    delete: async (id) => {
      lines = lines.filter((line) => line.id !== id);
    },
    archive: async (id, archived) => change(id, { archived }),
    export: refuse,
    import: refuse,
  };
}
