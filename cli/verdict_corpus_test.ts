// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { isFaulty, type MemoryVerdict, memoryVerdict } from "../lib/memory/memory_verdict.ts";
import type { SimulationDocument } from "../sim/export/simulation_json.ts";
import { corpusFiles, corpusName, corpusTest, IS_FULL_SWEEP } from "../testing/corpus.ts";
import { EXIT } from "./command.ts";
import { COMMANDS } from "./command_table.ts";
import { runCommandLine } from "./dispatch.ts";
import { verdictText } from "./render/verdict.ts";
import { createMemoryHost } from "./testing/memory_host.ts";

/** Files of TTNN ops; one in so many is judged, all of them under `TILEWRIGHT_FULL_SWEEP=1`. */
const FOLDERS: ReadonlyMap<string, number> = new Map([
  ["dumps/ttnn", 8],
  ["models/ttnn", 1],
  ["upstream-level2", 40],
  ["lowered/models", 43],
  ["ops/ttnn", 14],
  ["lowered/ops", 150],
]);
/** Judged always, for the rarest verdict: a convolution that exceeds L1. */
const ALWAYS = "conv2d_l1_oom_fallback.mlir";

const STRICT_EXIT: Readonly<Record<MemoryVerdict["status"], number>> = {
  fits: EXIT.ok,
  does_not_run: EXIT.badInput,
  does_not_fit: EXIT.finding,
  unchecked: EXIT.finding,
};

async function run(
  args: readonly string[],
  file: string,
): Promise<{ readonly code: number; readonly out: string }> {
  const host = createMemoryHost({ files: { [file]: Deno.readTextFileSync(file) } });
  const code = await runCommandLine(args, host, "0.0.0", COMMANDS);
  return { code, out: host.out() };
}

corpusTest(
  "simulate --strict, doctor and the page of report say the same of a file as it is written",
  async (t) => {
    const seen = new Set<MemoryVerdict["status"]>();
    for (const [folder, every] of FOLDERS) {
      const files = corpusFiles(folder).filter((file, index) =>
        IS_FULL_SWEEP || index % every === 0 || file.endsWith(ALWAYS)
      );
      for (const file of files) {
        const simulated = await run([
          "simulate",
          file,
          "--strict",
          "--json",
          "--no-advice",
          "--network",
          "analytic",
        ], file);
        // What cannot be read prints no document.
        if (simulated.out === "") continue;
        await t.step(corpusName(file), async () => {
          const document: SimulationDocument = JSON.parse(simulated.out);
          const { verdict } = document.summary;
          seen.add(verdict.status);
          assertEquals(simulated.code, STRICT_EXIT[verdict.status]);
          const { refusedOps, misfits, uncheckedOps } = verdict;
          assertEquals(verdict, memoryVerdict({ refusedOps, misfits, uncheckedOps }));

          const doctor = await run(["doctor", file, "--json"], file);
          const report = JSON.parse(doctor.out);
          assertEquals(report.summary.verdict, verdict);
          assertEquals(doctor.code, isFaulty(verdict) ? EXIT.finding : EXIT.ok);
          const inference = new Set(
            document.functions.filter(({ role }) => role === "inference").map(({ name }) => name),
          );
          const examined = verdict.misfits.filter((op) => op.memory === "l1" && inference.has(op.function));
          assertEquals(
            report.diagnoses.length + report.moreOps,
            examined.length,
            "doctor looks at each of them",
          );

          const page = await run(["report", file, "--as-written", "-o", "-"], file);
          assertStringIncludes(page.out, verdictText(verdict));
          for (const { rule } of [...refusedOps.slice(0, 5), ...uncheckedOps.slice(0, 5)]) {
            assertStringIncludes(page.out, `(${rule})`);
          }
        });
      }
    }
    assert(seen.size === 4, `the sample has every verdict, not only ${[...seen].join(", ")}`);
  },
);
