// SPDX-License-Identifier: Apache-2.0
import { grouped, type OptionSpec } from "../command.ts";
import devices from "../../sim/devices/devices.json" with { type: "json" };

/** Options that every command understands. */
export const COMMON_OPTIONS: readonly OptionSpec[] = [
  { name: "help", short: "h", kind: "boolean", description: "Show help and exit" },
  {
    name: "color",
    kind: "choice",
    value: "WHEN",
    choices: ["auto", "always", "never"],
    default: "auto",
    description: "Colour the output; auto is for terminals, unless NO_COLOR is set",
  },
  {
    name: "csv",
    kind: "boolean",
    description: "Print the tables of the report as CSV instead: every column, times in µs, nothing cut",
  },
  {
    name: "config",
    kind: "string",
    value: "FILE",
    description: "Read options from this file instead of the nearest tilewright.jsonc; none: no file",
  },
  {
    name: "print-config",
    kind: "boolean",
    description: "Print every option with its value and its origin, and exit",
  },
];

/** `-o FILE`. */
export const OUTPUT: OptionSpec = {
  name: "output",
  short: "o",
  kind: "string",
  value: "FILE",
  description: "Write the result to FILE; - is standard output",
};

export const JSON_OUTPUT: OptionSpec = {
  name: "json",
  kind: "boolean",
  description: "Print one JSON object instead of a table",
};

/** `--device`, `--mesh-shape` and `--system-desc-path`: the machine that plans and prices are for. */
export const DEVICE_OPTIONS: readonly OptionSpec[] = [
  {
    name: "device",
    kind: "string",
    value: "NAME",
    suggestions: devices.map((device) => device.name),
    description:
      "Chip or machine to decide for, or a device JSON of your own; default: the one that the input's " +
      "system_desc and mesh describe, else n150",
    // The chips of upstream's mock descriptors.
    pipeline: [{
      name: "mock-system-desc-arch",
      values: { "wormhole_b0": "n150", "blackhole": "p150", "quasar": "quasar" },
      takesOurs: false,
      // A description of a real system comes before a mock one (tt-mlir, TTCoreRegisterDevice).
      yieldsTo: "system-desc-path",
    }],
  },
  {
    name: "mesh-shape",
    kind: "string",
    value: "SHAPE",
    description: "Chips along each axis of the mesh, such as 2x4, for inputs that do not state it",
  },
  {
    name: "system-desc-path",
    kind: "string",
    value: "FILE",
    description:
      "Take the chip from this file: MLIR with a ttcore.system_desc, ttrt's system descriptor as JSON, or a device JSON",
  },
];

/** `--profile`: a run on hardware for comparison with the prediction. */
export const PROFILE: OptionSpec = {
  name: "profile",
  kind: "string",
  value: "FILE",
  description:
    "Show a measured run beside the prediction: the profiler's ops_perf_results.csv of the program, or tt-perf-report's CSV",
};

/** `--module`: selects one of several modules. */
export const MODULE: OptionSpec = {
  name: "module",
  kind: "string",
  value: "NAME",
  description:
    "Module of a file that holds several (a log, dumps of passes, JSON, modules in turn): its number, a " +
    "part of its title, or a function's name; default: the last that is compiled furthest",
};

/** The chip, and facts about a run that no graph states. */
export const RUN_OPTIONS: readonly OptionSpec[] = grouped("run", [
  ...DEVICE_OPTIONS,
  MODULE,
  {
    name: "argument-types",
    kind: "string",
    value: "FUNCTION=TYPE,…",
    description:
      "Roles of arguments, overriding the input, as upstream's option: input, parameter or constant for every " +
      "argument of a function, such as main=input,parameter; separate functions with ;",
  },
  {
    name: "cache-filled",
    kind: "string",
    value: "SHARE|POSITIONS",
    description:
      "How full caches are when decode attention reads them by position, such as 25%, or 1024 positions per " +
      "user; default: full",
  },
  {
    name: "active-users",
    kind: "number",
    value: "N",
    from: 1,
    description: "Active users of the batch in decode attention; default: all",
  },
  {
    name: "active-experts",
    kind: "number",
    value: "N",
    from: 1,
    description: "Experts that each batch of rows of a sparse_matmul is sent to; default: all",
  },
]);

export const SPLIT_INPUT_FILE: OptionSpec = {
  name: "split-input-file",
  kind: "boolean",
  description: "Treat the parts between // ----- lines as separate modules",
};

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
  return {
    name: "emit",
    kind: "string",
    value: "KIND=FILE",
    repeatable: true,
    description: `Also write ${described.slice(0, -1).join(", ")} or ${
      described.at(-1) ?? ""
    }; - is standard output`,
  };
}
