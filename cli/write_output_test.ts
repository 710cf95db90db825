// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { DiagnosticError } from "../lib/diagnostics/diagnostic.ts";
import { conditionalTest, PROJECT_ROOT, toolTest } from "../testing/corpus.ts";
import { EXIT } from "./command.ts";
import { writeOutput } from "./write_output.ts";

const TEXT = "module {}\n".repeat(3);

async function inTempDir(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await run(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** What stands at the end of a path afterwards. */
interface Target {
  /** Makes what is there before, in an empty folder; answers the path to write to. */
  readonly make: (folder: string) => Promise<string>;
  /** Where the text has to be, and what that file has to be like. */
  readonly file: string;
  readonly mode?: number;
}

const within = (name: string) => (folder: string): Promise<string> => Promise.resolve(join(folder, name));

async function existing(folder: string, name: string, mode = 0o644): Promise<string> {
  const path = join(folder, name);
  await Deno.writeTextFile(path, "a longer text that was here before\n".repeat(10));
  await Deno.chmod(path, mode);
  return path;
}

async function link(folder: string, target: string, name: string): Promise<string> {
  await Deno.symlink(target, join(folder, name));
  return join(folder, name);
}

const FILES: Readonly<Record<string, Target>> = {
  "nothing yet": { make: within("new.mlir"), file: "new.mlir" },
  "a file": { make: (folder) => existing(folder, "a.mlir"), file: "a.mlir", mode: 0o644 },
  "a private file": { make: (folder) => existing(folder, "a.mlir", 0o600), file: "a.mlir", mode: 0o600 },
  "an executable file": { make: (folder) => existing(folder, "a.sh", 0o755), file: "a.sh", mode: 0o755 },
  "a link to a file": {
    make: async (folder) => {
      await existing(folder, "a.mlir", 0o640);
      return await link(folder, "a.mlir", "l.mlir");
    },
    file: "a.mlir",
    mode: 0o640,
  },
  "a link to a link into a folder": {
    make: async (folder) => {
      await Deno.mkdir(join(folder, "sub"));
      await existing(join(folder, "sub"), "a.mlir");
      await link(folder, "sub/a.mlir", "m.mlir");
      return await link(folder, "m.mlir", "l.mlir");
    },
    file: "sub/a.mlir",
  },
  "a link to nothing": { make: (folder) => link(folder, "later.mlir", "l.mlir"), file: "later.mlir" },
  "one of two names of a file": {
    make: async (folder) => {
      await Deno.link(await existing(folder, "a.mlir"), join(folder, "b.mlir"));
      return join(folder, "b.mlir");
    },
    file: "a.mlir",
  },
};

for (const [name, { make, file, mode }] of Object.entries(FILES)) {
  Deno.test(`output to ${name} is there as a whole, and links stay links`, async () => {
    await inTempDir(async (folder) => {
      const path = await make(folder);
      const before = await Deno.lstat(path).catch(() => undefined);
      await writeOutput(path, TEXT);
      const written = join(folder, file);
      assertEquals(await Deno.readTextFile(written), TEXT);
      assertEquals(await Deno.readTextFile(path), TEXT);
      if (before?.isSymlink) assert((await Deno.lstat(path)).isSymlink);
      if (mode !== undefined) assertEquals(((await Deno.stat(written)).mode ?? 0) & 0o7777, mode);
      const names = [...Deno.readDirSync(folder)].map((entry) => entry.name);
      assertEquals(names.filter((entry) => entry.includes("partial")), []);
    });
  });
}

const REFUSED: Readonly<
  Record<string, readonly [make: (folder: string) => Promise<string>, reason: string]>
> = {
  "a folder": [(folder) => Promise.resolve(folder), "it is a folder"],
  "a missing folder": [within("no/such.mlir"), "its folder does not exist"],
  "a file used as a folder": [
    async (folder) => `${await existing(folder, "a.mlir")}/b.mlir`,
    "a part of the path is a file",
  ],
  "a circle of links": [
    async (folder) => {
      await link(folder, "b", "a");
      return await link(folder, "a", "b");
    },
    "circle",
  ],
  "a full device": [() => Promise.resolve("/dev/full"), "no space left"],
};

for (const [name, [make, reason]] of Object.entries(REFUSED)) {
  Deno.test(`output to ${name} is refused with the reason`, async () => {
    await inTempDir(async (folder) => {
      const path = await make(folder);
      const error = await assertRejects(() => writeOutput(path, TEXT), DiagnosticError);
      assertStringIncludes(error.message, `Cannot write ${path}: `);
      assertStringIncludes(error.message, reason);
    });
  });
}

/** As root, one careless `mv` makes a regular file of it: no fault of what is tested here. */
const NULL_DEVICE = "/dev/null";
const HAS_NULL_DEVICE: boolean = Deno.build.os !== "windows" &&
  Deno.statSync(NULL_DEVICE).isCharDevice === true;

conditionalTest(
  "a device stays a device",
  HAS_NULL_DEVICE ? undefined : `${NULL_DEVICE} is none here`,
  async () => {
    await writeOutput(NULL_DEVICE, TEXT);
    assert((await Deno.stat(NULL_DEVICE)).isCharDevice);
  },
);

Deno.test("a pipe delivers", async () => {
  await inTempDir(async (folder) => {
    const pipe = join(folder, "pipe");
    assert((await new Deno.Command("mkfifo", { args: [pipe] }).output()).success);
    const reader = new Deno.Command("cat", { args: [pipe], stdout: "piped" }).output();
    await writeOutput(pipe, TEXT);
    assertEquals(new TextDecoder().decode((await reader).stdout), TEXT);
    assert((await Deno.stat(pipe)).isFifo);
  });
});

/** Runs a line of shell in an empty folder; `$TILEWRIGHT` is the command line, `$MNIST` a model. */
async function shell(bash: string, line: string): Promise<{ code: number; out: string; err: string }> {
  let result = { code: -1, out: "", err: "" };
  await inTempDir(async (cwd) => {
    const env = {
      TILEWRIGHT: `${Deno.execPath()} run --quiet --no-prompt -A ${join(PROJECT_ROOT, "cli/main.ts")}`,
      MNIST: join(PROJECT_ROOT, "testdata/models/mnist.mlir"),
      NO_COLOR: "1",
    };
    const { code, stdout, stderr } = await new Deno.Command(bash, { args: ["-c", line], env, cwd }).output();
    result = { code, out: new TextDecoder().decode(stdout), err: new TextDecoder().decode(stderr) };
  });
  return result;
}

toolTest(
  "bash",
  "standard output by its paths, process substitution and open files get what is theirs",
  async (bash) => {
    const model = await Deno.readTextFile(join(PROJECT_ROOT, "testdata/models/mnist.mlir"));
    for (const path of ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]) {
      const { code, out, err } = await shell(bash, `$TILEWRIGHT print $MNIST -o ${path} > all; cat all`);
      assertEquals([code, out, err], [EXIT.ok, model, ""], path);
    }
    const substituted = await shell(bash, "$TILEWRIGHT print $MNIST -o >(cat > copy); sleep 0.3; cat copy");
    assertEquals([substituted.out, substituted.err], [model, ""]);
    const opened = await shell(
      bash,
      "exec 5>log; echo first >&5; $TILEWRIGHT print $MNIST -o /dev/fd/5; cat log",
    );
    assertEquals(opened.out, `first\n${model}`);
  },
);

toolTest("bash", "a reader that has read enough ends nothing, a full disk says so", async (bash) => {
  const closed = await shell(
    bash,
    "yes '// filler' | head -c 300000 > big; cat $MNIST >> big; $TILEWRIGHT print big | head -n 1; echo ${PIPESTATUS[0]}",
  );
  assertEquals([closed.out, closed.err], ["// filler\n0\n", ""]);
  const full = await shell(bash, "$TILEWRIGHT print $MNIST > /dev/full");
  assertEquals(
    [full.code, full.err],
    [EXIT.badInput, "error: Cannot write standard output: no space left\n"],
  );
  const help = await shell(bash, "$TILEWRIGHT --help > /dev/full");
  assertEquals([help.code, help.err], [EXIT.badInput, full.err]);
});

toolTest("bash", "a missing permission is named without a stack trace", async (bash) => {
  const line = "${TILEWRIGHT/-A/--allow-read} print $MNIST -o out.mlir";
  const write = await shell(bash, line);
  assertEquals(write.code, EXIT.badInput);
  assertStringIncludes(write.err, "--allow-write");
  const read = await shell(bash, "${TILEWRIGHT/-A/--allow-write} print $MNIST");
  assertEquals(read.code, EXIT.badInput);
  assertStringIncludes(read.err, "--allow-read");
  for (const { err } of [write, read]) assertEquals(err.includes("    at "), false, err);
});
