// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";
import { join } from "@std/path";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { PROJECT_ROOT } from "../testing/corpus.ts";
import { loadModule } from "./load_module.ts";
import { optimizeModule } from "./optimize.ts";

/** Deallocations that do not directly follow an op that reads or makes the value, other deallocations aside. */
function late(text: string): readonly string[] {
  const found: string[] = [];
  let last = "";
  for (const line of text.split("\n")) {
    const [, freed] = /"ttnn\.deallocate"\((%[\w#]+)\)/.exec(line) ?? [];
    if (freed === undefined) last = line;
    else if (!new RegExp(`${freed.split("#")[0]}(?!\\w)`).test(last)) found.push(line.trim());
  }
  return found;
}

for (const file of ["models/llama_3_2_1b_decode.mlir", "ttir/heads_apart.mlir", "ttir/recurrent.mlir"]) {
  for (const policy of ["greedy", "df-sharding", "beam"]) {
    // A plan counts on a buffer up to the last step that reads it, copies included.
    Deno.test(`${policy} frees every buffer of ${file} directly behind its last reader`, () => {
      const module = loadModule(Deno.readTextFileSync(join(PROJECT_ROOT, "testdata", file)), {
        device: "n150",
      });
      const { text } = optimizeModule(module, getPolicy(policy), DEFAULT_POLICY_OPTIONS);
      assert(text.includes("ttnn.deallocate"));
      const [first, ...more] = late(text);
      assert(first === undefined, `${first}, and ${more.length} more`);
    });
  }
}
