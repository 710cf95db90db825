// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";
import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { BACKEND_FILES } from "./files.ts";

const FOLDER = fromFileUrl(new URL(".", import.meta.url));

/** Whether a call of Python ends well; `false` where there is no Python either. */
async function runs(...args: readonly string[]): Promise<boolean> {
  return await python(...args).then(({ success }) => success, () => false);
}

async function python(...args: readonly string[]): Promise<Deno.CommandOutput> {
  return await new Deno.Command("python3", { args: [...args], cwd: FOLDER }).output();
}

const CHECKS: readonly { readonly what: string; readonly needs: string; readonly args: readonly string[] }[] =
  [
    { what: "its tests pass", needs: "unittest", args: ["-B", "-m", "unittest", "discover", "-s", FOLDER] },
    { what: "it is formatted", needs: "ruff", args: ["-m", "ruff", "format", "--no-cache", "--check", "."] },
    {
      what: "no rule of the linter is broken",
      needs: "ruff",
      args: ["-m", "ruff", "check", "--no-cache", "."],
    },
    { what: "its types hold", needs: "mypy", args: ["-m", "mypy", "--strict", "--cache-dir=/dev/null", "."] },
  ];

for (const { what, needs, args } of CHECKS) {
  const isThere = await runs("-c", `import ${needs}`);
  Deno.test({
    name: `the Python side: ${what}${isThere ? "" : ` (skipped: no python3 with ${needs})`}`,
    ignore: !isThere,
    fn: async () => {
      const { success, stdout, stderr } = await python(...args);
      assert(success, new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr));
    },
  });
}

Deno.test("scripts in the cache import only each other", () => {
  const own = new Set(
    [...Deno.readDirSync(FOLDER)].map(({ name }) => name).filter((name) => name.endsWith(".py")),
  );
  for (const [file, text] of Object.entries(BACKEND_FILES)) {
    const imported = [...text.matchAll(/^\s*(?:from|import) (\w+)/gm)].map(([, name]) => `${name}.py`);
    assertEquals(imported.filter((name) => own.has(name) && !(name in BACKEND_FILES)), [], file);
  }
});
