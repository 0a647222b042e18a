// Gives a file of the workspace to the person.
import type { TaskWorkspace } from "../workspaces/workspace.js";

export async function download(workspace: Pick<TaskWorkspace, "read">, path: string): Promise<void> {
  const bytes = await workspace.read(path);
  if (!bytes) return;
  const address = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>]));
  const link = document.createElement("a");
  link.href = address;
  link.download = path.split("/").at(-1) ?? "file";
  link.click();
  // The download has begun with the click; it reads the address a moment later.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
