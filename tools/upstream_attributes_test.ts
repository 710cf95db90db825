// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { basename } from "@std/path";
import { DiagnosticError } from "../lib/diagnostics/diagnostic.ts";
import { type ModuleText, parseModules } from "../lib/ir/mod.ts";
import { paddingOf } from "../lib/ops/op_windows.ts";
import { definitionOf } from "../lib/ops/op_book.ts";
import { DEFAULT_PASS_OPTIONS, type PassSelection } from "../lib/passes/pass_options.ts";
import { prepareGraph } from "../pipeline/load_module.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { corpusFiles, corpusTest } from "../testing/corpus.ts";
import {
  type AttributeAgreement,
  type AttributeDifference,
  compareAttributes,
  comparedOps,
} from "../testing/attribute_agreement.ts";
import { upstreamMade } from "./upstream_made.ts";

/** A difference that is known: why upstream's attribute says the same, or is no property of the input. */
interface KnownDifference {
  readonly reason: string;
  readonly holds: (difference: AttributeDifference) => boolean;
}

function sameNumbers(our: string | undefined, their: string | undefined): boolean {
  const [own, other] = [our, their].map((text) => text?.match(/-?[\d.]+(?:[eE][-+]?\d+)?/g) ?? []);
  return own !== undefined && own.length > 0 && own.length === other?.length &&
    own.every((number, index) => Math.fround(Number(number)) === Math.fround(Number(other[index])));
}

const DECIDED: ReadonlySet<string> = new Set(
  "conv2d_config conv2d_slice_config input_memory_config input_tensor_layout matmul_program_config".split(
    " ",
  ),
);

const KNOWN: readonly KnownDifference[] = [
  {
    reason: "padding of one number or a pair in TTIR stays a pair; here every side is written",
    holds: ({ attribute, ours, theirs }) => {
      if (attribute !== "padding" || definitionOf(ours.name).window === undefined) return false;
      const [own, other] = [ours, theirs].map(paddingOf);
      return own !== undefined && other !== undefined &&
        (["top", "left", "bottom", "right"] as const).every((side) => own[side] === other[side]);
    },
  },
  {
    reason: "the default, written by a decomposition of upstream's",
    holds: ({ ours, attribute, our, their }) =>
      ours.name === "ttnn.permute" && attribute === "pad_value" && our === undefined && their === "0.0 : f32",
  },
  {
    reason: "the same numbers of f32, in the type of another generation or before the result's was changed",
    holds: ({ ours, attribute, our, their }) =>
      /^ttnn\.(?:constant|full)$/.test(ours.name) && /value$/.test(attribute) &&
      sameNumbers(our?.split(" : ")[0], their?.split(" : ")[0]),
  },
  {
    reason: "weights of joined matmuls are concatenated in another order, and cut accordingly",
    holds: ({ ours, attribute }) => ours.name === "ttnn.slice_static" && /^(?:begins|ends)$/.test(attribute),
  },
  {
    reason: "a bias that comes with every inference is added behind the convolution here",
    holds: ({ attribute, our, their }) => attribute === "has_bias" && our === "false" && their === "true",
  },
  {
    reason: "an activation behind a reshape of the product is fused; upstream wants the product itself",
    holds: ({ attribute, our, their }) =>
      attribute === "activation" && our === '"silu"' && their === undefined,
  },
  {
    reason: "the mesh is that of the device, where upstream's run was given another one",
    holds: ({ attribute, our, their }) =>
      /^(?:mapper|composer)_config$/.test(attribute) &&
      our?.replace(/mesh_shape_override = \[[^\]]*\]/, "") ===
        their?.replace(/mesh_shape_override = \[[^\]]*\]/, ""),
  },
  {
    reason: "a dimension counted from the front is the same as one counted from the back",
    holds: ({ ours, attribute, our, their }) => {
      const rank = /\(([\dx]*)x/.exec(ours.key)?.[1]?.split("x").length;
      const [own, other] = [our, their].map((text) => text === undefined ? undefined : Number.parseInt(text));
      return /^dim/.test(attribute) && own !== undefined && other !== undefined &&
        Math.abs(own - other) === rank;
    },
  },
  {
    reason: "an extent that follows from the others is written out",
    holds: ({ ours, attribute, our, their }) => {
      if (ours.name !== "ttnn.reshape" || attribute !== "shape") return false;
      const [own, other] = [our, their].map((text) => text?.match(/-?\d+(?= :)/g) ?? []);
      return own?.length === other?.length &&
        own?.every((extent, dim) => other?.[dim] === extent || other?.[dim] === "-1") === true;
    },
  },
];

/** What upstream's optimizer decides beside layouts; no policy has run here. */
const DECIDED_BY_OPTIMIZER: KnownDifference = {
  reason: "decided by upstream's optimizer",
  holds: ({ attribute, our, their }) =>
    DECIDED.has(attribute) || (attribute === "activation" && our !== undefined && their === undefined),
};

const device = getDevice("n150");

function agreement(
  input: ModuleText,
  theirs: ModuleText,
  selection: PassSelection,
): AttributeAgreement | undefined {
  try {
    const { module } = prepareGraph(input, device, { ...DEFAULT_PASS_OPTIONS, selection });
    return compareAttributes(comparedOps(module), comparedOps(theirs));
  } catch (error) {
    // Which inputs are refused is held elsewhere.
    if (error instanceof DiagnosticError) return undefined;
    throw error;
  }
}

for (
  const [selection, made, from, least] of [
    ["upstream-level-0", "lowered/models", "models/ttir", 9000],
    ["upstream-level-0", "lowered/ops", "ops/ttir", 2000],
    ["upstream", "upstream-level2/models", "models/ttir", 5000],
  ] as const
) {
  corpusTest(`ops of ${made} that match ours have the same attributes`, () => {
    const files = corpusFiles(made);
    const known = selection === "upstream" ? [...KNOWN, DECIDED_BY_OPTIMIZER] : KNOWN;
    const unknown: string[] = [];
    let matched = 0;
    for (const path of corpusFiles(from)) {
      const name = basename(path);
      for (const input of parseModules(Deno.readTextFileSync(path), name)) {
        const theirs = upstreamMade(input, path, files);
        const found = theirs === undefined ? undefined : agreement(input, theirs, selection);
        matched += found?.matched ?? 0;
        for (const difference of found?.differences ?? []) {
          if (known.some(({ holds }) => holds(difference))) continue;
          const { ours: { key }, attribute, our, their } = difference;
          unknown.push(`${name}: ${key}: ${attribute} is ${our}, upstream's ${their}`);
        }
      }
    }
    assertEquals(unknown, []);
    assert(matched >= least, `${matched} ops match`);
  });
}
