// SPDX-License-Identifier: Apache-2.0

/** Reading MLIR text: parsing, evaluating attributes, verifying, printing the generic form. */

import { attributeMap, parseModule, printGeneric } from "../lib/ir/mod.ts";
import { verifyModule } from "../lib/verify/verify_module.ts";

const MODELS = new URL("../testdata/models/", import.meta.url);

for (const name of ["mnist", "resnet50", "llama_3_2_1b_prefill"]) {
  const text = Deno.readTextFileSync(new URL(`${name}.mlir`, MODELS));
  const group = `${name}, ${Math.round(text.length / 1024)} KB`;
  const module = parseModule(text, `${name}.mlir`);
  Deno.bench({ name: "parse", group, baseline: true, fn: () => void parseModule(text, `${name}.mlir`) });
  Deno.bench({
    name: "parse and evaluate every attribute",
    group,
    fn: () => {
      const fresh = parseModule(text, `${name}.mlir`);
      for (const operation of fresh.operations) attributeMap(fresh, operation);
    },
  });
  Deno.bench({
    name: "parse and verify",
    group,
    fn: () => void verifyModule(parseModule(text, `${name}.mlir`)),
  });
  Deno.bench({ name: "print generic", group, fn: () => void printGeneric(module) });
}
