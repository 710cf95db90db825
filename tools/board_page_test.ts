// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { shellWords } from "../cli/testing/project_host.ts";
import { ROOT, withTempDir } from "./steps.ts";

const environment = Deno.env.get("TILEWRIGHT_TTNN");

/** Lines of the shell blocks of a page, in order. */
function shellLines(page: string): readonly string[] {
  return [...page.matchAll(/```sh\n([^]*?)```/g)].flatMap(([, block = ""]) => block.trim().split("\n"));
}

/** A cluster description of one n150, for programs that are started as a reader would. */
async function mockVariables(folder: string): Promise<Record<string, string>> {
  const python = `import sys; sys.path.insert(0, ${
    JSON.stringify(join(ROOT, "cli/backend"))
  }); from devices import cluster_description; print(cluster_description("n150"))`;
  const { stdout } = await new Deno.Command("python3", { args: ["-B", "-c", python] }).output();
  await Deno.writeFile(join(folder, "n150.yaml"), stdout);
  return {
    TT_METAL_MOCK_CLUSTER_DESC_PATH: join(folder, "n150.yaml"),
    TT_METAL_CACHE: join(folder, "kernels"),
    TT_LOGGER_LEVEL: "fatal",
  };
}

Deno.test({
  name: environment === undefined
    ? "every command of docs/board.md runs, in order (skipped: TILEWRIGHT_TTNN names no environment)"
    : "every command of docs/board.md runs, in order",
  ignore: environment === undefined,
  fn: async (t) => {
    const page = await Deno.readTextFile(join(ROOT, "docs/board.md"));
    await withTempDir(async (cwd) => {
      await Deno.symlink(join(ROOT, "testdata"), join(cwd, "testdata"));
      await Deno.mkdir(join(cwd, "weights"));
      const mock = await mockVariables(cwd);
      for (const line of shellLines(page)) {
        const [tool = "", ...args] = shellWords(line);
        if (args.includes("--setup")) continue;
        await t.step(line, async () => {
          const [command, before] = tool === "python"
            ? [`${environment}/v/bin/python`, []]
            : [Deno.execPath(), ["run", "-A", "--no-check", join(ROOT, "cli/main.ts")]];
          const { code, stderr } = await new Deno.Command(command, {
            args: [...before, ...args],
            cwd,
            env: { TILEWRIGHT_CACHE: join(cwd, "cache"), ...(tool === "python" ? mock : {}) },
          }).output();
          assertEquals(code, 0, new TextDecoder().decode(stderr).slice(-2000));
        });
      }
    });
  },
});
