// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { toolTest } from "../testing/corpus.ts";
import { COMMANDS } from "./command_table.ts";
import { POSITIONAL_NAMES } from "./run/completions.ts";
import { COMPLETION_SCRIPTS } from "./render/completion_scripts.ts";

Deno.test("every shell completes every command and every option", () => {
  for (const [shell, script] of COMPLETION_SCRIPTS) {
    const text = script(COMMANDS);
    for (const command of COMMANDS) {
      assertStringIncludes(text, command.name, shell);
      for (const { name } of command.options) assertStringIncludes(text, name, `${shell} ${command.name}`);
    }
  }
});

/** What bash offers for words, the last of which is being typed. */
async function complete(bash: string, ...words: string[]): Promise<string[]> {
  const script = COMPLETION_SCRIPTS.get("bash")?.(COMMANDS, POSITIONAL_NAMES) ?? "";
  const quoted = words.map((word) => `'${word}'`).join(" ");
  const { success, stdout, stderr } = await new Deno.Command(bash, {
    args: [
      "-c",
      `${script}\nCOMP_WORDS=(${quoted}); COMP_CWORD=${
        words.length - 1
      }; _tilewright; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ],
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).split("\n").filter((word) => word !== "");
}

toolTest("bash", "the bash script completes commands, options and values", async (bash) => {
  assertEquals(await complete(bash, "tilewright", "opt"), ["optimize"]);
  assertEquals(await complete(bash, "tilewright", "optimize", "--beam"), ["--beam-width"]);
  assertEquals(await complete(bash, "tilewright", "optimize", "--policy", "df"), [
    "df-sharding",
    "df-sharding-2",
  ]);
  assertEquals(await complete(bash, "tilewright", "simulate", "--device", "p100"), ["p100"]);
  // The last of a list, positionals that are words, and topics of help.
  assertEquals(await complete(bash, "tilewright", "bench", "--policies", "dram,gree"), [
    "dram,greedy",
    "dram,greedy-l1-interleaved",
  ]);
  assertEquals(await complete(bash, "tilewright", "audit", "cost"), ["cost-model"]);
  assertEquals(await complete(bash, "tilewright", "devices", "sho"), ["show"]);
  assertEquals(await complete(bash, "tilewright", "devices", "show", "p100"), ["p100"]);
  assertEquals(await complete(bash, "tilewright", "price", "sampl"), ["sampling"]);
  assertEquals(await complete(bash, "tilewright", "help", "simu"), ["simulate"]);
});

for (const shell of ["zsh", "fish"]) {
  toolTest(shell, `the ${shell} script is sound`, async (path) => {
    const file = await Deno.makeTempFile();
    try {
      await Deno.writeTextFile(file, COMPLETION_SCRIPTS.get(shell)?.(COMMANDS, POSITIONAL_NAMES) ?? "");
      const { success, stderr } = await new Deno.Command(path, { args: ["-n", file] }).output();
      assert(success, new TextDecoder().decode(stderr));
    } finally {
      await Deno.remove(file);
    }
  });
}
