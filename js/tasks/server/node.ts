// What a folder asks of Node, Bun or Deno. Asked for by name: bundlers of pages look for no module of Node.
import { GloveError } from "../../src/values/error.js";

export interface NodeStats {
  readonly mode: number;
  readonly size: number;
  readonly mtimeMs: number;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

export interface NodeEntry {
  readonly name: string;
  isFile(): boolean;
  isDirectory(): boolean;
}

export interface NodeFile {
  stat(): Promise<NodeStats>;
  readFile(): Promise<Uint8Array>;
  writeFile(content: string | Uint8Array): Promise<void>;
  truncate(size: number): Promise<void>;
  sync(): Promise<void>;
  datasync(): Promise<void>;
  close(): Promise<void>;
}

interface NodeFiles {
  readonly constants: Readonly<Record<string, number>>;
  open(path: string, flags: string | number, mode?: number): Promise<NodeFile>;
  access(path: string): Promise<void>;
  chmod(path: string, mode: number): Promise<void>;
  link(from: string, to: string): Promise<void>;
  lstat(path: string): Promise<NodeStats>;
  mkdir(path: string, options: { readonly recursive: true }): Promise<unknown>;
  readdir(path: string, options: { readonly withFileTypes: true }): Promise<NodeEntry[]>;
  realpath(path: string): Promise<string>;
  rename(from: string, to: string): Promise<void>;
  rm(path: string, options: { readonly force: true }): Promise<void>;
  stat(path: string): Promise<NodeStats>;
}

export interface NodeStream {
  once(event: string, told: (value: unknown) => void): void;
  destroy(): void;
  end(): void;
  unref?(): void;
}

export interface NodeChild {
  readonly stdin: NodeStream;
  readonly stdout: NodeStream;
  once(event: string, told: (value: unknown) => void): void;
  unref(): void;
}

interface NodeChildren {
  spawn(program: string, given: readonly string[], options: object): NodeChild;
}

interface NodeProcess {
  readonly pid: number;
  readonly platform: string;
  getBuiltinModule?(name: string): unknown;
}

export function nodeProcess(): NodeProcess {
  const { process } = globalThis as { readonly process?: NodeProcess };
  if (process?.getBuiltinModule) return process;
  const message = "A FolderTaskWorkspace needs Node 20.19 or newer, Bun or Deno; pages have `DirectoryTaskWorkspace`.";
  throw new GloveError("CONFIG_INVALID", message);
}

export const nodeFiles = () => nodeProcess().getBuiltinModule?.("node:fs/promises") as NodeFiles;
export const nodeChildren = () => nodeProcess().getBuiltinModule?.("node:child_process") as NodeChildren;
