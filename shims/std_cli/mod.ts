// SPDX-License-Identifier: Apache-2.0

export * from "./parse_args.ts";
export * from "./unicode_width.ts";
