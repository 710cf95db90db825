// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { cliDocFiles } from "./cli_docs.ts";
import { ROOT } from "./steps.ts";

for (const [path, text] of cliDocFiles()) {
  Deno.test(`${path} says what the command table says (deno task docs:cli)`, () => {
    assertEquals(Deno.readTextFileSync(join(ROOT, path)), text);
  });
}
