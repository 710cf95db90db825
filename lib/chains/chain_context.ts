// SPDX-License-Identifier: Apache-2.0
import { legalOpConfigs } from "../analysis/legal_op_configs.ts";
import { l1Shards, legalOpLayouts } from "../analysis/legal_op_layouts.ts";
import { LegalTensorLayoutAnalysis } from "../analysis/legal_tensor_layouts.ts";
import type { OpConfig } from "../analysis/op_config.ts";
import type { GraphFunction, GraphOp, OpId, ValueId } from "../graph/graph.ts";
import { opSignatures } from "../graph/signature.ts";
import type { LayoutId, LayoutTable } from "../layout/layout_table.ts";
import { makeLayout } from "../layout/make_layout.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import { ownOpConfig } from "../analysis/own_op_config.ts";
import { readString } from "../opmodel/attribute_values.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import type { OpConstraints, OpModel, OpSignature } from "../opmodel/op_model.ts";
import { nameOfLocation } from "../overrides/location_name.ts";
import type { PolicyOptions } from "../policy/policy.ts";

/** An operand where the user asked for a conversion (`--insert-memreconfig`). */
export interface OverrideEdge {
  readonly op: OpId;
  readonly operand: number;
}

/** One function, its legal configs and the op model: what every step of the chain policies works on. */
export class ChainContext {
  readonly fn: GraphFunction;
  readonly opModel: OpModel;
  readonly options: PolicyOptions;
  readonly layouts: LayoutTable;
  readonly signatures: readonly OpSignature[];
  /** Layout per value as the input has it. */
  readonly inputLayouts: readonly (LayoutId | undefined)[];
  readonly legalTensorLayouts: LegalTensorLayoutAnalysis;
  /** Legal configs per op; empty where the first result has no layout to decide. */
  readonly legalConfigs: readonly (readonly OpConfig[])[];
  /** The legal configs whose output is sharded in L1. */
  readonly shardedConfigs: readonly (readonly OpConfig[])[];
  readonly overrideEdges: readonly OverrideEdge[];

