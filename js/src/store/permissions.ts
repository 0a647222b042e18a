// Under which keys answers to questions about tools are kept.

/** What is kept for a tool, whatever the arguments. */
export function isPermissionOf(toolName: string): (key: string) => boolean {
  const withInput = `${toolName}::`;
  return (key) => key === toolName || key.startsWith(withInput);
}

/** The key that a permission is kept under when it holds for certain arguments only. */
export function permissionKey(toolName: string, input?: unknown): string {
  try {
    return `${toolName}::${JSON.stringify(input ?? null) ?? "null"}`;
  } catch {
    return `${toolName}::null`;
  }
}
