// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { IS_FULL_SWEEP, PROJECT_ROOT, SHARED } from "../testing/corpus.ts";
import { examplesOf } from "./command.ts";
import { COMMANDS } from "./command_table.ts";
import { runCommandLine } from "./dispatch.ts";
import { createProjectHost, shellWords } from "./testing/project_host.ts";
import { RECORDED_PYTHON, withRecordedBackend } from "./testing/recorded_backend.ts";

/** Files of the shared data by the word that examples name them with; not part of the repository. */
const SHARED_DATA: ReadonlyMap<string, string> = new Map([
  ["op-model-expectations.json", "op-model-expectations.json"],
  ["measured-perf.json", "measured-perf.json"],
  ["measured-ops-2.json", "measured-ops-2.json"],
  ["layers", "layers/llama31-8b-decode-b32-wh.jsonl"],
]);

/** Examples that take ten seconds and more; they run in the full sweep (`deno task test:sweep`). */
const SLOW = /^calibrate|--folds/;

/** Servers wait for whoever asks; their own tests ask. */
const WAITS = /^mcp/;

/** What asks the real backend; the tests of it ask where it is present. */
const ASKS_BACKEND = /^confirm|--confirm|--against|--op-model/;

/** What asks it of a program whose answers are recorded. */
const RECORDED = "confirm testdata/models/mnist.mlir";

/** What writes a database itself, not by the host; its own test writes one. */
const WRITES_DATABASE = /--visualizer/;

/** Files that commands on the same page make, with programs that are not here. */
const MADE_BEFORE = /\b(?:add\.ttir|block\.ttir|block|upstream)\.mlir/;

/** Why an example cannot be run here; `undefined` when it can. */
function reasonToSkip(words: string): string | undefined {
  if (WAITS.test(words)) return "waits for a client";
  if (ASKS_BACKEND.test(words) && words !== RECORDED) return "asks the real backend";
  if (WRITES_DATABASE.test(words)) return "writes a database";
  if (MADE_BEFORE.test(words)) return "reads what a front end made";
  if (SHARED === undefined && sharedFiles(words).length > 0) return "data not present";
  return SLOW.test(words) && !IS_FULL_SWEEP ? "slow, in the full sweep" : undefined;
}

/** Files of the shared data that a command line needs. */
function sharedFiles(words: string): readonly string[] {
  return [...SHARED_DATA].flatMap(([word, file]) => shellWords(words).includes(word) ? [file] : []);
}

/** Runs a command line on the files of the project; `undefined` where it needs data that is not present. */
async function runExample(words: string): Promise<{ code: number; err: string } | undefined> {
  const files: Record<string, string> = {};
  for (const name of sharedFiles(words)) {
    if (SHARED === undefined) return undefined;
    files[name] = await Deno.readTextFile(join(SHARED, "data", name));
  }
  if (words === RECORDED) Object.assign(files, RECORDED_PYTHON.files);
  const environment = words === RECORDED ? RECORDED_PYTHON.environment : {};
  const host = createProjectHost({ files, environment, columns: 120 });
  const code = await runCommandLine(shellWords(words), withRecordedBackend(host), "0.0.0", COMMANDS);
  return { code, err: host.err() };
}

/** Shell lines of a Markdown text that call the tool, however it is started, with the exit code they announce. */
function shellExamples(markdown: string): { words: string; exitCode: number }[] {
  const examples: { words: string; exitCode: number }[] = [];
  for (const [, block = ""] of markdown.matchAll(/```sh\n([\s\S]*?)```/g)) {
    let exitCode = 0;
    for (const line of block.replaceAll("\\\n", " ").split("\n")) {
      if (line.startsWith("#")) exitCode = Number(/exit code (\d)/.exec(line)?.[1] ?? 0);
      const call = /^(?:tilewright|deno run -A cli\/main\.ts|npx -y deno@[\d.]+ run -A cli\/main\.ts) (.*)$/
        .exec(line);
      const words = call?.[1]?.replace(/\s+#.*$/, "");
      // A shell would connect the others with something else.
      if (words !== undefined && !/ [|>] /.test(words.replaceAll(/'[^']*'|"[^"]*"/g, ""))) {
        examples.push({ words, exitCode });
      }
      if (line === "") exitCode = 0;
    }
  }
  return examples;
}

for (const command of COMMANDS) {
  for (const example of examplesOf(command)) {
    const skipped = reasonToSkip(example.command);
    Deno.test({
      name: `example of help: tilewright ${example.command}${
        skipped === undefined ? "" : ` (skipped: ${skipped})`
      }`,
      ignore: skipped !== undefined,
      fn: async () => {
        assertEquals(shellWords(example.command)[0], command.name);
        const result = await runExample(example.command);
        assertEquals(result?.code, example.exitCode ?? 0, result?.err);
      },
    });
  }
}

Deno.test("the tutorial answers twenty questions, each with one command that a test runs", async () => {
  const tutorial = await Deno.readTextFile(join(PROJECT_ROOT, "docs", "tutorial.md"));
  const [, section = ""] = tutorial.split("## 10. Twenty questions");
  const answers = [...section.matchAll(/^\*\*(\d+)\. .+\?\*\*\n\n(```sh\n[\s\S]*?```)\n/gm)];
  assertEquals(
    answers.map(([, number]) => Number(number)),
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
  assertEquals(section.match(/```sh/g)?.length, 20);
  for (const [, number, block = ""] of answers) {
    const examples = shellExamples(block);
    assertEquals([examples.length, examples.map(({ words }) => reasonToSkip(words)).join()], [1, ""], number);
  }
});

Deno.test("every call of the tool in README and docs runs as written", async (t) => {
  const paths = ["README.md"];
  for (const { name } of Deno.readDirSync(join(PROJECT_ROOT, "docs"))) {
    // Examples in docs/cli.md are those of the command table.
    if (name.endsWith(".md") && name !== "cli.md") paths.push(`docs/${name}`);
  }
  const known = new Set(COMMANDS.flatMap((command) => examplesOf(command).map((example) => example.command)));
  for (const path of paths.sort()) {
    for (const { words, exitCode } of shellExamples(Deno.readTextFileSync(join(PROJECT_ROOT, path)))) {
      if (known.has(words) || reasonToSkip(words) !== undefined) continue;
      await t.step(`${path}: tilewright ${words}`, async () => {
        const result = await runExample(words);
        if (result !== undefined) assertEquals(result.code, exitCode, result.err);
      });
    }
  }
});
