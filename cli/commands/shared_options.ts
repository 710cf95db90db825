// SPDX-License-Identifier: Apache-2.0
import { grouped, option, options, type OptionSpec } from "../command.ts";
import devices from "../../sim/devices/devices.json" with { type: "json" };

/** Options that every command understands. */
export const COMMON_OPTIONS: readonly OptionSpec[] = options(
  "help (short h) — Show help and exit",
  "color WHEN (one of auto|always|never, default auto) — Colour the output; auto is for terminals, unless NO_COLOR is set",
  "csv — Print the tables of the report as CSV instead: every column, times in µs, nothing cut",
  "config FILE — Read options from this file instead of the nearest tilewright.jsonc; none: no file",
  "print-config — Print every option with its value and its origin, and exit",
);

/** `-o FILE`. */
export const OUTPUT: OptionSpec = option("output FILE", "Write the result to FILE; - is standard output", {
  short: "o",
});

export const JSON_OUTPUT: OptionSpec = option("json", "Print one JSON object instead of a table");

/** `--device`, `--mesh-shape` and `--system-desc-path`: the machine that plans and prices are for. */
export const DEVICE_OPTIONS: readonly OptionSpec[] = options(
  option(
    "device NAME",
    "Chip or machine to decide for, or a device JSON of your own; default: the one that the input's system_desc and mesh describe, else n150",
    {
      suggestions: devices.map((device) => device.name),
      // The chips of upstream's mock descriptors.
      pipeline: [{
        name: "mock-system-desc-arch",
        values: { "wormhole_b0": "n150", "blackhole": "p150", "quasar": "quasar" },
        takesOurs: false,
        // A description of a real system comes before a mock one (tt-mlir, TTCoreRegisterDevice).
        yieldsTo: "system-desc-path",
      }],
    },
  ),
  "mesh-shape SHAPE — Chips along each axis of the mesh, such as 2x4, for inputs that do not state it",
  "system-desc-path FILE — Take the chip from this file: MLIR with a ttcore.system_desc, ttrt's system descriptor as JSON, or a device JSON",
);

/** `--profile`: a run on hardware for comparison with the prediction. */
export const PROFILE: OptionSpec = option(
  "profile FILE",
  "Show a measured run beside the prediction: the profiler's ops_perf_results.csv of the program, or tt-perf-report's CSV",
);

/** `--module`: selects one of several modules. */
export const MODULE: OptionSpec = option(
  "module NAME",
  "Module of a file that holds several (a log, dumps of passes, JSON, modules in turn): its number, its symbol, words of its title, or a function's name; default: the last that is compiled furthest",
);

/** The chip, and facts about a run that no graph states. */
export const RUN_OPTIONS: readonly OptionSpec[] = grouped("run", [
  ...DEVICE_OPTIONS,
  MODULE,
  "argument-types FUNCTION=TYPE,… — Roles of arguments, overriding the input, as upstream's option: input, parameter or constant for every argument of a function, such as main=input,parameter; separate functions with ;",
  "cache-filled SHARE|POSITIONS — How full caches are when decode attention reads them by position, such as 25%, or 1024 positions per user; default: full",
  "active-users N (from 1) — Active users of the batch in decode attention; default: all",
  "active-experts N (from 1) — Experts that each batch of rows of a sparse_matmul is sent to; default: all",
]);

export const SPLIT_INPUT_FILE: OptionSpec = option(
  "split-input-file",
  "Treat the parts between // ----- lines as separate modules",
);

/** Kinds of additional outputs of a command, each with its description or reader. */
export type EmitKinds<Kind extends string = string> = Readonly<Record<Kind, string>>;

/** Outputs of `simulate --emit`. */
export const SIMULATE_EMITS = {
  "chrome-trace": "Perfetto",
  "perf-csv": "tt-perf-report",
  "model-explorer": "Model Explorer",
  "ttnn-python": "a program for pip install ttnn",
  "json": "as --json",
} as const;

/** Outputs of `optimize --emit`. */
export const OPTIMIZE_EMITS = {
  "overrides": "the plan as options of ttmlir-opt by location name",
  "model-explorer": "its graph for Model Explorer",
  "ttnn-python": "a program for pip install ttnn",
} as const;

/** The option `--emit` of a command with these kinds. */
export function emitOption(kinds: EmitKinds): OptionSpec {
  const described = Object.entries(kinds).map(([kind, what]) => `${kind}=FILE (${what})`);
  return option(
    "emit KIND=FILE",
    `Also write ${described.slice(0, -1).join(", ")} or ${described.at(-1) ?? ""}; - is standard output`,
    { repeatable: true },
  );
}
