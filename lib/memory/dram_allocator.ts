// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { BankAllocator } from "./bank_allocator.ts";

/**
 * Allocator of DRAM: all banks in lockstep, bottom-up from the unreserved base (tt-metal allocates DRAM bottom-up).
 * Sizes are bytes per bank.
 */
export function createDramAllocator(
  chip: Pick<ChipDescription, "dramUnreservedBase" | "dramUnreservedEnd" | "dramAlignment">,
): BankAllocator {
  return new BankAllocator(
    chip.dramUnreservedBase,
    chip.dramUnreservedEnd,
    chip.dramAlignment,
    "bottom_up",
  );
}
