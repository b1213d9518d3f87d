import type { JsonPath } from '../../../diagnostics/span.ts';
import { longestMessage } from '../condition.ts';

/** An error or a warning at a place in an object. */
export interface PlacedFinding {
  readonly code: string;
  readonly path: JsonPath;
  readonly message: string;
  /** Other places of the object that the finding is about. */
  readonly related: readonly JsonPath[];
}

/** An object of the Gateway API as the API server has it, and what the compiler says of it. */
export interface StandardSubject {
  readonly kind: string;
  /** Empty for a GatewayClass. */
  readonly namespace: string;
  readonly name: string;
  /** Its value; nobody has checked it if there are errors. */
  readonly value: unknown;
  /** Why it is not compiled as it stands; empty: it is. */
  readonly errors: readonly PlacedFinding[];
  readonly warnings: readonly PlacedFinding[];
}

/** A field of an unchecked value; undefined if there is none. */
export function fieldOf(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}

/** The items of a list of an unchecked value; none if it is no list. */
export function itemsOf(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = fieldOf(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** Whether a path begins with these steps. */
export function isWithin(path: JsonPath, ...start: JsonPath): boolean {
  return start.every((step, i) => path[i] === step);
}

/** What findings say, each once, cut to a length that a server takes. */
export function textOf(findings: readonly { readonly message: string }[], end = ''): string {
  const text = [...new Set(findings.map(({ message }) => message))].join('; ');
  const most = longestMessage - end.length;
  return `${text.length > most ? `${text.slice(0, most - 1)}…` : text}${end}`;
}
