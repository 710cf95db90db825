// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type Command, EXIT, type Options } from "./command.ts";
import { runCommandLine } from "./dispatch.ts";
import { parseJsonc } from "./jsonc.ts";
import { createMemoryHost, type MemoryHost, type MemoryHostOptions } from "./testing/memory_host.ts";

async function optionsWith(
  args: readonly string[],
  world: MemoryHostOptions = {},
): Promise<{ code: number; host: MemoryHost; options: Options | undefined }> {
  let seen: Options | undefined;
  const command: Command = {
    name: "optimize",
    summary: "Chooses",
    positionals: "[FILE]",
    options: [
      { name: "beam-width", kind: "number", value: "K", default: 8, description: "Width" },
      {
        name: "policy",
        kind: "choice",
        value: "P",
        choices: ["dram", "beam"],
        default: "beam",
        description: "Way",
      },
      { name: "row-major-enabled", kind: "boolean", description: "Rows" },
      { name: "ttir-to-ttnn-runtime-pipeline", kind: "string", value: "OPTIONS", description: "Pasted" },
      { name: "json", kind: "boolean", description: "JSON" },
    ],
    examples: [],
    load: () =>
      Promise.resolve({
        run: ({ options }) => {
          seen = options;
          return EXIT.ok;
        },
      }),
  };
  const host = createMemoryHost(world);
  const code = await runCommandLine(["optimize", ...args], host, "0.0.0", [command]);
  return { code, host, options: seen };
}

Deno.test("options come from flags, then the pipeline string, then the environment, then the file", async () => {
  const pipeline = "--ttir-to-ttnn-runtime-pipeline=beam-width=3 row-major-enabled=true";
  const environment = { TILEWRIGHT_BEAM_WIDTH: "4", TILEWRIGHT_POLICY: "dram" };
  const files = { "tilewright.jsonc": '{ "beam-width": 5, "optimize": { "beam-width": 6 } }' };
  const width = async (args: readonly string[], world: MemoryHostOptions) =>
    (await optionsWith(args, world)).options?.number("beam-width");
  assertEquals(await width(["--beam-width=2", pipeline], { environment, files }), 2);
  assertEquals(await width([pipeline], { environment, files }), 3);
  assertEquals(await width([], { environment, files }), 4);
  assertEquals(await width([], { files }), 6);
  assertEquals(await width([], { files: { "tilewright.jsonc": '{ "beam-width": 5, }' } }), 5);
  assertEquals(await width([], {}), 8);
  assertEquals(await width(["--config=none"], { files }), 8);
});

Deno.test("a value may start with a minus: a word of several letters behind one minus is no option", async () => {
  const pasted = async (...args: string[]) =>
    (await optionsWith(["--ttir-to-ttnn-runtime-pipeline", ...args])).options?.text(
      "ttir-to-ttnn-runtime-pipeline",
    );
  assertEquals(await pasted("-graph,+inputs"), "-graph,+inputs");
  assertEquals(await pasted("-1,0"), "-1,0");
  const { code, host } = await optionsWith(["--ttir-to-ttnn-runtime-pipeline", "--jsn"]);
  assertEquals(code, EXIT.usage);
  assertStringIncludes(host.err(), "did you mean --json?");
});

Deno.test("--print-config shows the origin of every value", async () => {
  const { code, host } = await optionsWith(["--print-config", "--json", "--policy", "dram"], {
    environment: { TILEWRIGHT_BEAM_WIDTH: "4" },
    files: { "tilewright.jsonc": '{ "row-major-enabled": true }' },
  });
  assertEquals(code, EXIT.ok);
  const { options } = JSON.parse(host.out());
  assertEquals(options["policy"], { value: "dram", origin: "command line" });
  assertEquals(options["beam-width"], { value: 4, origin: "TILEWRIGHT_BEAM_WIDTH" });
  assertEquals(options["row-major-enabled"], { value: true, origin: "tilewright.jsonc" });
  assertEquals(options["color"], { value: "auto", origin: "default" });
});

Deno.test("unknown keys of pipeline strings and files warn and change nothing", async () => {
  const { code, host } = await optionsWith(
    ["--ttir-to-ttnn-runtime-pipeline", "beam-widht=2 enable-cpu-hoisting=true"],
    { files: { "tilewright.jsonc": '{ "polcy": "dram", "optimize": { "x": 1 } }' } },
  );
  assertEquals(code, EXIT.ok);
  assertEquals(host.err().split("\n").filter((line) => line.startsWith("warning: ")).length, 4);
  assertStringIncludes(
    host.err(),
    "'beam-widht' is not known here and has no effect; did you mean 'beam-width'?",
  );
  assertStringIncludes(host.err(), "did you mean 'policy'?");
});