  /** @throws {DiagnosticError} when an override is impossible */
  constructor(fn: GraphFunction, opModel: OpModel, options: PolicyOptions) {
    this.fn = fn;
    this.opModel = opModel;
    this.options = options;
    this.layouts = opModel.layouts;
    this.signatures = opSignatures(fn);
    this.inputLayouts = fn.values.map((value) =>
      value.layout === undefined ? undefined : this.layouts.intern(value.layout)
    );
    const wantsRowMajor = [...options.overrides.outputLayouts.values()]
      .some((override) => override.pageLayout === "row_major");
    this.legalTensorLayouts = new LegalTensorLayoutAnalysis(opModel.chip, this.layouts, {
      rowMajorEnabled: options.rowMajorEnabled || wantsRowMajor,
    });
    this.legalConfigs = fn.ops.map((op) => this.#legalConfigs(op));
    this.shardedConfigs = this.legalConfigs.map((configs) =>
      configs.filter(({ outputLayout }) => l1Shards(this.layouts.get(outputLayout)) !== undefined)
    );
    this.overrideEdges = fn.ops.flatMap((op) => {
      const name = nameOfLocation(op.location);
      const operands = name === undefined ? undefined : options.overrides.memReconfigs.get(name);
      return (operands ?? []).filter((operand) => operand < op.operands.length)
        .map((operand) => ({ op: op.id, operand }));
    });
  }

  /** @throws {RangeError} for an id that the function does not have */
  op(id: OpId): GraphOp {
    const op = this.fn.ops[id];
    if (op === undefined) {
      throw new RangeError(`Cannot look up op ${id}: ${this.fn.name} has ${this.fn.ops.length}`);
    }
    return op;
  }

  /** Result 0 of an op; the only one whose layout is decided. */
  result(id: OpId): ValueId | undefined {
    return this.op(id).results[0];
  }

  /** Op that defines a value, `undefined` for arguments. */
  producer(value: ValueId | undefined): OpId | undefined {
    const definition = value === undefined ? undefined : this.fn.values[value]?.definition;
    return definition?.kind === "result" ? definition.op : undefined;
  }

  /** `%12 ttnn.relu`, for reasons. */
  describeOp(id: OpId): string {
    const result = this.result(id);
    const name = result === undefined ? undefined : this.fn.values[result]?.name;
    return name === undefined ? this.op(id).name : `${name} ${this.op(id).name}`;
  }

  /** Operand layouts of an op as the input has them. */
  operandLayouts(id: OpId): (LayoutId | undefined)[] {
    return this.op(id).operands.map((value) => this.inputLayouts[value]);
  }

  /** Asks the op model (tt-mlir `validateOperation`). */
  query(
    id: OpId,
    inputs: readonly (LayoutId | undefined)[],
    hint: LayoutId | undefined,
    attributes: OpSpecificAttributes | undefined,
    extraL1Bytes = 0,
  ): OpConstraints {
    const signature = this.signatures[id];
    if (signature === undefined) throw new RangeError(`Cannot query op ${id}: it does not exist`);
    return this.opModel.queryOpConstraints(signature, inputs, hint, attributes, extraL1Bytes);
  }

  /**
   * Whether the op's output layout is asked for by kind only, the backend choosing the shards: matmuls without a fused
   * activation (tt-metal#34500).
   */
  ignoresPhysicalLayout(id: OpId): boolean {
    const { name, attributes } = this.op(id);
    return (name === "ttnn.matmul" || name === "ttnn.linear") &&
      readString(attributes, "activation") === undefined;
  }

  /** The layout as it is asked for: by kind only where the op wants that. */
  requestedLayout(id: OpId, layout: LayoutId): LayoutId {
    if (!this.ignoresPhysicalLayout(id)) return layout;
    return this.layouts.intern({ ...this.layout(layout), ignorePhysicalLayout: true });
  }

  /**
   * Output layouts of an op that runs with a config and makes the config's layout, or why it does not.
   *
   * @param extraL1Bytes bytes per core that other tensors hold meanwhile
   */
  outputsOf(
    id: OpId,
    inputs: readonly (LayoutId | undefined)[],
    config: OpConfig,
    extraL1Bytes = 0,
  ): readonly (LayoutId | undefined)[] | string {
    let refusal = "the op model makes another layout";
    for (const hint of new Set([config.outputLayout, this.requestedLayout(id, config.outputLayout)])) {
      const answer = this.query(id, inputs, hint, config.attributes, extraL1Bytes);
      if (answer.status === "invalid") {
        refusal = answer.message;
        continue;
      }
      const outputs = this.declaredFormats(id, answer.outputLayouts, config.outputLayout);
      if (outputs[0] === config.outputLayout) return outputs;
    }
    return refusal;
  }

  /**
   * Output layouts with the element formats that the program declares: a layout choice never changes a format. Result
   * 0 takes that of the wanted layout, which an override may have changed.
   */
  declaredFormats(
    id: OpId,
    outputs: readonly (LayoutId | undefined)[],
    wanted: LayoutId | undefined,
  ): readonly (LayoutId | undefined)[] {
    return this.op(id).results.map((value, index) => {
      const layout = outputs[index];
      const declared = index === 0 ? wanted ?? this.inputLayouts[value] : this.inputLayouts[value];
      if (layout === undefined || declared === undefined) return layout;
      const { dataType } = this.layouts.get(declared);
      const actual = this.layouts.get(layout);
      return actual.dataType === dataType ? layout : this.layouts.intern({ ...actual, dataType });
    });
  }

  layout(id: LayoutId): TtnnLayout {
    return this.layouts.get(id);
  }

  /** The layout of the same tensor in DRAM or L1, interleaved; pages stay as they are. */
  interleaved(value: ValueId, like: LayoutId, bufferType: "dram" | "l1"): LayoutId {
    const { dataType, tile } = this.layouts.get(like);
    const shape = this.fn.values[value]?.tensor?.shape ?? [];
    return this.layouts.intern(makeLayout(
      { shape, dataType, tile: tile ?? null, bufferType, memoryLayout: "interleaved" },
      this.opModel.chip.workerGrid,
    ));
  }

  #legalConfigs(op: GraphOp): readonly OpConfig[] {
    const [result] = op.results;
    const value = result === undefined ? undefined : this.fn.values[result];
    const signature = this.signatures[op.id];
    if (value?.tensor === undefined || value.layout === undefined || signature === undefined) return [];
    if (op.name === "ttnn.empty") return [];
    const { overrides, maxLegalLayouts, rowMajorEnabled } = this.options;
    const name = nameOfLocation(op.location) ?? "";
    const traits = this.opModel.traits(signature);
    const onDevice = value.layout.bufferType === "dram" || value.layout.bufferType === "l1";
    const layouts = legalOpLayouts(
      {
        name: `${value.name} (${op.name})`,
        tensor: value.tensor,
        current: value.layout,
        movable: traits.known && traits.movable && onDevice && op.name !== "ttnn.to_layout",
        override: overrides.outputLayouts.get(name),
      },
      this.legalTensorLayouts,
      this.layouts,
      this.opModel.chip.workerGrid,
      { maxLegalLayouts, rowMajorEnabled },
    );
    return legalOpConfigs(
      {
        op: signature,
        own: ownOpConfig(op.name, op.attributes),
        conv2dOverride: overrides.conv2dConfigs.get(name),
        conv3dOverride: overrides.conv3dConfigs.get(name),
        foldBatch: !this.options.legacyQuirks,
      },
      layouts,
      this.layouts,
    );
  }
}
