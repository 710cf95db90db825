// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { functionsOf, parseModule, parseModules } from "../../lib/ir/mod.ts";
import { verifyModule } from "../../lib/verify/verify_module.ts";
import { corpusFiles, corpusName, corpusTest } from "../../testing/corpus.ts";
import { removableOps, sliceFunction } from "./minimise_module.ts";

/** Rules of SSA and of signatures: what slicing could break. */
const STRUCTURE = /^V[12]\//;

corpusTest("slices of real functions parse and are sound wherever the function is", () => {
  const misses: string[] = [];
  let slices = 0;
  const files = corpusFiles().filter((_, index) => index % 10 === 3);
  for (const path of files) {
    for (const module of parseModules(Deno.readTextFileSync(path), corpusName(path))) {
      if (verifyModule(module).some(({ code }) => STRUCTURE.test(code))) continue;
      for (const view of functionsOf(module)) {
        const ops = removableOps(view);
        for (const keep of [(index: number) => index % 3 === 1, (index: number) => index >= ops.length / 2]) {
          const kept = ops.filter((_, index) => keep(index));
          if (kept.length === 0) continue;
          try {
            const slice = parseModule(sliceFunction(module, view, kept), "slice.mlir");
            slices++;
            const [fault] = verifyModule(slice).filter(({ code }) => STRUCTURE.test(code));
            if (fault !== undefined) {
              misses.push(`${corpusName(path)} @${view.name}: ${fault.code} ${fault.message}`);
            }
          } catch (error) {
            // Ops in forms that we do not understand hide their types; the slice says so.
            if (error instanceof RangeError && error.message.includes("is not known")) continue;
            misses.push(`${corpusName(path)} @${view.name}: ${error}`);
          }
        }
      }
    }
  }
  assert(slices > 100, `${slices} slices`);
  assertEquals(misses, []);
});
