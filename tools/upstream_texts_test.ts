// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { basename, join } from "@std/path";
import { DEFAULT_L1_CAP } from "../lib/device/chip_description.ts";
import { verifyModule } from "../lib/verify/verify_module.ts";
import { checkMemory } from "../pipeline/check_memory.ts";
import { loadModule } from "../pipeline/load_module.ts";
import { corpusTest, IS_FULL_SWEEP, sharedPath } from "../testing/corpus.ts";
import { agreementOf, greedyDecisions, writtenDecisions } from "./upstream_decisions.ts";

/** Networks that are tried where not all of them are. */
const SAMPLE = ["gn_silu_conv", "llama_mlp", "lstm_cell", "mnist_mlp", "resnet18_head"];

/** Texts of the compiler of October 2026 for a device, sorted. */
function texts(device: string, ending: string): readonly string[] {
  const folder = sharedPath("data", "upstream-2026-10", device);
  return [...Deno.readDirSync(folder)].map(({ name }) => name).toSorted()
    .filter((name) => name.endsWith(ending))
    .filter((name) => IS_FULL_SWEEP || SAMPLE.some((network) => name.startsWith(`${network}.`)))
    .map((name) => join(folder, name));
}

for (const device of ["n150", "p150"]) {
  corpusTest(`what the compiler wrote for ${device} at every level fits, is checked, and lints`, () => {
    for (const path of texts(device, ".mlir")) {
      const loaded = loadModule(Deno.readTextFileSync(path), { fileName: basename(path) });
      const findings = verifyModule(loaded.module).filter(({ severity }) => severity !== "remark");
      // Before the optimizer, pools are declared to make tiles; they make rows, which is what is judged.
      const declaresTiles = path.includes(".before.") &&
        findings.some(({ message }) => message.includes("max_pool2d"));
      assertEquals(
        findings.length,
        declaresTiles ? 1 : 0,
        `${path}: ${findings.map(({ message }) => message)}`,
      );
      const { verdict } = checkMemory(loaded, DEFAULT_L1_CAP);
      assertEquals(verdict.status, "fits", path);
    }
  });

  corpusTest(`greedy decides every op as the compiler did for ${device}`, () => {
    for (const path of texts(device, ".before.mlir")) {
      const made = path.replace(".before.", ".ttnn.");
      const { decisions, status } = greedyDecisions(Deno.readTextFileSync(path), basename(path));
      const theirs = writtenDecisions(Deno.readTextFileSync(made), basename(made));
      const { ops, results, alone } = agreementOf(decisions, theirs);
      assertEquals({ results, alone, status }, { results: ops, alone: 0, status: "fits" }, path);
    }
  });
}
