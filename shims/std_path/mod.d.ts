// SPDX-License-Identifier: Apache-2.0

// Hand-written declarations for the functions that Tilewright uses; never wider than those of `jsr:@std/path`.

/** The parts of a path. */
export interface ParsedPath {
  root: string;
  dir: string;
  base: string;
  ext: string;
  name: string;
}

export declare const DELIMITER: ":" | ";";
export declare const SEPARATOR: "/" | "\\";
export declare const SEPARATOR_PATTERN: RegExp;

export declare function basename(path: string | URL, suffix?: string): string;
export declare function common(paths: string[]): string;
export declare function dirname(path: string | URL): string;
export declare function extname(path: string | URL): string;
export declare function format(pathObject: Partial<ParsedPath>): string;
export declare function fromFileUrl(url: string | URL): string;
export declare function isAbsolute(path: string): boolean;
export declare function join(path: string | URL, ...paths: string[]): string;
export declare function normalize(path: string | URL): string;
export declare function parse(path: string): ParsedPath;
export declare function relative(from: string, to: string): string;
export declare function resolve(...pathSegments: string[]): string;
export declare function toFileUrl(path: string): URL;
