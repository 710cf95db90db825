// SPDX-License-Identifier: Apache-2.0

// Hand-written declarations for the functions that Tilewright uses; never wider than those of `jsr:@std/path`.

export declare const SEPARATOR: "/" | "\\";

export declare function basename(path: string | URL, suffix?: string): string;
export declare function dirname(path: string | URL): string;
export declare function fromFileUrl(url: string | URL): string;
export declare function join(path: string | URL, ...paths: string[]): string;
export declare function normalize(path: string | URL): string;
export declare function relative(from: string, to: string): string;
export declare function resolve(...pathSegments: string[]): string;
export declare function toFileUrl(path: string): URL;
