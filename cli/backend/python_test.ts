// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";
import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { BACKEND_FILES } from "./files.ts";

const FOLDER = fromFileUrl(new URL(".", import.meta.url));

const hasPython = await new Deno.Command("python3", { args: ["--version"], stdout: "null", stderr: "null" })
  .output().then(({ success }) => success, () => false);

Deno.test({
  name: `the tests of the Python side pass${hasPython ? "" : " (skipped: no python3)"}`,
  ignore: !hasPython,
  fn: async () => {
    const args = ["-B", "-m", "unittest", "discover", "-s", FOLDER];
    const { success, stderr } = await new Deno.Command("python3", { args, cwd: FOLDER }).output();
    assert(success, new TextDecoder().decode(stderr));
  },
});

Deno.test("what the cache gets imports nothing that it does not get", () => {
  const own = new Set(
    [...Deno.readDirSync(FOLDER)].map(({ name }) => name).filter((name) => name.endsWith(".py")),
  );
  for (const [file, text] of Object.entries(BACKEND_FILES)) {
    const imported = [...text.matchAll(/^\s*(?:from|import) (\w+)/gm)].map(([, name]) => `${name}.py`);
    assertEquals(imported.filter((name) => own.has(name) && !(name in BACKEND_FILES)), [], file);
  }
});
