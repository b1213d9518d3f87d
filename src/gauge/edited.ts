import { requestLog } from './access-logs.ts';

type Json = Record<string, unknown>;

/** What the gauge changes in a configuration. */
export interface Edits {
  /** Stands in each entry of the gauge's log. */
  readonly gate: string;
  /** By name of a field, what stands there in place of its value; undefined: nothing. */
  readonly replacements: Readonly<Record<string, (value: unknown) => unknown>>;
  /** By name of a field or a type, the one that takes its place. */
  readonly names?: Readonly<Record<string, string>>;
  /** Logs of requests beside the gauge's. */
  readonly logs?: readonly object[];
}

/** Where spans are sent does not matter to requests; whether there are any does. */
function withoutProvider(tracing: unknown): unknown {
  if (typeof tracing !== 'object' || tracing === null) return undefined;
  const { provider: _provider, ...others } = tracing as Json;
  return others;
}

/** A copy of a resource with these edits, in which each connection manager tells of its requests in the gauge's log. */
export function editedForGauge(value: unknown, edits: Edits): unknown {
  if (Array.isArray(value)) return value.map((one) => editedForGauge(one, edits));
  if (typeof value !== 'object' || value === null) return value;
  const { replacements, names = {} } = edits;
  const entries = Object.entries(value as Json).flatMap(([key, member]) => {
    const replacement = replacements[key];
    const replaced = replacement === undefined ? editedForGauge(member, edits) : replacement(member);
    return replaced === undefined ? [] : [[names[key] ?? key, replaced] as const];
  });
  const copy: Json = Object.fromEntries(entries);
  const type = String(copy['@type']);
  if (names[type] !== undefined) copy['@type'] = names[type];
  if (type.endsWith('HttpConnectionManager')) {
    copy.access_log = [requestLog(edits.gate), ...(edits.logs ?? [])];
    copy.tracing = withoutProvider(copy.tracing);
  }
  if (type.endsWith('TcpProxy')) delete copy.access_log;
  return copy;
}
