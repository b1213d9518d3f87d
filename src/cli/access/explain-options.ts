import { isIP } from 'node:net';
import { InvalidArgumentError } from 'commander';
import type { Client } from '../../access/evaluate/client.ts';
import { parseStruct } from '../../access/model/struct-json.ts';
import type { Target } from '../../access/resolve-target.ts';
import type { WorkloadName } from '../../access/world.ts';
import { isRequestHeader, isRequestMethod, isRequestText } from '../../config/policy-test.ts';
import { filledText } from '../options.ts';

/** Of the blocks for documentation (RFC 5737): nobody's. */
const strangerAddress = '192.0.2.1';

/** `NAMESPACE/WORKLOAD`, a SPIFFE ID, `outside`, or an address outside of the mesh. */
export function parseClient(text: string): Client {
  if (text === 'outside') return { kind: 'outside', address: strangerAddress };
  if (isIP(text) > 0) return { kind: 'outside', address: text };
  if (/^spiffe:\/\/[^/]+\/./.test(text)) return { kind: 'outside', address: strangerAddress, identity: text };
  const [, namespace, name] = /^([^/:]+)\/([^/:]+)$/.exec(text) ?? [];
  if (namespace !== undefined && name !== undefined) return { kind: 'workload', namespace, name };
  throw new InvalidArgumentError('expected NAMESPACE/WORKLOAD, a SPIFFE ID, an IP address, or "outside"');
}

/** `NAMESPACE/WORKLOAD` of the workload to describe. */
export function parseDescribed(text: string): WorkloadName {
  return workloadName(text, 'NAMESPACE/WORKLOAD first, then the inputs');
}

/** `NAMESPACE/WORKLOAD` of an option. */
export function parseWorkloadName(text: string): WorkloadName {
  return workloadName(text, 'NAMESPACE/WORKLOAD');
}

function workloadName(text: string, expected: string): WorkloadName {
  const [, namespace, name] = /^([^/:]+)\/([^/:]+)$/.exec(text) ?? [];
  if (namespace !== undefined && name !== undefined) return { namespace, name };
  throw new InvalidArgumentError(`expected ${expected}`);
}

/** `NAMESPACE/WORKLOAD[:PORT]` or `HOST[:PORT]`. */
export function parseTarget(text: string): Target {
  const [, rest = '', digits] = /^(.*?)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const port = digits === undefined ? {} : { port: Number(digits) };
  const isPort = digits === undefined || (Number(digits) > 0 && Number(digits) < 65_536);
  const [, namespace, name] = /^([^/]+)\/([^/]+)$/.exec(rest) ?? [];
  if (isPort && namespace !== undefined && name !== undefined) return { kind: 'workload', namespace, name, ...port };
  if (isPort && rest !== '' && !rest.includes('/')) return { kind: 'host', host: rest.toLowerCase(), ...port };
  throw new InvalidArgumentError('expected NAMESPACE/WORKLOAD[:PORT] or HOST[:PORT]');
}

/** Method, path or host of a request: with a line break in it, it would be more than that. */
export function parseRequestText(text: string): string {
  if (isRequestText(text)) return filledText(text);
  throw new InvalidArgumentError('expected no line breaks and no NUL');
}

/** A method of a request, known or not. */
export function parseRequestMethod(text: string): string {
  if (isRequestMethod(text)) return text;
  throw new InvalidArgumentError('expected letters, digits and signs of a method, and no space');
}

/** Adds one `NAME: VALUE`. */
export function collectHeader(
  text: string,
  before: readonly (readonly [string, string])[] = [],
): readonly (readonly [string, string])[] {
  const [, name = '', value = ''] = /^([^:]*):[ \t]*(.*)$/s.exec(text) ?? [];
  if (!isRequestHeader(name, value)) throw new InvalidArgumentError('expected "NAME: VALUE"');
  return [...before, [name, value]];
}

/** Claims, in JSON that Envoy would read in a token. */
export function parseClaims(text: string): Readonly<Record<string, unknown>> {
  const claims = parseStruct(text);
  if (claims !== undefined) return claims;
  const limits = 'with each key once, numbers that a double holds, whole characters, and at most 100 levels';
  throw new InvalidArgumentError(
    `expected a JSON object, such as '{"iss": "https://issuer.example", "sub": "a"}', ${limits}`,
  );
}
