// SPDX-License-Identifier: Apache-2.0
import { type DiagnosticError, inputError } from "../../lib/diagnostics/diagnostic.ts";
import type { Host, OutputStream } from "../host.ts";
import { standardError, standardOutput } from "../standard_error.ts";

/** A host in memory: files are a map, output is collected. */
export interface MemoryHost extends Host {
  readonly files: Map<string, string>;
  /** Standard output so far. */
  out(): string;
  /** Standard error so far. */
  err(): string;
}

/** Options of {@linkcode createMemoryHost}. */
export interface MemoryHostOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly isTerminal?: boolean;
}

/** Creates a host for tests. */
export function createMemoryHost(options: MemoryHostOptions = {}): MemoryHost {
  const files = new Map(Object.entries(options.files ?? {}));
  const written = { out: "", err: "" };
  const stream = (name: "out" | "err"): OutputStream => ({
    write: (text) => {
      written[name] += text;
    },
    isTerminal: options.isTerminal ?? false,
    columns: options.columns ?? 80,
  });
  const stderr = standardError(stream("err"));
  const stdout = standardOutput(stream("out"), stderr);
  return {
    files,
    stdout,
    stderr,
    typesInput: options.isTerminal ?? false,
    out: () => written.out,
    err: () => written.err,
    readText: (path) => {
      const text = files.get(path);
      if (text !== undefined) return Promise.resolve(text);
      return Promise.reject(unreadable(path));
    },
    readLines: function* () {
      const text = files.get("-") ?? "";
      if (text !== "") yield text.replace(/\n$/, "").split("\n");
    },
    listFiles: (folder) => {
      const below = [...files.keys()].filter((path) => path.startsWith(`${folder}/`));
      if (below.length === 0) return Promise.reject(unreadable(folder));
      return Promise.resolve(
        below.map((path) => path.slice(folder.length + 1)).filter((name) => !name.includes("/")).sort(),
      );
    },
    writeText: (path, text) => {
      if (path === "-") stdout.write(text);
      else files.set(path, text);
      return Promise.resolve();
    },
    makeFolder: () => Promise.resolve(),
    filesBelow: (folder) => {
      const prefix = folder === "." ? "" : `${folder.replace(/\/$/, "")}/`;
      const below = [...files.keys()].filter((path) => path.startsWith(prefix));
      return Promise.resolve(below.length === 0 ? undefined : below);
    },
    findUpwards: (name) => Promise.resolve(files.has(name) ? name : undefined),
    isFile: (path) => Promise.resolve(files.has(path)),
    environment: (name) => options.environment?.[name],
    now: () => 0,
  };
}

function unreadable(path: string): DiagnosticError {
  return inputError("input/unreadable", `Cannot read ${path}: no such file`);
}
