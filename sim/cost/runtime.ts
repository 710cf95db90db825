// SPDX-License-Identifier: Apache-2.0
import type { CostModel, RuntimeEstimate } from "../../lib/cost/cost_model.ts";
import type { OpSignature, TensorShape } from "../../lib/ops/op_signature.ts";
import type { LayoutTable } from "../../lib/layout/layout_table.ts";
import { ConfigIds } from "../../lib/op_config/config_ids.ts";
import { signatureKey, tensorKey } from "../../lib/opmodel/structural_key.ts";
import type { OpModel } from "../../lib/opmodel/op_model.ts";
import { unknownTime } from "../../lib/ops/unknown_time.ts";
import type { DeviceProgram } from "../../lib/programs/program.ts";
import type { Device } from "../devices/device.ts";
import { estimateOf, launchedMicroseconds } from "./estimate.ts";

/** Settings of a cost model. */
export interface CostModelOptions {
  /** The chip with its constants. */
  readonly device: Device;
  /** Table of the layout ids in all queries. */
  readonly layouts: LayoutTable;
  /** Traits and programs of ops, with the same table of layouts. */
  readonly opModel: Pick<OpModel, "traits" | "programs" | "reshardPrograms">;
}

/** Answers for one op, by operand and result layouts, then by config. */
interface AnswerNode {
  /** `undefined` until a child exists: there are many nodes, and most have one kind of children. */
  next: Map<number, AnswerNode> | undefined;
  answers: Map<number, RuntimeEstimate> | undefined;
}

/**
 * Prices ops on one device. Pure and memoised: the first question about an op and its layouts is computed, every other
 * one is looked up.
 *
 * @example
 * ```ts
 * import { getDevice } from "@tilewright/tilewright";
 * import { LayoutTable, makeLayout } from "@tilewright/tilewright/layout";
 * import { chipDescription } from "@tilewright/tilewright/device";
 * import { createOpModel } from "@tilewright/tilewright/opmodel";
 * import { createCostModel } from "@tilewright/tilewright/sim";
 * import { assert } from "@std/assert";
 *
 * const device = getDevice("n150");
 * const chip = chipDescription(device);
 * const layouts = new LayoutTable();
 * const cost = createCostModel({ device, layouts, opModel: createOpModel({ chip, layouts }) });
 * const tensor = { shape: [1024, 1024], dataType: "bf16" } as const;
 * const inDram = { ...tensor, bufferType: "dram", memoryLayout: "interleaved" } as const;
 * const dram = layouts.intern(makeLayout(inDram, chip.workerGrid));
 * const l1 = layouts.intern(makeLayout({ ...inDram, bufferType: "l1" }, chip.workerGrid));
 * assert(cost.getReshardRuntime(tensor, dram, l1).microseconds > 0);
 * ```
 */
export function createCostModel(options: CostModelOptions): CostModel {
  const { device, opModel } = options;
  let roots = new QuestionRoots();
  const configs = new ConfigIds();
  /** Ops that share an answer of the op model share programs and time. */
  const timeOfPrograms: WeakMap<readonly DeviceProgram[], number> = new WeakMap();

  return {
    launchedMicroseconds(programs, keeps = true) {
      if (!keeps) return launchedMicroseconds(programs, device);
      return timeOfPrograms.getOrInsertComputed(programs, () => launchedMicroseconds(programs, device));
    },

    dispatch: {
      dispatchMicroseconds: device.dispatch.programSend,
      readyPrograms: device.dispatch.launchSlots,
      gapMicroseconds: device.dispatch.tracedGap,
      // A program starts once the dispatcher has sent all programs except those that were ready when the
      // function began.
      leadMicroseconds: device.dispatch.tracedGap +
        (device.dispatch.launchSlots - 1) * device.dispatch.programSend,
    },

    getOpRuntime(op, inputs, outputs, config) {
      let node = roots.ofOp(op);
      for (let operand = 0; operand < op.operands.length; operand++) {
        node = (node.next ??= new Map()).getOrInsertComputed((inputs[operand] ?? -1) + 1, newNode);
      }
      for (let result = 0; result < op.results.length; result++) {
        node = (node.next ??= new Map()).getOrInsertComputed((outputs[result] ?? -1) + 1, newNode);
      }
      return (node.answers ??= new Map()).getOrInsertComputed(configs.of(config), () => {
        const reason = unknownTime(op);
        const launched = reason === undefined
          ? opModel.programs(op, inputs, outputs, config)
          : { status: "unknown", reason } as const;
        return estimateOf(launched, opModel.traits(op).costClass, device);
      });
    },

    getReshardRuntime(tensor, from, to) {
      const root = roots.ofReshard(tensor);
      const source = (root.next ??= new Map()).getOrInsertComputed(from, newNode);
      return (source.answers ??= new Map()).getOrInsertComputed(
        to,
        () => estimateOf(opModel.reshardPrograms(tensor, from, to), "reshard", device),
      );
    },

    forgetAnswers() {
      roots = new QuestionRoots();
    },
  };
}

/** Roots of the answers per op or tensor: found by object identity first, by structure for new objects. */
class QuestionRoots {
  readonly #byKey: Map<string, AnswerNode> = new Map();
  readonly #ofSignature: WeakMap<OpSignature, AnswerNode> = new WeakMap();
  readonly #ofTensor: WeakMap<TensorShape, AnswerNode> = new WeakMap();

  ofOp(op: OpSignature): AnswerNode {
    return this.#ofSignature.getOrInsertComputed(
      op,
      () => this.#byKey.getOrInsertComputed(signatureKey(op), newNode),
    );
  }

  ofReshard(tensor: TensorShape): AnswerNode {
    return this.#ofTensor.getOrInsertComputed(
      tensor,
      () => this.#byKey.getOrInsertComputed(`reshard ${tensorKey(tensor)}`, newNode),
    );
  }
}

function newNode(): AnswerNode {
  return { next: undefined, answers: undefined };
}
