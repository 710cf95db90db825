// SPDX-License-Identifier: Apache-2.0
import { inputError } from "../diagnostics/diagnostic.ts";
import { attributeMap } from "../ir/attribute_reader.ts";
import type { AttributeMap } from "../ir/attribute.ts";
import type { ModuleText } from "../ir/module_text.ts";
import { perModule } from "../ir/per_module.ts";
import { tensorTypeOf } from "../ir/tensor_type.ts";
import { affineMapsEqual, ttnnLinearMap } from "../layout/affine/affine_map.ts";
import { readFunctionKind } from "./function_kind.ts";
import {
  type LayoutGeneration,
  LayoutSyntaxError,
  parseLayoutOnce,
  type TtnnLayoutAttribute,
} from "./ttnn_layout.ts";

/**
 * The spelling of TTNN in a file of a certain age, in which we print into it (tt-mlir:ir-generations). The flags tell which
 * properties an op has that repeat parts of its result type.
 */
export interface TtnnProfile {
  /** Name for `--ttnn-profile`. */
  readonly name: ProfileName;
  /** Spelling of `ttnn_layout`, oldest `G1`. */
  readonly layoutGeneration: LayoutGeneration;
  /** Dialect of tiles and devices: `tt` before June 2025. */
  readonly dialect: "ttcore" | "tt";
  /** Affine maps of layouts count rows of whole tiles; false in text from before mid 2025 that shows so. */
  readonly paddedMaps: boolean;
  /** `to_memory_config`, `to_device`, `constant`, … carry `memory_config` (until 2026-05-16, #7548). */
  readonly memoryConfigProperty: boolean;
  /** Elementwise ops, `typecast`, `full`, … carry `dtype` (until 2026-06-02, #8555). */
  readonly dtypeProperty: boolean;
  /** `to_layout`, `full`, `constant`, … carry `layout` (until 2026-06-24, #8699). */
  readonly layoutProperty: boolean;
  /** Const-eval functions carry a unit attribute `const_eval`, not yet `tt.function_type` (until December 2025). */
  readonly unitConstEval: boolean;
  /** Convolutions carry `conv2d_slice_config` (not in the dialect of before June 2025). */
  readonly sliceConfigProperty: boolean;
}

/** Names of profiles, oldest first: by the last thing that distinguishes each from the next. */
export type ProfileName = "g1" | "g2" | "g3" | "memory-config" | "dtype" | "layout" | "head";

/** The profiles by age, oldest first. A file's profile is one of them, corrected by what the file shows. */
export const TTNN_PROFILES: readonly TtnnProfile[] = [
  profile("g1", "G1", "tt", ["memory_config", "layout"]),
  profile("g2", "G2", "ttcore", ["memory_config", "dtype", "layout"]),
  profile("g3", "G3", "ttcore", ["memory_config", "dtype", "layout"]),
  profile("memory-config", "G4", "ttcore", ["memory_config", "dtype", "layout"]),
  profile("dtype", "G4", "ttcore", ["dtype", "layout"]),
  profile("layout", "G4", "ttcore", ["layout"]),
  profile("head", "G4", "ttcore", []),
];

/** @param repeated properties that repeat parts of the result type */
function profile(
  name: ProfileName,
  layoutGeneration: LayoutGeneration,
  dialect: TtnnProfile["dialect"],
  repeated: readonly ("memory_config" | "dtype" | "layout")[],
): TtnnProfile {
  return {
    name,
    layoutGeneration,
    dialect,
    paddedMaps: true,
    memoryConfigProperty: repeated.includes("memory_config"),
    dtypeProperty: repeated.includes("dtype"),
    layoutProperty: repeated.includes("layout"),
    unitConstEval: dialect === "tt",
    sliceConfigProperty: dialect !== "tt",
  };
}

/** The newest profile. */
export const HEAD_PROFILE: TtnnProfile = profile("head", "G4", "ttcore", []);

/**
 * The profile of a name.
 *
 * @throws {DiagnosticError} for an unknown name
 */
export function getProfile(name: string): TtnnProfile {
  const profile = TTNN_PROFILES.find((candidate) => candidate.name === name);
  if (profile !== undefined) return profile;
  const names = TTNN_PROFILES.map((candidate) => candidate.name);
  throw inputError(
    "profile/unknown",
    `Cannot find profile ${JSON.stringify(name)}: profiles are ${names.join(", ")}`,
  );
}

/** A property that repeats a part of the result's type. */
type CarriedProperty = "memory_config" | "dtype" | "layout";

/** Ops that carried a property as long as ops did. */
const CARRIERS: Readonly<Record<CarriedProperty, readonly string[]>> = {
  memory_config: ["ttnn.to_memory_config", "ttnn.to_device"],
  dtype: ["ttnn.typecast", "ttnn.add", "ttnn.subtract", "ttnn.multiply", "ttnn.divide"],
  layout: ["ttnn.to_layout"],
};

/** What the ops and types of a file show. */
interface Evidence {
  /** Of every carrier of a property whether it has it. */
  readonly carried: Readonly<Record<CarriedProperty, readonly boolean[]>>;
  /** Of every layout that says so. */
  readonly generations: readonly LayoutGeneration[];
  /** Of every layout whose map shows it whether it counts rows of whole tiles. */
  readonly paddedMaps: readonly boolean[];
  readonly isOldDialect: boolean;
  /** Whether a unit attribute marks the first const-eval function; `undefined` without such a function. */
  readonly unitConstEval: boolean | undefined;
  /**
   * The device's worker grid has an unnamed map, as before G3; or named ones but no DRAM grid, as in the time of G3;
   * or both, as from G4 on.
   */
  readonly device: "G2" | "G3" | "G4" | undefined;
}

