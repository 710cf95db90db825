// SPDX-License-Identifier: Apache-2.0
import type { PythonProgram } from "../../../lib/python/program.ts";
import { type MockBoard, traceJob } from "../../../pipeline/confirm/job.ts";
import { readTrace, type TraceFacts } from "../../../pipeline/confirm/trace_facts.ts";
import { backendEnded, notAnInterpreter, startPython } from "../../backend/backend_ended.ts";
import type { BackendPlace } from "../../backend/environment.ts";
import type { Host } from "../../host.ts";

/** Most crashed ops that are left out; after one more crash the ops behind it count as not reached. */
const MOST_CRASHES = 8;

/** Signals from outside, which are no crash of the running op. */
const FROM_OUTSIDE: ReadonlySet<string> = new Set(["SIGHUP", "SIGINT", "SIGKILL", "SIGTERM"]);

/**
 * Runs a program on a mock device; after a crash again without the crashed op, up to {@linkcode MOST_CRASHES}
 * times.
 *
 * @param onOp called when another op is reached, with the number reached in this run
 * @throws {DiagnosticError} if the backend does not start, or ends other than by a crash of an op
 */
export async function askBackend(
  host: Host,
  place: BackendPlace,
  program: PythonProgram,
  device: MockBoard,
  onOp: (done: number) => void = () => {},
): Promise<readonly TraceFacts[]> {
  const runs: TraceFacts[] = [];
  const crashed: number[] = [];
  for (;;) {
    const job = traceJob(program, { device, crashed });
    const facts = await runOnce(host, place, job, onOp);
    runs.push(facts);
    if (facts.endedAt === undefined || crashed.length === MOST_CRASHES) return runs;
    crashed.push(facts.endedAt);
  }
}

async function runOnce(
  host: Host,
  { python, scripts, cache }: BackendPlace,
  job: string,
  onOp: (done: number) => void,
): Promise<TraceFacts> {
  const running = await startPython(host, python, [`${scripts}/trace.py`, cache]);
  const sent = running.write(job).then(() => running.closeInput());
  const lines: string[] = [];
  let done = 0;
  for await (const line of running.lines) {
    lines.push(line);
    if (line.startsWith('{"op"')) onOp(++done);
  }
  const end = await running.ended;
  await sent;
  // A killed process may leave half a line.
  const whole = lines.filter((line) => line.endsWith("}"));
  const facts = factsIn(whole, python);
  const isEnded = end.signal !== undefined && FROM_OUTSIDE.has(end.signal);
  if (facts.isDone || (facts.endedAt !== undefined && !isEnded)) return facts;
  throw backendEnded(
    end,
    python,
    facts.version === undefined ? "before it was ready" : isEnded ? "from outside" : "between two ops",
  );
}

function factsIn(lines: readonly string[], python: string): TraceFacts {
  try {
    return readTrace(lines);
  } catch (error) {
    throw error instanceof SyntaxError ? notAnInterpreter(python) : error;
  }
}
