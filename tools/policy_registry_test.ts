// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { policyFiles } from "./policy_registry.ts";
import { ROOT } from "./steps.ts";

Deno.test("the lists of policies say what lib/policy/policies says (deno task policies)", async () => {
  for (const [path, text] of await policyFiles()) {
    assertEquals(Deno.readTextFileSync(join(ROOT, path)), text, path);
  }
});
