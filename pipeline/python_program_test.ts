// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { parseModule } from "../lib/ir/mod.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { policy as greedy } from "../lib/policy/policies/greedy.ts";
import { PROJECT_ROOT } from "../testing/corpus.ts";
import { loadModule } from "./load_module.ts";
import { optimizeModule } from "./optimize.ts";
import { pythonProgramOf } from "./python_program.ts";

/** The plans of all models, and of TTIR that front ends write, as programs. */
function programs(device: string): readonly { readonly name: string; readonly text: string }[] {
  return ["models", "ttir"].flatMap((folder) => {
    const path = join(PROJECT_ROOT, "testdata", folder);
    const files = [...Deno.readDirSync(path)].map(({ name }) => name).filter((name) =>
      name.endsWith(".mlir")
    );
    return files.toSorted().map((name) => {
      const workbench = loadModule(Deno.readTextFileSync(join(path, name)), { device });
      const { text } = optimizeModule(workbench, greedy, DEFAULT_POLICY_OPTIONS);
      return { name, text: pythonProgramOf(parseModule(text, name), workbench, { title: name }).text };
    });
  });
}

/** Reads programs from standard input, each behind its length in bytes, and prints for each what is wrong with it. */
const CHECK = `
import ast, builtins, sys
data = sys.stdin.buffer
while line := data.readline():
    tree = ast.parse(data.read(int(line)))
    known = set(dir(builtins)) | {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import): known |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    known |= {target.id for node in tree.body if isinstance(node, ast.Assign) for target in node.targets}
    for function in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
        local = {arg.arg for arg in function.args.args + function.args.kwonlyargs}
        local |= {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        if function.args.vararg: local.add(function.args.vararg.arg)
        used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        inner = {arg.arg for node in ast.walk(function) if isinstance(node, (ast.Lambda, ast.FunctionDef)) for arg in node.args.args}
        if function.name != "check": print(*sorted(used - known - local - inner))
`;

const python = await new Deno.Command("python3", { args: ["--version"], stdout: "null", stderr: "null" })
  .output().then(({ success }) => success, () => false);

Deno.test({
  name: python
    ? "programs of all models parse, and every name in them is defined"
    : "programs of all models parse (skipped: no python3)",
  ignore: !python,
  fn: async () => {
    const child = new Deno.Command("python3", { args: ["-c", CHECK], stdin: "piped", stdout: "piped" })
      .spawn();
    const writer = child.stdin.getWriter();
    for (const { text } of programs("n150")) {
      const bytes = new TextEncoder().encode(text);
      await writer.write(new TextEncoder().encode(`${bytes.length}\n`));
      await writer.write(bytes);
    }
    await writer.close();
    const { success, stdout } = await child.output();
    assert(success);
    assertEquals(new TextDecoder().decode(stdout).replaceAll("\n", ""), "");
  },
});

Deno.test("a program of two chips states its mesh, one of one chip opens one", () => {
  const text =
    `#tiles = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>
func.func @main(%arg0: tensor<64x64xbf16, #tiles>) -> tensor<64x64xbf16, #tiles> {
  %0 = "ttnn.relu"(%arg0) : (tensor<64x64xbf16, #tiles>) -> tensor<64x64xbf16, #tiles>
  return %0 : tensor<64x64xbf16, #tiles>
}`;
  const { chip } = loadModule(text, { device: "n150" });
  const module = parseModule(text, "mesh.mlir");
  const axis = (chips: number) => ({ chips, links: 1, topology: "linear" }) as const;
  const meshLine = (mesh: readonly ReturnType<typeof axis>[]): string | undefined =>
    pythonProgramOf(module, { chip, mesh }, { title: "mesh" }).text.split("\n").find((line) =>
      line.startsWith("MESH")
    );
  assertEquals(meshLine([axis(1), axis(2)]), "MESH = (1, 2)");
  assertEquals(meshLine([axis(1), axis(1)]), "MESH = ()");
});
