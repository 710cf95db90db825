// SPDX-License-Identifier: Apache-2.0
import type { CostModel, DispatcherTimes, RuntimeEstimate } from "../../cost/cost_model.ts";
import type { ChipDescription } from "../../device/chip_description.ts";
import { type LayoutId, type LayoutIds, LayoutTable } from "../../layout/layout_table.ts";
import { makeLayout, shardBytes } from "../../layout/make_layout.ts";
import { gridVolume, isSharded, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import type { OpModel, OutputHints, ValidConstraints } from "../../opmodel/op_model.ts";
import type { OpSignature, TensorShape } from "../../ops/op_signature.ts";
import type { OpTraits } from "../../ops/op_traits.ts";
import { FULL_RUN, type RunAssumptions } from "../../programs/op_launch.ts";
import { NO_PROGRAMS, type OpPrograms, unknownPrograms } from "../../programs/program.ts";

/** A small chip: 8x8 cores, 1 MiB of L1 each. */
export const TOY_CHIP: ChipDescription = {
  name: "toy",
  architecture: "wormhole_b0",
  workerGrid: { rows: 8, columns: 8 },
  l1Size: 1 << 20,
  l1UnreservedBase: 0,
  l1SmallSize: 0,
  dramBanks: 12,
  dramBankSize: 1 << 30,
  dramUnreservedBase: 0,
  dramUnreservedEnd: 1 << 30,
  l1Alignment: 16,
  dramAlignment: 32,
  pcieAlignment: 32,
  dstTiles: 16,
  circularBuffers: 32,
  ethernetL1UnreservedBase: 0,
  dramBankWorkers: [],
};

/** The behaviour of a toy op; by op name. */
export interface ToyRule {
  /** Default `true`. */
  readonly movable?: boolean;
  readonly viewOf?: number;
  readonly inPlaceOperand?: number;
  /** Layout without a hint, given the operand layouts; default: the first operand's. */
  readonly unhinted?: (inputs: readonly (TtnnLayout | undefined)[]) => TtnnLayout | undefined;
  /** Whether the op runs with these operands and this result; default: yes. */
  readonly legal?: (inputs: readonly (TtnnLayout | undefined)[], output: TtnnLayout) => boolean;
  /** Primary hints; default: only "no hint". */
  readonly primary?: "none" | "all";
  /** Circular buffer bytes; default: two tiles per tensor. */
  readonly circularBufferBytes?: (inputs: readonly (TtnnLayout | undefined)[]) => number;
  /** Bytes per core of every result in L1; default: the bytes of the layout. */
  readonly resultBytes?: number;
}

/**
 * An op model with few explicit rules, for tests of the passes; ops without a rule are legal everywhere. Tests
 * use the real one ({@linkcode realModels}) unless they say why a rule or a size must be made up.
 */
export class ToyOpModel implements OpModel {
  readonly assumed: RunAssumptions = FULL_RUN;
  readonly chip: ChipDescription;
  readonly layouts: LayoutTable = new LayoutTable();
  readonly statistics = { queries: 0, hits: 0, firstAsked: 0, furtherOperands: 0 };
  readonly #rules: Readonly<Record<string, ToyRule>>;

  constructor(rules: Readonly<Record<string, ToyRule>> = {}, chip: ChipDescription = TOY_CHIP) {
    this.#rules = rules;
    this.chip = chip;
  }

  traits(op: OpSignature): OpTraits {
    const rule = this.#rules[op.name] ?? {};
    return {
      movable: rule.movable ?? true,
      isOpaque: false,
      viewOf: rule.viewOf,
      inPlaceOperand: rule.inPlaceOperand,
      writtenOperands: rule.inPlaceOperand === undefined ? [] : [rule.inPlaceOperand],
      costClass: "eltwise_unary",
    };
  }

  queryOpConstraints(
    op: OpSignature,
    inputs: LayoutIds,
    hint: LayoutId | undefined,
  ): ReturnType<OpModel["queryOpConstraints"]> {
    this.statistics.queries++;
    const rule = this.#rules[op.name] ?? {};
    const layouts = inputs.map((id) => id === undefined ? undefined : this.layouts.get(id));
    const refuse = (message: string): ReturnType<OpModel["queryOpConstraints"]> => ({
      status: "invalid",
      failure: "unsupported_layout",
      rule: "toy",
      message,
      source: "test",
    });
    const outputs: (LayoutId | undefined)[] = [];
    for (const [index, result] of op.results.entries()) {
      if (result === undefined) {
        outputs.push(undefined);
        continue;
      }
      const layout = index === 0 && hint !== undefined
        ? this.layouts.get(hint)
        : refit(rule.unhinted === undefined ? layouts[0] : rule.unhinted(layouts), result, this.chip);
      if (layout === undefined) return refuse("no layout without a hint");
      outputs.push(this.layouts.intern(layout));
    }
    const first = outputs[0];
    if (first !== undefined && rule.legal !== undefined && !rule.legal(layouts, this.layouts.get(first))) {
      return refuse("the rule says no");
    }
    return this.#valid(rule, layouts, outputs, op);
  }

  #valid(
    rule: ToyRule,
    inputs: readonly (TtnnLayout | undefined)[],
    outputs: LayoutIds,
    op: OpSignature,
  ): ValidConstraints {
    const made = outputs.map((id) => id === undefined ? undefined : this.layouts.get(id));
    const bytes = made.map((layout) =>
      layout?.bufferType === "l1" ? rule.resultBytes ?? shardBytes(layout) : 0
    );
    const outputL1Bytes = bytes.reduce((sum, size) => sum + size, 0);
    const cb = rule.circularBufferBytes?.(inputs) ?? 4096 * (inputs.length + made.length);
    const viewed = rule.viewOf === undefined ? undefined : inputs[rule.viewOf];
    const aliases = viewed !== undefined && viewed.bufferType === made[0]?.bufferType &&
      viewed.memoryLayout === made[0]?.memoryLayout;
    return {
      status: "valid",
      outputLayouts: outputs,
      config: undefined,
      cbPeakBytes: cb,
      cbPlacedBytes: cb,
      tensorL1PeakBytes: outputL1Bytes,
      l1PeakBytes: cb + outputL1Bytes,
      ownPeakBytes: cb + outputL1Bytes,
      outputL1Bytes,
      dependsOnRoom: false,
      events: bytes.flatMap((bytesPerBank, result) =>
        bytesPerBank > 0
          ? [{ kind: "allocate" as const, tensor: result, allocated: { memory: "l1", bytesPerBank, result } }]
          : []
      ),
      programs: [],
      cores: coresOf(made[0] ?? inputs[0], op.results[0], this.chip),
      aliasedOperand: aliases ? rule.viewOf : undefined,
    };
  }

  programs(op: OpSignature): OpPrograms {
    return unknownPrograms(op.name, "a toy launches nothing");
  }

  reshardPrograms(): OpPrograms {
    return NO_PROGRAMS;
  }

  outputHints(op: OpSignature, legalLayouts: readonly LayoutId[]): OutputHints {
    const all = legalLayouts.map((layout) => ({ layout, config: undefined }));
    const none = [{ layout: undefined, config: undefined }];
    if (this.#rules[op.name]?.primary === "none") return { primary: none, fallback: [] };
    if (this.#rules[op.name]?.primary === "all") return { primary: all, fallback: [] };
    return { primary: none, fallback: all.filter(({ layout }) => isSharded(this.layouts.get(layout))) };
  }

  acceptsInput(): boolean {
    return true;
  }

  operandAsRead(_op: OpSignature, _operand: number, layout: LayoutId): LayoutId {
    return layout;
  }

  exploresReshards(): boolean {
    return true;
  }
}

/** The same memory and grid for another shape; DRAM interleaved where the grid does not fit. */
function refit(
  layout: TtnnLayout | undefined,
  tensor: TensorShape,
  chip: ChipDescription,
): TtnnLayout | undefined {
  if (layout === undefined) return undefined;
  const [rows = 1, columns = 1] = layout.gridShape;
  const request = { shape: tensor.shape, dataType: tensor.dataType, tile: layout.tile ?? null } as const;
  if (!isSharded(layout)) {
    return makeLayout(
      { ...request, bufferType: layout.bufferType, memoryLayout: layout.memoryLayout },
      chip.workerGrid,
    );
  }
  const made = makeLayout({
    ...request,
    bufferType: layout.bufferType,
    memoryLayout: layout.memoryLayout,
    grid: [rows, columns],
  }, chip.workerGrid);
  return made;
}

function coresOf(
  layout: TtnnLayout | undefined,
  tensor: TensorShape | undefined,
  chip: ChipDescription,
): number {
  if (layout !== undefined && isSharded(layout)) return gridVolume(layout);
  const elements = tensor?.shape.reduce((volume, extent) => volume * extent, 1) ?? 1;
  return Math.min(chip.workerGrid.rows * chip.workerGrid.columns, Math.max(1, Math.ceil(elements / 1024)));
}

/**
 * A cost model in round numbers: 1 µs launch, compute shared by the cores, DRAM at 200 bytes per ns; a matmul computes
 * 100 times as long per element as anything else.
 */
export class ToyCostModel implements CostModel {
  readonly dispatch?: DispatcherTimes;
  readonly #layouts: LayoutTable;
  readonly #chip: ChipDescription;

  /** @param dispatch waits of short programs; without it there are none */
  constructor(layouts: LayoutTable, chip: ChipDescription = TOY_CHIP, dispatch?: DispatcherTimes) {
    this.#layouts = layouts;
    this.#chip = chip;
    if (dispatch !== undefined) this.dispatch = dispatch;
  }

  getOpRuntime(
    op: OpSignature,
    inputs: LayoutIds,
    outputs: LayoutIds,
  ): RuntimeEstimate {
    const all = [...inputs, ...outputs].flatMap((id) => id === undefined ? [] : [this.#layouts.get(id)]);
    const dramBytes = all.reduce(
      (sum, layout) => sum + (layout.bufferType === "l1" ? 0 : totalBytes(layout)),
      0,
    );
    const result = outputs[0] === undefined ? undefined : this.#layouts.get(outputs[0]);
    const elements = op.results[0]?.shape.reduce((volume, extent) => volume * extent, 1) ?? 0;
    const cores = coresOf(result, op.results[0], this.#chip);
    const work = elements * (op.name === "ttnn.matmul" ? 100 : 1) / 1000;
    return estimate(1 + work / cores + dramBytes / 200_000, cores, dramBytes);
  }

  getReshardRuntime(_tensor: TensorShape, from: LayoutId, to: LayoutId): RuntimeEstimate {
    const source = this.#layouts.get(from);
    const target = this.#layouts.get(to);
    const dramBytes = [source, target].reduce(
      (sum, layout) => sum + (layout.bufferType === "l1" ? 0 : totalBytes(layout)),
      0,
    );
    return estimate(1 + totalBytes(source) / 2_000_000 + dramBytes / 200_000, 64, dramBytes);
  }
}

function totalBytes(layout: TtnnLayout): number {
  return shardBytes(layout) * gridVolume(layout);
}

function estimate(microseconds: number, cores: number, dramBytes: number): RuntimeEstimate {
  return {
    programs: [],
    microseconds,
    bound: "SLOW",
    relativeError: 0,
    ownError: 0,
    cores,
    dramBytes,
    nocBytes: 0,
    flops: 0,
    terms: { launch: 1, read: 0, compute: microseconds - 1, write: 0 },
    dominant: "compute",
  };
}
