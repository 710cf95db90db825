// SPDX-License-Identifier: Apache-2.0

// The part of the types of `parseArgs` that Tilewright uses: a subset of what the original accepts, so that code which
// passes here passes against the original as well. Keys of aliases and dotted names are left out on purpose.

/** Options of {@linkcode parseArgs}. */
export interface ParseOptions<
  Booleans extends string = string,
  Strings extends string = string,
  Collected extends string = string,
  Defaults extends object = Record<string, unknown>,
> {
  /** Other names of options. */
  readonly alias?: { readonly [name in Booleans | Strings]?: string | readonly string[] };
  /** Options that take no value. */
  readonly boolean?: readonly Booleans[];
  /** Options whose value stays a string. */
  readonly string?: readonly Strings[];
  /** Options that may be given more than once; their value is a list. */
  readonly collect?: readonly Collected[];
  /** Boolean options that understand `--no-name`. */
  readonly negatable?: readonly Booleans[];
  /** Values of options that are not given. */
  readonly default?: Defaults;
  /** Called for every argument that is not declared; returning `false` drops it. */
  readonly unknown?: (arg: string, key?: string, value?: unknown) => unknown;
}

/** What {@linkcode parseArgs} returns. */
export type Args<
  Booleans extends string,
  Strings extends string,
  Collected extends string,
  Defaults extends object,
> =
  & { [name in Exclude<Booleans, Collected>]: boolean }
  & { [name in Extract<Booleans, Collected>]: boolean[] }
  & { [name in Exclude<Strings, Collected | keyof Defaults>]: string | undefined }
  & {
    [name in Extract<Exclude<Strings, Collected>, keyof Defaults>]: string | Defaults[name & keyof Defaults];
  }
  & { [name in Extract<Strings, Collected>]: string[] }
  & { [name in Exclude<Collected, Booleans | Strings>]: unknown[] }
  & { _: Array<string | number> };

/** Parse command line arguments into an object. */
export declare function parseArgs<
  const Booleans extends string = never,
  const Strings extends string = never,
  const Collected extends string = never,
  Defaults extends object = Record<never, never>,
>(
  args: readonly string[],
  options?: ParseOptions<Booleans, Strings, Collected, Defaults>,
): Args<Booleans, Strings, Collected, Defaults>;
