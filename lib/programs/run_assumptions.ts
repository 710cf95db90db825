// SPDX-License-Identifier: Apache-2.0

/** What a run brings along that no graph says and times depend on; every figure states it. */
export interface RunAssumptions {
  /** How full caches are when decoding reads them up to the position of each user. */
  readonly cacheFill: CacheFill;
  /** Users of a batch that ask for something: attention passes over the others. `undefined`: all. */
  readonly activeUsers: number | undefined;
  /** Experts that each batch of rows is sent to. `undefined`: all. */
  readonly activeExperts: number | undefined;
}

/** A share of the positions that a cache holds per user, or their number. */
export type CacheFill =
  | { readonly kind: "share"; readonly share: number }
  | { readonly kind: "positions"; readonly positions: number };

/** Caches are full, all users and all experts active: the longest run. */
export const FULL_RUN: RunAssumptions = {
  cacheFill: { kind: "share", share: 1 },
  activeUsers: undefined,
  activeExperts: undefined,
};

/** Positions that decoding reads of a cache of so many per user; one at least, all at most. */
export function filledPositions({ cacheFill }: RunAssumptions, capacity: number): number {
  const filled = cacheFill.kind === "share" ? Math.ceil(cacheFill.share * capacity) : cacheFill.positions;
  return Math.max(1, Math.min(capacity, filled));
}

/** Users of a batch that attention works for; one at least. */
export function usersAtWork({ activeUsers }: RunAssumptions, users: number): number {
  return Math.max(1, Math.min(users, activeUsers ?? users));
}

/** Experts of so many that a batch of rows is sent to; one at least. */
export function expertsAtWork({ activeExperts }: RunAssumptions, experts: number): number {
  return Math.max(1, Math.min(experts, activeExperts ?? experts));
}
