// SPDX-License-Identifier: Apache-2.0
import { errorText } from "../lib/diagnostics/diagnostic.ts";
import {
  type Host,
  isStandardOutput,
  type OutputStream,
  type PageServer,
  type ProgramStart,
  type RunningProgram,
  type ServedPage,
  UNBOUNDED_COLUMNS,
} from "./host.ts";
import { cannotRead, readLines, textOfFile } from "./read_text.ts";
import { standardError, standardOutput } from "./standard_error.ts";
import { cannotWrite, writeOutput } from "./write_output.ts";

const encoder = new TextEncoder();

/** @param onFailure handles a failed write; nothing is written after it */
function stream(
  target: typeof Deno.stdout | typeof Deno.stderr,
  onFailure: (error: unknown) => void,
): OutputStream {
  let closed = false;
  return {
    write(text) {
      if (closed) return;
      const bytes = encoder.encode(text);
      try {
        for (let written = 0; written < bytes.length;) written += target.writeSync(bytes.subarray(written));
      } catch (error) {
        closed = true;
        // The reader has closed the pipe.
        if (!(error instanceof Deno.errors.BrokenPipe)) onFailure(error);
      }
    },
    get isTerminal() {
      return target.isTerminal();
    },
    get columns() {
      if (target.isTerminal()) {
        try {
          return Deno.consoleSize().columns;
        } catch {
          // A terminal without a size, for example under some multiplexers: fall through to COLUMNS.
        }
      }
      const columns = Number(environment("COLUMNS"));
      if (Number.isInteger(columns) && columns > 0) return columns;
      return target.isTerminal() ? 80 : UNBOUNDED_COLUMNS;
    },
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) {
    return "no such file; check the path, or use - for standard input";
  }
  if (error instanceof Deno.errors.IsADirectory) return "it is a folder; name a file in it";
  if (error instanceof Deno.errors.NotADirectory) return "a file stands where a folder is expected";
  if (error instanceof Deno.errors.PermissionDenied) return "permission denied";
  return errorText(error);
}

/** A variable without read permission counts as unset. */
function environment(name: string): string | undefined {
  try {
    return Deno.env.get(name) || undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
}

/** The text of standard input; it can be read once, but may be named twice (`diff - -`). */
let standardInput: Promise<Uint8Array<ArrayBuffer>> | undefined;

/** The real host, with threads that run a module. */
export function denoHostWithThreads(module: URL): Host {
  return { ...denoHost, startThread: () => new Worker(module, { type: "module" }) };
}

/** V8's collector, if the program was started with `--expose-gc` as its first line requests. */
function garbageCollector(): Pick<Host, "collectGarbage"> {
  const collect: unknown = Reflect.get(globalThis, "gc");
  return typeof collect === "function" ? { collectGarbage: () => void collect() } : {};
}

// A failure here cannot be reported anywhere.
const stderr = standardError(stream(Deno.stderr, () => {}));

const stdout = stream(Deno.stdout, (error) => {
  throw cannotWrite("standard output", error);
});

/** The real host: files, streams, environment and clock of the Deno process. */
export const denoHost: Host = {
  ...garbageCollector(),
  stdout: standardOutput(stdout, stderr),
  stderr,
  get typesInput() {
    return Deno.stdin.isTerminal();
  },
  async readText(path) {
    let bytes: Uint8Array<ArrayBuffer>;
    try {
      if (path !== "-" && (await Deno.stat(path)).isDirectory) throw new Deno.errors.IsADirectory();
      bytes = path === "-"
        ? await (standardInput ??= new Response(Deno.stdin.readable).bytes())
        : await Deno.readFile(path);
    } catch (error) {
      throw cannotRead(path, reasonOf(error));
    }
    return await textOfFile(path, bytes);
  },
  readLines() {
    return readLines((buffer) => Deno.stdin.readSync(buffer));
  },
  async writeText(path, text) {
    if (isStandardOutput(path)) denoHost.stdout.write(text);
    else await writeOutput(path, text);
  },
  async listFiles(folder) {
    const names: string[] = [];
    try {
      for await (const entry of Deno.readDir(folder)) if (entry.isFile) names.push(entry.name);
    } catch (error) {
      throw cannotRead(folder, reasonOf(error));
    }
    return names.sort();
  },
  async makeFolder(path) {
    await Deno.mkdir(path, { recursive: true }).catch((error) => {
      throw cannotWrite(path, error);
    });
  },
  async filesBelow(folder) {
    if ((await Deno.stat(folder).catch(() => undefined))?.isDirectory !== true) return undefined;
    const files: string[] = [];
    // Links are followed, each folder once, because they may form a cycle.
    const seen = new Set<string>();
    const walk = async (path: string): Promise<void> => {
      const real = await Deno.realPath(path);
      if (seen.has(real)) return;
      seen.add(real);
      for await (const { name, isDirectory, isFile, isSymlink } of Deno.readDir(path)) {
        const inside = path === "." ? name : `${path.replace(/[\\/]$/, "")}/${name}`;
        const target = isSymlink ? await Deno.stat(inside).catch(() => undefined) : { isDirectory, isFile };
        if (target?.isDirectory) await walk(inside);
        else if (target?.isFile) files.push(inside);
      }
    };
    await walk(folder);
    return files;
  },
  async findUpwards(name) {
    // Without @std/path: its many modules would double the time to show help.
    for (let folder = Deno.cwd();;) {
      const path = `${folder.replace(/[\\/]$/, "")}/${name}`;
      if ((await Deno.stat(path).catch(() => undefined))?.isFile) return path;
      const above = folder.replace(/[\\/][^\\/]*$/, "");
      if (above === folder || above === "") return undefined;
      folder = above;
    }
  },
  environment,
  async isFile(path) {
    return (await Deno.stat(path).catch(() => undefined))?.isFile === true;
  },
  async startProgram(start) {
    // Few commands start one. Deno would load a literal at once, and a type of it as well.
    const loaded: { startProgram(start: ProgramStart): RunningProgram } = await import(
      "./start_program.ts" satisfies string
    );
    return loaded.startProgram(start);
  },
  async servePage(server) {
    const loaded: { servePage(server: PageServer): ServedPage } = await import(
      "./serve_page.ts" satisfies string
    );
    return loaded.servePage(server);
  },
  now() {
    return performance.now();
  },
};
