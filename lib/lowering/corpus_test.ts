// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { corpusFiles, corpusName, corpusTest, someOf, toolTest } from "../../testing/corpus.ts";
import { DiagnosticError } from "../diagnostics/diagnostic.ts";
import { type ModuleText, parseModule, parseModules, printGeneric } from "../ir/mod.ts";
import { lowerModule } from "./lower_module.ts";
import { needsLowering } from "./needs_lowering.ts";
import { TEST_WORMHOLE } from "../../testing/chips.ts";

/** Lowered modules of a corpus folder by name. What cannot be lowered must say so with a place. */
function lowerAll(
  folder: string,
): { readonly lowered: ReadonlyMap<string, ModuleText>; readonly refused: string[] } {
  const lowered = new Map<string, ModuleText>();
  const refused: string[] = [];
  for (const path of corpusFiles(folder)) {
    const name = corpusName(path);
    parseModules(Deno.readTextFileSync(path), name).forEach((module, index) => {
      if (!needsLowering(module)) return;
      try {
        const text = lowerModule(module, TEST_WORMHOLE);
        lowered.set(`${name}#${index}`, parseModule(text, `${name}#${index}`));
      } catch (error) {
        if (!(error instanceof DiagnosticError)) throw error;
        const [diagnostic] = error.diagnostics;
        assert(diagnostic?.location !== undefined, `${name}: no place in '${error.message}'`);
        refused.push(diagnostic.message);
      }
    });
  }
  return { lowered, refused };
}

corpusTest("every TTIR model and dump of the corpus lowers and leaves no TTIR op", () => {
  for (const folder of ["models/ttir", "dumps/ttir"]) {
    const { lowered, refused } = lowerAll(folder);
    assertEquals(refused, []);
    for (const [name, module] of someOf([...lowered])) assert(!needsLowering(module), name);
  }
});

/** TTIR ops of the corpus that upstream hands to kernels Tilewright knows nothing about. */
const REFUSED_OPS: readonly string[] = [
  "all_to_all",
  "collective_permute",
  "constant",
  "moe_gpt",
  // A destination that is an argument cannot be told from a mask.
  "paged_scaled_dot_product_attention_decode",
  "to_layout",
];

corpusTest("op-level TTIR files lower, or are refused for an op that is listed", () => {
  const { lowered, refused } = lowerAll("ops/ttir");
  assert(lowered.size >= 520, `${lowered.size} modules lowered`);
  const unexpected = refused.filter((message) => {
    const op = /^Cannot lower ttir\.(\w+): /.exec(message)?.[1];
    return !(op !== undefined && REFUSED_OPS.includes(op));
  });
  assertEquals(unexpected, []);
});

toolTest("mlir-opt-22", "mlir-opt accepts every lowered model", (tool) => {
  for (const folder of ["models/ttir", "dumps/ttir"]) {
    const { lowered } = lowerAll(folder);
    const text = [...lowered.values()].map(printGeneric).join("\n// -----\n");
    const path = Deno.makeTempFileSync({ suffix: ".mlir" });
    try {
      Deno.writeTextFileSync(path, text);
      const run = new Deno.Command(tool, {
        args: ["--allow-unregistered-dialect", "--split-input-file", path, "-o", "/dev/null"],
        stderr: "piped",
      }).outputSync();
      assertEquals(new TextDecoder().decode(run.stderr).slice(0, 2000), "");
      assertEquals(run.code, 0);
    } finally {
      Deno.removeSync(path);
    }
  }
}, { corpus: true });
