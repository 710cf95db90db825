// SPDX-License-Identifier: Apache-2.0

/**
 * V8's flags must be given when V8 starts, and `deno run -A cli/main.ts` names none. If permitted, the
 * program therefore starts itself again, with the flags and with only the permissions that it needs.
 *
 * @module
 */

/**
 * V8 flags for a process that runs for seconds.
 *
 * - No optimizing compiler and no thread for baseline code: most code does not run long enough to pay for
 *   them. Maglev, between the two, compiles hot functions.
 * - Functions are compiled with their module, because Deno caches a module's code in the state after loading.
 * - The young generation is 8 MB from start to end, which fits the processor's cache. Survivors of one
 *   scavenge are promoted at once (V8 calls it chaos mode at 100 %), because most of them live long and would
 *   be copied twice.
 * - The old generation is not collected below 320 MB, more than most inputs need. `--expose-gc` lets
 *   `optimize` collect garbage on long inputs before it searches and writes.
 *
 * Measured in docs/optimality.md, "V8".
 */
export const V8_FLAGS: string = [
  "--no-turbofan",
  "--no-maglev-inlining",
  "--invocation-count-for-maglev=1600",
  "--no-concurrent-sparkplug",
  "--no-lazy",
  "--min-semi-space-size=8",
  "--max-semi-space-size=8",
  "--scavenger-chaos-mode",
  "--scavenger-chaos-mode-threshold=100",
  "--initial-heap-size=320",
  "--expose-gc",
].join();

/** Permissions of the command line: files, its own variables and those that control printing. */
export const PERMISSIONS: readonly string[] = [
  "--allow-read",
  "--allow-write",
  "--allow-env=TILEWRIGHT_*,NO_COLOR,COLUMNS",
];

/** Further permissions of commands that query the real backend: they start Python, which caches files. */
export const BACKEND_PERMISSIONS: readonly string[] = [
  "--allow-read",
  "--allow-write",
  "--allow-env=TILEWRIGHT_*,NO_COLOR,COLUMNS,HOME,XDG_CACHE_HOME",
  "--allow-run",
];

/**
 * Pattern of command lines that query the real backend, their words between blanks. The launchers of packages
 * use it as well, so it is limited to the syntax of Python's regular expressions.
 */
const ASKS_BACKEND = "^ confirm | --(confirm|against)[ =]| --op-model[ =]ttnn ";

/** Permissions for serving a page: as above, and listening on this machine only. */
const SERVER_PERMISSIONS: readonly string[] = [...PERMISSIONS, "--allow-net=127.0.0.1"];

/** Pattern of command lines that serve a page. */
const SERVES_PAGE = "^ report .*--serve ";

/** Permissions of command lines that need more than others, by the words in them; the first match counts. */
export const MORE_PERMISSIONS: readonly {
  readonly words: string;
  readonly permissions: readonly string[];
}[] = [
  { words: ASKS_BACKEND, permissions: BACKEND_PERMISSIONS },
  { words: SERVES_PAGE, permissions: SERVER_PERMISSIONS },
];

/** Permissions of a command line. */
export function permissionsFor(args: readonly string[]): readonly string[] {
  const line = ` ${args.join(" ")} `;
  return MORE_PERMISSIONS.find(({ words }) => new RegExp(words).test(line))?.permissions ?? PERMISSIONS;
}

/** Long-lived servers: their client owns their process. */
const STAYS: ReadonlySet<string> = new Set(["serve", "mcp"]);

/** Signals that end a process and are passed on. */
const SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT", "SIGBREAK"]
  : ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Open files of a process by their numbers, as a shell passes `<(…)`; child processes do not inherit them.
 */
const OPEN_FILE = /\/(?:dev|proc\/self)\/fd\//;

/**
 * Whether a command line benefits from its own process. Help does as well: Deno would download all packages of the
 * checkout's lock file for it in this one.
 */
export function gainsByRestart(args: readonly string[]): boolean {
  const [command] = args;
  return !(command !== undefined && STAYS.has(command)) && !args.some((arg) => OPEN_FILE.test(arg));
}

/** Whether this process may start another one with the permissions that {@linkcode permissionsFor} lists. */
function mayRestart(permissions: readonly string[]): boolean {
  const wanted: readonly Deno.PermissionDescriptor[] = [
    permissions.includes("--allow-run") ? { name: "run" } : { name: "run", command: Deno.execPath() },
    { name: "read" },
    { name: "write" },
    { name: "env" },
  ];
  return wanted.every((permission) => Deno.permissions.querySync(permission).state === "granted");
}

/** Path of a file. `@std/path` is a package, which this process must not load. */
function pathOf({ pathname }: URL): string {
  return decodeURIComponent(Deno.build.os === "windows" ? pathname.slice(1) : pathname);
}

/**
 * Runs a program in a new process with {@linkcode V8_FLAGS} and its {@linkcode permissionsFor}, connected to
 * the streams of this process, and returns its exit code; `undefined` if that is not permitted or has no
 * benefit.
 *
 * @param program URL of its main module
 * @param lock URL of its lock file; without one, or where it is no file, Deno finds that of the configuration
 */
export async function restarted(
  program: URL,
  args: readonly string[],
  lock?: URL,
): Promise<number | undefined> {
  const permissions = permissionsFor(args);
  if (!gainsByRestart(args) || !mayRestart(permissions)) return undefined;
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--quiet",
      "--no-prompt",
      ...lock?.protocol === "file:" ? [`--lock=${pathOf(lock)}`, "--frozen"] : [],
      `--v8-flags=${V8_FLAGS}`,
      ...permissions,
      program.href,
      ...args,
    ],
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
  }).spawn();
  let ended = false;
  const listeners = SIGNALS.map((signal) =>
    [signal, (): void => {
      if (!ended) child.kill(signal);
    }] as const
  );
  for (const [signal, listener] of listeners) Deno.addSignalListener(signal, listener);
  const { code } = await child.status;
  ended = true;
  for (const [signal, listener] of listeners) Deno.removeSignalListener(signal, listener);
  return code;
}
