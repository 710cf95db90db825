// SPDX-License-Identifier: Apache-2.0

function isIndex<Id extends number>(index: number): index is Id {
  return Number.isInteger(index) && index >= 0;
}

/**
 * A number as an id, for tests of code that only compares ids and looks nothing up.
 *
 * @throws {RangeError} when the number is no index
 */
export function idOf<Id extends number>(index: number): Id {
  if (!isIndex<Id>(index)) throw new RangeError(`Cannot take ${index} for an id`);
  return index;
}
