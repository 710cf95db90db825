// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { relative } from "@std/path";
import { PROJECT_ROOT } from "../testing/corpus.ts";

/** Modules that Deno loads before main.ts runs; on this machine each costs about a third of a millisecond. */
const MOST_MODULES = 60;

Deno.test("help loads neither the library nor the simulator nor the code of a command", async () => {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "cli/main.ts"],
    cwd: PROJECT_ROOT,
    stderr: "null",
  }).output();
  const graph: { modules: { local?: string }[] } = JSON.parse(new TextDecoder().decode(stdout));
  const files = graph.modules.flatMap((module) =>
    // Declarations are read by the type check alone.
    module.local === undefined || module.local.endsWith(".d.ts") ? [] : [relative(PROJECT_ROOT, module.local)]
  );
  const heavy = files.filter((file) => /^(lib|sim|pipeline|cli\/run)\//.test(file));
  // Names of devices are read from the short list of what makes each chip differ from its family.
  assertEquals(heavy, ["lib/diagnostics/diagnostic.ts", "sim/devices/devices.json"]);
  assert(files.length <= MOST_MODULES, `${files.length} modules`);
});
