// SPDX-License-Identifier: Apache-2.0
import { inputError } from "../diagnostics/diagnostic.ts";
import { attributeMap } from "../ir/attribute_reader.ts";
import type { ModuleText, Operation } from "../ir/module_text.ts";
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

/** Ops that carried `memory_config` as long as ops did. */
const MEMORY_CONFIG_OPS: ReadonlySet<string> = new Set(["ttnn.to_memory_config", "ttnn.to_device"]);
/** Ops that carried `dtype` as long as ops did. */
const DTYPE_OPS: ReadonlySet<string> = new Set([
  "ttnn.typecast",
  "ttnn.add",
  "ttnn.subtract",
  "ttnn.multiply",
  "ttnn.divide",
]);

/** Counts of each spelling in a file's ops and types; the larger count decides where a hand-written file contradicts itself. */
interface Evidence {
  readonly withKey: Record<"memory_config" | "dtype" | "layout", number>;
  readonly withoutKey: Record<"memory_config" | "dtype" | "layout", number>;
  readonly generations: Record<LayoutGeneration, number>;
  /** Number of layouts with padded and with unpadded rows, of those whose map shows which. */
  readonly maps: { padded: number; unpadded: number };
  oldDialect: boolean;
  /** Whether a unit attribute marks the first const-eval function; `undefined` without such a function. */
  unitConstEval: boolean | undefined;
  /**
   * The device's worker grid has an unnamed map, as before G3; or named ones but no DRAM grid, as in the time of G3;
   * or both, as from G4 on.
   */
  device: "none" | "G2" | "G3" | "G4";
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
  const age = newestWithin(evidence);
  const base = TTNN_PROFILES[age] ?? HEAD_PROFILE;
  return {
    ...base,
    layoutGeneration: mostFrequent(evidence.generations) ?? (isBare(evidence) ? "G1" : base.layoutGeneration),
    dialect: evidence.oldDialect ? "tt" : "ttcore",
    // Hand-written tests keep maps that were never right; only what the old dialect wrote is another rule.
    paddedMaps: !evidence.oldDialect || evidence.maps.unpadded <= evidence.maps.padded,
    memoryConfigProperty: shown(evidence, "memory_config") ?? base.memoryConfigProperty,
    dtypeProperty: shown(evidence, "dtype") ?? base.dtypeProperty,
    layoutProperty: shown(evidence, "layout") ?? base.layoutProperty,
    unitConstEval: evidence.unitConstEval ?? base.unitConstEval,
  };
}

function newestWithin(evidence: Evidence): number {
  const indexOf = (name: ProfileName) => TTNN_PROFILES.findIndex((candidate) => candidate.name === name);
  let newest = TTNN_PROFILES.length - 1;
  const atMost = (name: ProfileName) => newest = Math.min(newest, indexOf(name));
  if (shown(evidence, "layout") === true) atMost("layout");
  if (shown(evidence, "dtype") === true) atMost("dtype");
  if (shown(evidence, "memory_config") === true) atMost("memory-config");
  const generation = mostFrequent(evidence.generations);
  if (generation === "G3" || evidence.device === "G3") atMost("g3");
  if (generation === "G2" || evidence.device === "G2") atMost("g2");
  if (evidence.oldDialect) atMost("g1");
  return newest;
}

function shown(evidence: Evidence, key: "memory_config" | "dtype" | "layout"): boolean | undefined {
  const withKey = evidence.withKey[key];
  const withoutKey = evidence.withoutKey[key];
  return withKey + withoutKey === 0 ? undefined : withKey >= withoutKey;
}

function mostFrequent(counts: Record<LayoutGeneration, number>): LayoutGeneration | undefined {
  // A sharded layout that does not say where it is may be an old one or a mistake; only the dialect can tell.
  const generations: readonly LayoutGeneration[] = ["G4", "G3", "G2"];
  let best: LayoutGeneration | undefined;
  for (const generation of generations) {
    if (counts[generation] > (best === undefined ? 0 : counts[best])) best = generation;
  }
  return best;
}

/**
 * Whether no sharded layout names its cores, in a text from before core ranges: a grid without a map then meant the cores
 * from the first on, and tests written by hand still rely on that.
 */
function isBare({ generations, withKey }: Evidence): boolean {
  return generations.G1 > 0 && withKey.memory_config > 0;
}

function collect(module: ModuleText): Evidence {
  const evidence: Evidence = {
    withKey: { memory_config: 0, dtype: 0, layout: 0 },
    withoutKey: { memory_config: 0, dtype: 0, layout: 0 },
    generations: { G1: 0, G2: 0, G3: 0, G4: 0 },
    maps: { padded: 0, unpadded: 0 },
    oldDialect: /[#!]tt\./.test(module.text),
    unitConstEval: undefined,
    device: "none",
  };
  const encodings = new Set<string>();
  for (const operation of module.operations) {
    if (MEMORY_CONFIG_OPS.has(operation.name)) countKey(module, operation, "memory_config", evidence);
    else if (DTYPE_OPS.has(operation.name)) countKey(module, operation, "dtype", evidence);
    else if (operation.name === "ttnn.to_layout") countKey(module, operation, "layout", evidence);
    else if (operation.name === "ttcore.device") {
      readDeviceGeneration(module, operation, evidence);
    } else if (operation.name === "func.func") {
      const attributes = attributeMap(module, operation);
      if (readFunctionKind(attributes) === "const_eval") {
        evidence.unitConstEval ??= !attributes.has("tt.function_type");
      }
    }
    if (operation.results.length === 0 || !operation.name.startsWith("ttnn.")) continue;
    for (const value of operation.results) {
      const type = tensorTypeOf(module, value);
      const encoding = type?.encoding;
      if (type === undefined || encoding === undefined || encodings.has(encoding)) continue;
      encodings.add(encoding);
      const parsed = parseLayoutOnce(module, encoding);
      if (parsed === undefined || parsed instanceof LayoutSyntaxError) continue;
      if (parsed.generation !== undefined) evidence.generations[parsed.generation]++;
      countMap(type.shape, parsed, evidence);
    }
  }
  return evidence;
}

function countMap(shape: readonly number[], attribute: TtnnLayoutAttribute, evidence: Evidence): void {
  const padded = ttnnLinearMap(shape, attribute.layout.tile);
  const unpadded = ttnnLinearMap(shape, undefined);
  if (affineMapsEqual(padded, unpadded)) return;
  if (affineMapsEqual(attribute.collapseMap, padded)) evidence.maps.padded++;
  else if (affineMapsEqual(attribute.collapseMap, unpadded)) evidence.maps.unpadded++;
}

function countKey(
  module: ModuleText,
  operation: Operation,
  key: "memory_config" | "dtype" | "layout",
  evidence: Evidence,
): void {
  const counts = attributeMap(module, operation).has(key) ? evidence.withKey : evidence.withoutKey;
  counts[key]++;
}

function readDeviceGeneration(module: ModuleText, operation: Operation, evidence: Evidence): void {
  const text = module.text.slice(operation.span.start, operation.span.end);
  if (/workerGrid = #?[\w.]*<[^>]*virt_to_physical_map/.test(text)) {
    evidence.device = text.includes("dramGrid") ? "G4" : "G3";
  } else if (/workerGrid = #?[\w.]*<\d+x\d+,/.test(text)) {
    evidence.device = "G2";
  }
}
