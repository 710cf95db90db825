// SPDX-License-Identifier: Apache-2.0

/** Programs of many ops in a row under the program's own V8 flags, on a stack that holds hardly more calls than ops. */

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { V8_FLAGS } from "../cli/restart.ts";
import { PROJECT_ROOT } from "../testing/corpus.ts";
import { DEEP_PROGRAMS } from "./testing/deep_programs.ts";

const OPS = 2_000;

/** A quarter of the usual stack, KiB: what recurses on it at 2000 ops would otherwise at 8000, which take far longer. */
const STACK = 240;

for (const [name, programOf] of Object.entries(DEEP_PROGRAMS)) {
  Deno.test(`${OPS} ops: ${name} are read, lowered, passed and written`, async () => {
    const folder = await Deno.makeTempDir();
    try {
      const [input, output] = [join(folder, "in.mlir"), join(folder, "out.mlir")];
      await Deno.writeTextFile(input, programOf(OPS));
      const program = join(PROJECT_ROOT, "cli", "program.ts");
      const run = await new Deno.Command(Deno.execPath(), {
        args: [
          "run",
          "-A",
          "--no-check",
          `--v8-flags=${V8_FLAGS},--stack-size=${STACK}`,
          program,
          ...["optimize", input, "--policy", "dram", "-o", output],
        ],
        stdout: "null",
        stderr: "piped",
      }).output();
      const text = new TextDecoder().decode(run.stderr);
      assertEquals([run.code, /error|internal/i.test(text) ? text : ""], [0, ""]);
      assertEquals((await Deno.readTextFile(output)).includes("ttnn."), true);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}
