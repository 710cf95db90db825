// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, relative } from "@std/path";
import { PROJECT_ROOT } from "../testing/corpus.ts";

/** Modules that Deno loads before help runs; on this machine each costs about a third of a millisecond. */
const MOST_MODULES = 50;

/** What `deno info` tells of a program. */
interface ModuleGraph {
  readonly roots: readonly string[];
  readonly modules: readonly {
    readonly specifier: string;
    readonly dependencies?: readonly {
      readonly code?: { readonly specifier?: string };
      readonly isDynamic?: boolean;
    }[];
  }[];
}

async function moduleGraph(file: string): Promise<ModuleGraph> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", file],
    cwd: PROJECT_ROOT,
    stderr: "null",
  }).output();
  return JSON.parse(new TextDecoder().decode(stdout));
}

/** Files that Deno loads before a module runs, `import()`s left out. */
function loadedFirst({ roots, modules }: ModuleGraph): ReadonlySet<string> {
  const byName = new Map(modules.map((module) => [module.specifier, module]));
  const seen = new Set<string>();
  const waiting = [...roots];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    for (const { code, isDynamic } of byName.get(name)?.dependencies ?? []) {
      if (code?.specifier !== undefined && isDynamic !== true) waiting.push(code.specifier);
    }
  }
  return seen;
}

Deno.test("help loads neither the library nor the simulator nor the code of a command", async () => {
  // Packages and files; of the latter those that only types name are read by the type check alone.
  const files = [...loadedFirst(await moduleGraph("cli/command_line.ts"))].map((name) =>
    name.startsWith("file:") ? relative(PROJECT_ROOT, fromFileUrl(name)) : name
  );
  const heavy = files.filter((file) => /^(lib|sim|pipeline|cli\/run)\//.test(file));
  // Names of devices are read from the short list of what makes each chip differ from its family; the version names the
  // backend.
  assertEquals(heavy.sort(), [
    "lib/diagnostics/diagnostic.ts",
    "lib/opmodel/backend_revision.ts",
    "sim/devices/devices.json",
  ]);
  assert(files.length <= MOST_MODULES, `${files.length} modules`);
});

Deno.test("the restart loads none of the program", async () => {
  const first = [...loadedFirst(await moduleGraph("cli/main.ts"))].map((name) => name.replace(/^.*\//, ""));
  assertEquals(first.sort(), ["main.ts", "restart.ts"]);
});

Deno.test("optimize loads the code of one policy besides the one that it compares with", async () => {
  const graph = await moduleGraph("cli/run/optimize.ts");
  const files = [...loadedFirst(graph)].map((name) =>
    name.replace(/^.*\/(?=(?:lib|cli|sim|pipeline)\/)/, "")
  );
  assert(files.includes("lib/policy/plan_graph.ts"), files.join(" "));
  assertEquals(files.filter((file) => /^lib\/(?:policy\/policies|chains)\//.test(file)), [
    "lib/policy/policies/dram.ts",
  ]);
  // Deno reads what a literal `import()` names as well.
  const all = graph.modules.map(({ specifier }) => specifier);
  assert(!all.some((name) => name.endsWith("/lib/policy/policies/auto.ts")));
});

Deno.test("optimize loads neither rules of TTIR ops nor code that only some options need", async () => {
  const names = [...loadedFirst(await moduleGraph("cli/run/optimize.ts"))];
  assert(names.some((name) => name.endsWith("/pipeline/read_module.ts")), names.join(" "));
  const spared =
    /\/lib\/lowering\/(?:families|op_table)|\/pipeline\/pins\.ts|^npm:\/?diff@|\/model_explorer\.ts/;
  assertEquals(names.filter((name) => spared.test(name)), []);
});

Deno.test("the package that commands read is named before the program starts", async () => {
  const isPackage = (name: string): boolean => /^npm:\/?valibot@/.test(name);
  const read = [...loadedFirst(await moduleGraph("cli/run/optimize.ts"))];
  const first = [...loadedFirst(await moduleGraph("cli/program.ts"))];
  const packages = read.filter((name) => name.startsWith("npm:") && !first.includes(name));
  assertEquals(packages, []);
  assert(read.some(isPackage), read.join(" "));
});