/**
 * Finds out which profile a file is written in. Every fact that the file shows (a key on an op that used to require
 * it, the spelling of a sharded layout or of the device) bounds the age from one side; the newest profile within the
 * bounds is taken, and what the file shows directly always wins. Files that show nothing have the newest profile.
 * Memoised.
 */
export const detectProfile: (module: ModuleText) => TtnnProfile = perModule(readProfile);

function readProfile(module: ModuleText): TtnnProfile {
  const evidence = collect(module);
  const { carried, generations, isOldDialect } = evidence;
  const base = newestWithin(evidence);
  // A grid without a map meant the cores from the first on before there were core ranges, and tests written by hand still
  // rely on that.
  const isBare = generations.includes("G1") && carried.memory_config.includes(true);
  return {
    ...base,
    layoutGeneration: mostFrequent(generations) ?? (isBare ? "G1" : base.layoutGeneration),
    dialect: isOldDialect ? "tt" : "ttcore",
    // Hand-written tests keep maps that were never right; only what the old dialect wrote is another rule.
    paddedMaps: !isOldDialect || isMostly(evidence.paddedMaps) !== false,
    memoryConfigProperty: isMostly(carried.memory_config) ?? base.memoryConfigProperty,
    dtypeProperty: isMostly(carried.dtype) ?? base.dtypeProperty,
    layoutProperty: isMostly(carried.layout) ?? base.layoutProperty,
    unitConstEval: evidence.unitConstEval ?? base.unitConstEval,
  };
}

/** What at least half of a file says, where a hand-written one contradicts itself; `undefined` if it says nothing. */
function isMostly(said: readonly boolean[]): boolean | undefined {
  return said.length === 0 ? undefined : 2 * said.filter((each) => each).length >= said.length;
}

function newestWithin({ carried, generations, device, isOldDialect }: Evidence): TtnnProfile {
  const generation = mostFrequent(generations);
  const bounds: Readonly<Partial<Record<ProfileName, boolean>>> = {
    g1: isOldDialect,
    g2: generation === "G2" || device === "G2",
    g3: generation === "G3" || device === "G3",
    "memory-config": isMostly(carried.memory_config) === true,
    dtype: isMostly(carried.dtype) === true,
    layout: isMostly(carried.layout) === true,
  };
  return TTNN_PROFILES.find(({ name }) => bounds[name] === true) ?? HEAD_PROFILE;
}

function mostFrequent(generations: readonly LayoutGeneration[]): LayoutGeneration | undefined {
  // A sharded layout that does not say where it is may be an old one or a mistake; only the dialect can tell.
  const counts = (["G4", "G3", "G2"] as const).map((name) =>
    [name, generations.filter((generation) => generation === name).length] as const
  );
  return counts.filter(([, count]) => count > 0).toSorted(([, a], [, b]) => b - a)[0]?.[0];
}

function collect(module: ModuleText): Evidence {
  const attributesOf = (...names: readonly string[]): readonly AttributeMap[] =>
    module.operations.filter(({ name }) => names.includes(name)).map((op) => attributeMap(module, op));
  const carried = (key: CarriedProperty) => attributesOf(...CARRIERS[key]).map((own) => own.has(key));
  const constEval = attributesOf("func.func").find((own) => readFunctionKind(own) === "const_eval");
  const layouts = resultLayouts(module);
  return {
    carried: { memory_config: carried("memory_config"), dtype: carried("dtype"), layout: carried("layout") },
    generations: layouts.flatMap(({ attribute }) => attribute.generation ?? []),
    paddedMaps: layouts.flatMap(({ shape, attribute }) => countsTiles(shape, attribute) ?? []),
    isOldDialect: /[#!]tt\./.test(module.text),
    unitConstEval: constEval && !constEval.has("tt.function_type"),
    device: module.operations.filter(({ name }) => name === "ttcore.device")
      .map(({ span }) => gridGeneration(module.text.slice(span.start, span.end)))
      .findLast((generation) => generation !== undefined),
  };
}

/** The layouts of results of TTNN ops, each once, with the shape of the first tensor that has it. */
function resultLayouts(
  module: ModuleText,
): readonly { readonly shape: readonly number[]; readonly attribute: TtnnLayoutAttribute }[] {
  const shapes = new Map<string, readonly number[]>();
  for (const { name, results } of module.operations) {
    for (const value of name.startsWith("ttnn.") ? results : []) {
      const { encoding, shape } = tensorTypeOf(module, value) ?? {};
      if (encoding !== undefined && shape !== undefined) shapes.getOrInsert(encoding, shape);
    }
  }
  return [...shapes].flatMap(([encoding, shape]) => {
    const attribute = parseLayoutOnce(module, encoding);
    return attribute === undefined || attribute instanceof LayoutSyntaxError ? [] : [{ shape, attribute }];
  });
}

/** Whether the map of a layout counts rows of whole tiles; `undefined` if the shape or another map does not show it. */
function countsTiles(
  shape: readonly number[],
  { layout, collapseMap }: TtnnLayoutAttribute,
): boolean | undefined {
  const padded = ttnnLinearMap(shape, layout.tile);
  const unpadded = ttnnLinearMap(shape, undefined);
  if (affineMapsEqual(padded, unpadded)) return undefined;
  if (affineMapsEqual(collapseMap, padded)) return true;
  return affineMapsEqual(collapseMap, unpadded) ? false : undefined;
}

function gridGeneration(device: string): Evidence["device"] {
  if (/workerGrid = #?[\w.]*<[^>]*virt_to_physical_map/.test(device)) {
    return device.includes("dramGrid") ? "G4" : "G3";
  }
  return /workerGrid = #?[\w.]*<\d+x\d+,/.test(device) ? "G2" : undefined;
}
