// SPDX-License-Identifier: Apache-2.0
import { isDecided } from "../lib/graph/function_role.ts";
import { opSignatures } from "../lib/graph/signature.ts";
import type { TtnnLayout } from "../lib/layout/ttnn_layout.ts";
import type { OpSpecificAttributes } from "../lib/op_config/op_config.ts";
import type { OpSignature } from "../lib/ops/op_signature.ts";
import { windowOf } from "../lib/ops/op_windows.ts";
import { isPointwise } from "../lib/ops/sliding_window.ts";
import type { StepTimeline } from "../sim/timeline/timeline.ts";
import type { DecidedGraph } from "./decided_graph.ts";
import { type Saving, totalSaving } from "./saving.ts";

/** A setting of the backend that hand-written programs use and no generation of TTNN has words for. */
export interface BackendAdvice extends Partial<Saving> {
  /** As the backend names it, such as `full_inner_dim`. */
  readonly setting: string;
  /** Its effect, in words. */
  readonly what: string;
  /** Number of ops of the plan that it would make faster; without a price, that it concerns. */
  readonly ops: number;
  /** Why it has no price. */
  readonly unpriced?: string;
}

interface PlannedOp {
  readonly step: StepTimeline;
  readonly signature: OpSignature;
  /** Bytes per core below the tensors that live while it runs. */
  readonly room: number;
}

/** A setting with the configs of an op that use it, or with why it has no price and which ops it concerns. */
type BackendSetting =
  & Pick<BackendAdvice, "setting" | "what">
  & (
    | {
      readonly configs: (op: PlannedOp, grid: readonly [number, number]) => readonly OpSpecificAttributes[];
    }
    | { readonly unpriced: string; readonly concerns: (op: PlannedOp) => boolean }
  );

const SETTINGS: readonly BackendSetting[] = [
  {
    setting: "SDPAProgramConfig",
    what: "chunks of prefill attention larger than one tile",
    configs: attentionInChunks,
  },
  {
    setting: "num_workers_per_dram_bank",
    what: "several readers per bank of DRAM-sharded weights",
    configs: severalBankReaders,
  },
  {
    setting: "full_inner_dim",
    what: "all kernel rows of block-sharded convolutions in one step",
    configs: (op) => {
      const config = op.step.config?.kind === "conv2d" ? op.step.config : { kind: "conv2d" } as const;
      const conv2dConfig = { ...config.conv2dConfig, fullInnerDim: true };
      return readsWindows(op, "block_sharded") ? [{ ...config, conv2dConfig }] : [];
    },
  },
  {
    setting: "enable_activation_reuse",
    what: "windows of height-sharded convolutions that reuse pixels of the one before",
    unpriced: "no published times differ in it alone",
    concerns: (op) => readsWindows(op, "height_sharded"),
  },
  {
    setting: "add_",
    what: "sums that overwrite their operand",
    unpriced: "they save L1 and no time",
    concerns: ({ step: { name, inputLayouts: [operand], outputLayouts: [result] } }) =>
      name === "ttnn.add" && operand?.bufferType === "l1" && result?.bufferType === "l1",
  },
];

/** Extents of chunks of queries and keys, in elements, of hand-written programs (`published:ops-2`). */
const CHUNKS = [64, 128, 256, 512] as const;

function attentionInChunks(
  { step: { name, config } }: PlannedOp,
  computeWithStorageGridSize: readonly [number, number],
): readonly OpSpecificAttributes[] {
  if (name !== "ttnn.scaled_dot_product_attention") return [];
  const { computeConfig } = config ?? {};
  return CHUNKS.flatMap((qChunkSize) =>
    CHUNKS.map((kChunkSize): OpSpecificAttributes => ({
      kind: "sdpa",
      ...(computeConfig === undefined ? {} : { computeConfig }),
      programConfig: { computeWithStorageGridSize, qChunkSize, kChunkSize },
    }))
  );
}

function severalBankReaders({ step: { config } }: PlannedOp): readonly OpSpecificAttributes[] {
  if (config?.kind !== "matmul") return [];
  const { programConfig } = config;
  if (programConfig?.kind !== "matmul_multi_core_reuse_multi_cast_dram_sharded") return [];
  return [2, 3].map((numWorkersPerDramBank) => ({
    ...config,
    programConfig: { ...programConfig, numWorkersPerDramBank },
  }));
}

/** Whether a convolution gathers windows of several pixels from such shards. */
function readsWindows(
  { step: { name, inputLayouts: [input] }, signature }: PlannedOp,
  memoryLayout: TtnnLayout["memoryLayout"],
): boolean {
  const window = name === "ttnn.conv2d" ? windowOf(signature) : undefined;
  return window !== undefined && !isPointwise(window) && input?.memoryLayout === memoryLayout;
}

/**
 * Settings of the backend that the TTNN dialect cannot express, with their predicted saving on the plan, for compiler
 * developers: those with a price, greatest saving first, then those that concern ops of the plan but have no price.
 */
export function backendAdvice(decided: DecidedGraph): readonly BackendAdvice[] {
  const { workbench: { binding: { graph } }, timeline } = decided;
  const planned = timeline.functions.flatMap((fn) => {
    const source = graph.functions.find(({ name }) => name === fn.name);
    const signatures = source === undefined || !isDecided(source) ? [] : opSignatures(source);
    return fn.steps.flatMap((step) => {
      const signature = step.kind === "op" ? signatures[step.id] : undefined;
      const live = step.l1.placements.filter(({ tensor }) => tensor >= 0).map(({ address }) => address);
      const room = Math.min(fn.l1Region.top, ...live) - fn.l1Region.base;
      return signature === undefined ? [] : [{ step, signature, room }];
    });
  });
  return SETTINGS.flatMap((given): readonly BackendAdvice[] => {
    const { setting, what } = given;
    if ("unpriced" in given) {
      const { unpriced, concerns } = given;
      const ops = planned.filter(concerns).length;
      return ops === 0 ? [] : [{ setting, what, ops, unpriced }];
    }
    const savings = planned.flatMap((op) => savingOf(decided, op, given.configs));
    const saving = totalSaving(savings, timeline);
    return saving === undefined ? [] : [{ setting, what, ops: savings.length, ...saving }];
  }).toSorted((a, b) => (b.savedUs ?? 0) - (a.savedUs ?? 0));
}

/** The saving of an op in the fastest config that runs and fits below the live tensors; none if none is faster. */
function savingOf(
  { workbench: { opModel, cost, chip: { workerGrid } } }: DecidedGraph,
  op: PlannedOp,
  configsOf: (op: PlannedOp, grid: readonly [number, number]) => readonly OpSpecificAttributes[],
): readonly Saving[] {
  const { step: { inputLayouts, outputLayouts, estimate }, signature, room } = op;
  const configs = configsOf(op, [workerGrid.columns, workerGrid.rows]);
  if (configs.length === 0) return [];
  const inputs = opModel.layouts.internAll(inputLayouts);
  const outputs = opModel.layouts.internAll(outputLayouts);
  const times = configs.flatMap((config) => {
    const answer = opModel.queryOpConstraints(
      signature,
      inputs,
      outputs[0],
      config,
      Number.NEGATIVE_INFINITY,
    );
    if (answer.status !== "valid" || answer.cbPlacedBytes > room) return [];
    const { microseconds, unknown } = cost.getOpRuntime(signature, inputs, outputs, config);
    return unknown === undefined ? [microseconds] : [];
  });
  const savedUs = estimate.microseconds - Math.min(...times);
  return savedUs > 0 ? [{ savedUs, relativeError: estimate.relativeError }] : [];
}