Deno.test("bad values are usage errors wherever they are from; a broken file is bad input with a place", async () => {
  assertEquals((await optionsWith([], { environment: { TILEWRIGHT_POLICY: "bean" } })).code, EXIT.usage);
  const file = await optionsWith([], { files: { "tilewright.jsonc": '{ "policy": "bean" }' } });
  assertEquals(file.code, EXIT.usage);
  assertStringIncludes(file.host.err(), "did you mean 'beam'?");
  const broken = await optionsWith([], { files: { "tilewright.jsonc": '{\n  "policy": dram\n}' } });
  assertEquals(broken.code, EXIT.badInput);
  assertStringIncludes(
    broken.host.err(),
    'tilewright.jsonc:2:13: error: Cannot read tilewright.jsonc: unexpected token "dram"\n',
  );
  const short = await optionsWith([], { files: { "tilewright.jsonc": '{ "policy": ' } });
  assertStringIncludes(short.host.err(), "tilewright.jsonc:1:13: error: Cannot read");
});

Deno.test("parseJsonc() leaves strings alone", () => {
  assertEquals(
    parseJsonc('{ /* a */ "url": "http://x, ]", // b\n "list": [1, 2, ], }', "x.jsonc"),
    { url: "http://x, ]", list: [1, 2] },
  );
});

Deno.test("--print-config sets names, values and origins in columns", async () => {
  const { host } = await optionsWith(["--print-config", "--policy", "beam"]);
  const lines = host.out().trimEnd().split("\n");
  const columns = lines.map((line) => line.search(/(default|command line)$/));
  assert(lines.length > 1 && columns.every((column) => column > 0 && column === columns[0]), host.out());
});

Deno.test("--print-config is CSV on request", async () => {
  const { host } = await optionsWith(["--print-config", "--csv", "--policy", "beam"]);
  const [head, ...rows] = host.out().trimEnd().split("\n");
  assertEquals(head, "Option,Value,Origin");
  assert(rows.includes("--policy,beam,command line"), host.out());
});

Deno.test("switches are read as words of either kind, and nothing else", async () => {
  const asVariable = (word: string) =>
    optionsWith([], { environment: { TILEWRIGHT_ROW_MAJOR_ENABLED: word } });
  const asFlag = (word: string) => optionsWith([`--row-major-enabled=${word}`]);
  for (const given of [asVariable, asFlag]) {
    const rows = async (word: string) => {
      const { code, options } = await given(word);
      return code === EXIT.ok ? options?.flag("row-major-enabled") : code;
    };
    for (const word of ["true", "1", "yes", "ON"]) assertEquals(await rows(word), true, word);
    for (const word of ["false", "0", "No", "off"]) assertEquals(await rows(word), false, word);
    assertEquals(await rows("maybe"), EXIT.usage);
  }
  const twice = await optionsWith(["--row-major-enabled=1", "--no-row-major-enabled"]);
  assertEquals(twice.options?.flag("row-major-enabled"), false);
});

Deno.test("invalid words outside of the command line are reported with their origin", async () => {
  const told = async (...given: Parameters<typeof optionsWith>) => (await optionsWith(...given)).host.err();
  const variable = { environment: { TILEWRIGHT_BEAM_WIDTH: "wide" } };
  assertStringIncludes(await told([], variable), "--beam-width from TILEWRIGHT_BEAM_WIDTH needs a number");
  const file = { files: { "tilewright.jsonc": '{ "beam-width": "wide" }' } };
  assertStringIncludes(await told([], file), "--beam-width in tilewright.jsonc needs a number");
  assertStringIncludes(await told(["--beam-width", "wide"]), "Option --beam-width needs a number");
});

Deno.test("--print-config is a table with any switches, and JSON on request", async () => {
  const { host } = await optionsWith(["--print-config", "--row-major-enabled"]);
  assertStringIncludes(host.out(), "--row-major-enabled");
  const asked = await optionsWith(["--print-config", "--json"]);
  assertEquals(JSON.parse(asked.host.out()).schema, "tilewright.config/1");
});
