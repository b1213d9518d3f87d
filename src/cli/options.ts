import { InvalidArgumentError } from 'commander';
import { isOwnTrustDomain } from '../config/trust-domain.ts';
import { parseIgnorePattern } from '../source/ignore-patterns.ts';

/** Adds one value of an option that may stand several times; a comma is a part of the value. */
export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

/** A path that says something: an empty one is mostly a variable that was not set. */
export function parsePath(value: string): string {
  if (value === '') throw new InvalidArgumentError('Expected a path: an empty text names no file and no folder.');
  return value;
}

/** A text that says something: an empty one is mostly a variable that was not set. */
export function filledText(text: string): string {
  if (text.trim() === '')
    throw new InvalidArgumentError('an empty text names nothing; leave the flag out for its default');
  return text;
}

/** The trust domain of a SPIFFE ID, as settings check it. */
export function parseTrustDomain(text: string): string {
  if (isOwnTrustDomain(filledText(text))) return text;
  throw new InvalidArgumentError('Expected a trust domain: lower-case letters, digits, dots, dashes and underscores.');
}

/** Adds one such text of an option that may stand several times. */
export function collectFilled(value: string, before: readonly string[] | undefined): readonly string[] {
  return collect(filledText(value), before);
}

/** Adds one path of an argument or option that may stand several times. */
export function collectPath(value: string, before: readonly string[] | undefined): readonly string[] {
  return collect(parsePath(value), before);
}

/** Adds one pattern of `--exclude`; one that says nothing was meant to say something. */
export function collectPattern(value: string, before: readonly string[] | undefined): readonly string[] {
  if (parseIgnorePattern(value) === undefined) {
    throw new InvalidArgumentError('Expected a pattern as in .gitignore: this one is blank, a comment, or no name.');
  }
  return collect(value, before);
}

/** What holds where nothing names the root namespace, as help texts say it. */
export const rootDefault =
  "(default: rootNamespace of the mesh configuration, else mesh-system, or istio-system if that holds policies of Istio's API group)";

/** A name that a namespace can have (RFC 1123 label). */
export function parseNamespace(value: string): string {
  if (!/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(value)) {
    throw new InvalidArgumentError('Expected the name of a namespace: lower-case letters, digits and dashes.');
  }
  return value;
}

/** `NAMESPACE/NAME`. */
export function parseWorkload(
  value: string,
  before: readonly { readonly namespace: string; readonly name: string }[] | undefined,
): readonly { readonly namespace: string; readonly name: string }[] {
  const [namespace, name, ...rest] = value.split('/');
  if (!namespace || !name || rest.length > 0) throw new InvalidArgumentError('Expected NAMESPACE/NAME.');
  return [...(before ?? []), { namespace, name }];
}

/** Bytes, plain or with K, M or G (powers of 1024; `Ki`, `MiB` and the like mean the same). */
export function parseSize(value: string): number {
  const [, digits, unit] = /^(\d+)(?:([KMG])(?:i?B?)?)?$/i.exec(value) ?? [];
  const factor = { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 }[(unit ?? '').toUpperCase()];
  if (digits === undefined || factor === undefined || Number(digits) === 0) {
    throw new InvalidArgumentError('Expected a size such as 16MiB.');
  }
  return Number(digits) * factor;
}

export function parseCount(value: string): number {
  if (!/^\d{1,9}$/.test(value) || Number(value) === 0) throw new InvalidArgumentError('Expected a number above 0.');
  return Number(value);
}

/** A name of RFC 1123, short enough that what is put before it stays one. */
export function revisionName(text: string): string {
  if (!/^[a-z0-9]([a-z0-9-]{0,40}[a-z0-9])?$/.test(text))
    throw new InvalidArgumentError('at most 42 of a-z, 0-9 and "-" are expected');
  return text;
}
