import { InvalidArgumentError } from 'commander';
import { nearest } from '../../lib/nearest.ts';
import type { AssumedPort, AssumedWorkload } from '../../library/assumed-workload.ts';

/** A workload to assume, or a file with one a line. */
export type Assumption = AssumedWorkload | { readonly file: string };

const form =
  'NAMESPACE/NAME[,labels=KEY:VALUE+…][,account=NAME][,ports=[PROTOCOL:]PORT+…][,proxy=sidecar|router|none], or @FILE';

/** Adds one assumption. */
export function collectAssumption(text: string, before: readonly Assumption[] = []): readonly Assumption[] {
  if (!text.startsWith('@')) return [...before, parseAssumedWorkload(text)];
  if (text === '@') throw new InvalidArgumentError('expected the path of a file behind "@"');
  return [...before, { file: text.slice(1) }];
}

/** Throws an InvalidArgumentError where the text is no workload. */
export function parseAssumedWorkload(text: string): AssumedWorkload {
  const [place = '', ...parts] = text.split(',');
  const [, namespace, name] = /^([a-z0-9-]+)\/([a-z0-9.-]+)$/.exec(place) ?? [];
  if (namespace === undefined || name === undefined) {
    throw new InvalidArgumentError(`"${place}" names no workload, expected ${form}`);
  }
  const fields = new Map<string, string>();
  for (const part of parts) {
    const at = part.indexOf('=');
    const field = at === -1 ? part : part.slice(0, at);
    if (!isField(field) || at === -1) throw unknownField(field, at === -1);
    if (fields.has(field)) throw new InvalidArgumentError(`"${field}" is given twice`);
    fields.set(field, part.slice(at + 1));
  }
  const labels = parseLabels(fields.get('labels') ?? `app:${name}`);
  const ports = listOf(fields.get('ports')).map(parsePort);
  if (ports.length > 0 && Object.keys(labels).length === 0) {
    throw new InvalidArgumentError('"ports" needs a label, by which a Service selects the workload');
  }
  return {
    ...{ namespace, name, labels, ports },
    account: parseAccount(fields.get('account') ?? 'default'),
    proxy: parseProxy(fields.get('proxy') ?? 'sidecar'),
  };
}

const fieldNames = ['labels', 'account', 'ports', 'proxy'];

function isField(text: string): boolean {
  return fieldNames.includes(text);
}

function unknownField(field: string, isBare: boolean): InvalidArgumentError {
  if (isBare && isField(field)) return new InvalidArgumentError(`"${field}" has no value, expected "${field}=…"`);
  const meant = nearest(field, fieldNames);
  const near = meant === undefined ? '' : `; did you mean "${meant}"?`;
  return new InvalidArgumentError(`"${field}" is unknown, expected ${fieldNames.join(', ')}${near}`);
}

function listOf(text: string | undefined): readonly string[] {
  return text === undefined || text === '' ? [] : text.split('+');
}

function parseLabels(text: string): Readonly<Record<string, string>> {
  const pairs = listOf(text).map((pair) => {
    const [, key, value] = /^([A-Za-z0-9._/-]+):([A-Za-z0-9._-]*)$/.exec(pair) ?? [];
    if (key === undefined || value === undefined) {
      throw new InvalidArgumentError(`"${pair}" is no label, expected KEY:VALUE, several with "+" between them`);
    }
    return [key, value] as const;
  });
  return Object.fromEntries(pairs);
}

function parseAccount(text: string): string {
  if (/^[a-z0-9.-]+$/.test(text)) return text;
  throw new InvalidArgumentError(`"${text}" is no service account, expected lower-case letters, digits, "-" and "."`);
}

/** As names of service ports may begin. */
const protocols = ['http', 'http2', 'grpc', 'grpc-web', 'https', 'tls', 'tcp', 'mongo', 'mysql', 'redis'];

function parsePort(text: string): AssumedPort {
  const [, protocol, digits] = /^(?:([a-z0-9-]+):)?(\d{1,5})$/.exec(text) ?? [];
  const number = Number(digits);
  if (digits === undefined || number < 1 || number > 65_535) {
    throw new InvalidArgumentError(`"${text}" is no port, expected [PROTOCOL:]PORT, such as http:8080`);
  }
  if (protocol === undefined) return { number };
  if (protocols.includes(protocol)) return { number, protocol };
  throw new InvalidArgumentError(`"${protocol}" is no protocol, expected one of ${protocols.join(', ')}`);
}

function parseProxy(text: string): AssumedWorkload['proxy'] {
  if (text === 'sidecar' || text === 'router' || text === 'none') return text;
  throw new InvalidArgumentError(`"${text}" is no proxy, expected sidecar, router (a gateway) or none`);
}
