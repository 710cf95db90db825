// SPDX-License-Identifier: Apache-2.0

/** What a user says about graph passes, under upstream's names. */
export interface PassOptions {
  /** Upstream's options that switch passes, without `--`: `enable-const-eval`. Absent ones are on. */
  readonly switches: ReadonlyMap<string, boolean>;
}

/** Everything on. */
export const DEFAULT_PASS_OPTIONS: PassOptions = { switches: new Map() };

/** Whether a pass or pattern runs. */
export function isEnabled({ switches }: PassOptions, option: string | undefined): boolean {
  return option === undefined || switches.get(option) !== false;
}
