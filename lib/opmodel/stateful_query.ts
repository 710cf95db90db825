// SPDX-License-Identifier: Apache-2.0
import type { LayoutId } from "../layout/layout_table.ts";
import type { L1Allocator } from "../memory/l1_allocator.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import type {
  BufferRequest,
  InvalidConstraints,
  OpModel,
  OpSignature,
  ValidConstraints,
} from "./op_model.ts";
import { refuse } from "./verdict.ts";

/** Where one L1 buffer of the op came to lie. */
export interface PlacedBuffer {
  readonly request: BufferRequest;
  readonly address: number;
}

/** A stateful answer: the stateless one, and addresses. */
export interface StatefulConstraints {
  readonly constraints: ValidConstraints;
  /** L1 buffers that back results, in result order; they stay allocated. */
  readonly placed: readonly PlacedBuffer[];
}

/**
 * Stateful query (tt-mlir's second mode, tt-mlir:validation): instead of a byte budget, the live tensors of an allocator
 * decide, by address. The op's L1 buffers are placed on top of what is live; it fits when every buffer finds room and
 * the circular buffers end below the lowest tensor that is live while the op runs. Results stay allocated,
 * intermediates are freed again; after a refusal the allocator is as it was.
 *
 * @param inputs layout per operand; the operands' own buffers are live in the allocator already
 */
export function queryOpConstraintsStateful(
  model: OpModel,
  allocator: L1Allocator,
  op: OpSignature,
  inputs: readonly (LayoutId | undefined)[],
  hint: LayoutId | undefined,
  config: OpSpecificAttributes | undefined,
): StatefulConstraints | InvalidConstraints {
  const constraints = model.queryOpConstraints(op, inputs, hint, config, Number.NEGATIVE_INFINITY);
  if (constraints.status === "invalid") return constraints;
  const before = allocator.snapshot();
  const placed: PlacedBuffer[] = [];
  const temporary: number[] = [];
  for (const request of constraints.buffers) {
    if (request.bufferType !== "l1" || request.sizePerBank === 0) continue;
    const address = allocator.allocate(request.sizePerBank);
    if (address === undefined) {
      const { largestFreeBytes } = allocator.fragmentation();
      allocator.restore(before);
      return refuse(
        "out_of_memory",
        "l1/no-block",
        `${op.name} needs a block of ${request.sizePerBank} bytes of L1 per core; the largest free one has ${largestFreeBytes}`,
        ALLOCATOR,
      );
    }
    if (request.result === undefined) temporary.push(address);
    else placed.push({ request, address });
  }
  const clash = allocator.clash(constraints.cbPeakBytes);
  if (clash !== undefined) {
    allocator.restore(before);
    return refuse(
      "out_of_memory",
      "l1/circular-buffer-clash",
      `${op.name}: circular buffers end at ${clash.circularBufferEnd} and clash with L1 buffers from ${clash.lowestTensorAddress}`,
      ALLOCATOR,
    );
  }
  for (const address of temporary) allocator.free(address);
  return { constraints, placed };
}

const ALLOCATOR = "tt-metal:allocator";
