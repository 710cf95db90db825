// SPDX-License-Identifier: Apache-2.0

/** Writes `testdata/models` anew: `deno task zoo`. */

import { MODELS, ZOO } from "./zoo.ts";

Deno.mkdirSync(MODELS, { recursive: true });
for (const [name, write] of ZOO) {
  const text = write();
  Deno.writeTextFileSync(new URL(`${name}.mlir`, MODELS), text);
  console.log(`${name}.mlir\t${text.length} characters`);
}
