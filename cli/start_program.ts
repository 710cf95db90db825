// SPDX-License-Identifier: Apache-2.0
import { inputError } from "../lib/diagnostics/diagnostic.ts";
import type { ProgramEnd, ProgramStart, RunningProgram } from "./host.ts";

/** Characters of standard error that are kept: the last ones explain the end of a program. */
const KEPT = 4000;

/**
 * Starts a program.
 *
 * @throws {DiagnosticError} if it cannot be started, or must not be
 */
export function startProgram({ command, args }: ProgramStart): RunningProgram {
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(command, { args: [...args], stdin: "piped", stdout: "piped", stderr: "piped" })
      .spawn();
  } catch (error) {
    const code = error instanceof Deno.errors.NotCapable ? "program/not-allowed" : "program/not-started";
    throw inputError(code, `Cannot start ${command}: ${reasonOf(error)}`);
  }
  const input = child.stdin.getWriter();
  const errors = lastOf(child.stderr);
  return {
    lines: linesOf(child.stdout),
    // An ended program reads nothing more; its exit explains why.
    write: (text) => input.write(new TextEncoder().encode(text)).catch(() => undefined),
    closeInput: () => input.close().catch(() => undefined),
    ended: endOf(child, errors),
    stop: () => {
      try {
        child.kill();
      } catch {
        // It has ended.
      }
    },
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "no such program";
  if (error instanceof Deno.errors.NotCapable) {
    return "that is not allowed; run with 'deno run -A', or install with --allow-run as well";
  }
  if (error instanceof Deno.errors.PermissionDenied) return "the file is no program that may be executed";
  return error instanceof Error ? error.message : String(error);
}

async function endOf(child: Deno.ChildProcess, errors: Promise<string>): Promise<ProgramEnd> {
  const { code, signal } = await child.status;
  return { code, signal: signal ?? undefined, errors: await errors };
}

async function lastOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  let text = "";
  for await (const part of stream.pipeThrough(new TextDecoderStream())) text = (text + part).slice(-KEPT);
  return text;
}

async function* linesOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncIterable<string> {
  let rest = "";
  for await (const part of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + part).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}
