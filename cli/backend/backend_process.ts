// SPDX-License-Identifier: Apache-2.0

/**
 * The real backend as a process that answers questions of the op-model pipe: `cli/backend/ask.py`.
 *
 * @module
 */

import * as v from "valibot";
import type { Host, RunningProgram } from "../host.ts";
import { backendEnded, notAnInterpreter, startPython } from "./backend_ended.ts";
import type { BackendPlace } from "./environment.ts";
import type { CoreRange } from "../../lib/layout/core_range.ts";
import type {
  RecordedAcceptance,
  RecordedAnswer,
  RecordedEvent,
} from "../../pipeline/backend_answers/recorded_answer.ts";
import { resultSchema } from "../../pipeline/backend_answers/recorded_result.ts";
import type { ConstraintsRequest } from "../../pipeline/op_model_pipe/request.ts";

/** `[x0, y0, x1, y1]`. */
const RANGE = v.pipe(
  v.tuple([v.number(), v.number(), v.number(), v.number()]),
  v.transform(([x0, y0, x1, y1]): CoreRange => ({ start: { x: x0, y: y0 }, end: { x: x1, y: y1 } })),
);
const EVENT = v.object({
  event: v.picklist(["allocate", "release", "program"]),
  memory: v.string(),
  bytes: v.number(),
  buffer: v.number(),
});
const PROGRAM = v.object({
  operation: v.string(),
  buffers: v.array(v.object({
    kind: v.picklist(["circular", "dataflow", "scratch"]),
    bytes: v.number(),
    cores: v.array(RANGE),
    backed: v.boolean(),
  })),
});
const ACCEPTED = v.object({
  ok: v.literal(true),
  programs: v.array(PROGRAM),
  events: v.array(EVENT),
  cbPeak: v.number(),
  tensorPeak: v.number(),
  totalPeak: v.number(),
  outputLayouts: v.array(resultSchema(RANGE)),
  computeConfigs: v.array(v.string()),
});
const REFUSED = v.object({
  ok: v.literal(false),
  status: v.picklist(["error", "oom", "crash", "notImplemented"]),
  reason: v.string(),
});
const REPLY = v.variant("ok", [ACCEPTED, REFUSED]);
const HELLO = v.object({ ok: v.literal(true), version: v.string() });

/** The question cannot be asked: the op has no Python call, or ttnn lacks an argument. */
export interface Unaskable {
  readonly unaskable: string;
}

/** The backend on one mock device, in its own process. */
export class BackendProcess {
  readonly #program: RunningProgram;
  readonly #answers: AsyncIterator<string>;

  readonly #python: string;

  private constructor(program: RunningProgram, python: string) {
    this.#program = program;
    this.#python = python;
    this.#answers = program.lines[Symbol.asyncIterator]();
  }

  /**
   * Starts the backend.
   *
   * @param device board: `n150`, `p150`, `p150-13x10`
   * @throws {DiagnosticError} if Python cannot be started
   */
  static async start(
    host: Host,
    { python, scripts, cache }: BackendPlace,
    device: string,
  ): Promise<BackendProcess> {
    const args = [`${scripts}/ask.py`, "--device", device, "--cache", cache];
    return new BackendProcess(await startPython(host, python, args), python);
  }

  /**
   * Asks one question. @throws {DiagnosticError} if the backend has ended, or prints no JSON; @throws {Error} if
   * its reply has another form
   */
  async ask(question: ConstraintsRequest): Promise<RecordedAnswer | Unaskable> {
    const reply = v.parse(REPLY, await this.#reply(question));
    if (reply.ok) return acceptanceOf(reply);
    const { status, reason } = reply;
    return status === "notImplemented" ? { unaskable: reason } : { ok: false, status, reason };
  }

  /** Version of the installed ttnn. @throws {DiagnosticError} if the backend does not start */
  async version(): Promise<string> {
    return v.parse(HELLO, await this.#reply({ kind: "hello" })).version;
  }

  async #reply(question: object): Promise<unknown> {
    await this.#program.write(`${JSON.stringify(question)}\n`);
    const { value, done } = await this.#answers.next();
    if (done === true) throw backendEnded(await this.#program.ended, this.#python, "before it answered");
    try {
      return JSON.parse(value);
    } catch {
      throw notAnInterpreter(this.#python);
    }
  }

  /** Ends the process. */
  async close(): Promise<void> {
    await this.#program.closeInput();
    await this.#program.ended;
  }
}

function acceptanceOf(reply: v.InferOutput<typeof ACCEPTED>): RecordedAcceptance {
  const { cbPeak, tensorPeak, totalPeak } = reply;
  return {
    ok: true,
    cbPeak,
    tensorPeak,
    totalPeak,
    programs: reply.programs.map(({ operation, buffers }) => ({
      operation,
      buffers: buffers.map(({ kind, bytes, cores, backed }) => ({
        bytes,
        backed,
        scratch: kind === "scratch",
        cores,
      })),
    })),
    events: reply.events.map(eventOf),
    results: reply.outputLayouts,
    computeConfigs: [...new Set(reply.computeConfigs.map(shortConfig))],
  };
}

/** `HiFi3 math_approx_mode fp32_dest_acc_en`: the fidelity, and the flags that are set. */
function shortConfig(printed: string): string {
  const fields = printed.split(",").map((field) => field.split("="));
  return fields.flatMap(([name = "", value = ""]) =>
    name === "math_fidelity" ? [value] : value === "1" ? [name] : []
  ).join(" ");
}

function eventOf({ event, memory, bytes, buffer }: v.InferOutput<typeof EVENT>): RecordedEvent {
  switch (event) {
    case "program":
      return { kind: "run" };
    case "release":
      return { kind: "free", tensor: buffer < 0 ? undefined : buffer };
    case "allocate": {
      const known = (["l1", "dram", "l1_small"] as const).find((name) => name === memory);
      if (known === undefined) throw new Error(`Cannot record a tensor in ${memory}`);
      return { kind: "allocate", memory: known, bytesPerBank: bytes };
    }
  }
}
