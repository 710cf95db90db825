// SPDX-License-Identifier: Apache-2.0
import { join } from "@std/path";
import { PROJECT_ROOT } from "../../testing/corpus.ts";
import type { Host, ProgramEnd, ProgramStart } from "../host.ts";

/** A stand-in for an interpreter with ttnn: the file and the variables that a host needs. */
export const RECORDED_PYTHON = {
  files: { "/env/bin/python": "" },
  environment: { TILEWRIGHT_TTNN: "/env", TILEWRIGHT_CACHE: "/cache" },
} as const;

/** A requested run of Python. */
export interface RecordedRun {
  readonly start: ProgramStart;
  /** Its standard input. */
  readonly job: string;
}

/** The lines of a recorded run. */
export function recordedLines(name: string, run: number): readonly string[] {
  const path = join(PROJECT_ROOT, "testdata", "confirm", `${name}.${run}.jsonl`);
  return Deno.readTextFileSync(path).trimEnd().split("\n");
}

/**
 * A host whose Python replays the recordings of testdata/confirm for its program, run after run.
 *
 * @param runs receives every run
 * @param change replaces a run's output, and its end
 */
export function withRecordedBackend(
  host: Host,
  runs: RecordedRun[] = [],
  change: (
    lines: readonly string[],
  ) => { readonly lines: readonly string[]; readonly end?: Partial<ProgramEnd> } = (lines) => ({ lines }),
): Host {
  return {
    ...host,
    startProgram: (start) => {
      const given = Promise.withResolvers<string>();
      const said = given.promise.then((job) => {
        runs.push({ start, job });
        const [, name = ""] = /# (\w+)\.mlir for /.exec(JSON.parse(job).program) ?? [];
        return change(recordedLines(name, JSON.parse(job).crashed.length + 1));
      });
      return Promise.resolve({
        lines: async function* () {
          yield* (await said).lines;
        }(),
        write: (text) => Promise.resolve(given.resolve(text)),
        closeInput: () => Promise.resolve(),
        ended: said.then(({ end }) => ({ code: 0, signal: undefined, errors: "", ...end })),
        stop: () => {},
      });
    },
  };
}
