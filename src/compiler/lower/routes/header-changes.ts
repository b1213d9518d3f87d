import type { HeaderOperations, Headers } from '../../../policy/virtual-service.ts';
import type { HeaderChangesIR } from '../../ir/header-changes.ts';

/** Changes on the way there and back; `authority` takes the place of the host, which no header operation may touch. */
export interface RouteHeaders {
  readonly requestHeaders?: HeaderChangesIR;
  readonly responseHeaders?: HeaderChangesIR;
  readonly authority?: string;
}

/** The operations of several blocks on one message, in their order: those of a route, then those of its destination. */
export function headerChanges(...blocks: readonly (Headers | undefined)[]): RouteHeaders {
  if (blocks.every((block) => block === undefined)) return {};
  const requests = blocks.flatMap((block) => block?.request ?? []);
  const requestHeaders = joined(requests);
  const responseHeaders = joined(blocks.flatMap((block) => block?.response ?? []));
  const authority = requests.flatMap(hostsOf).at(-1);
  return {
    ...(requestHeaders === undefined ? {} : { requestHeaders }),
    ...(responseHeaders === undefined ? {} : { responseHeaders }),
    ...(authority === undefined ? {} : { authority }),
  };
}

function joined(operations: readonly HeaderOperations[]): HeaderChangesIR | undefined {
  const add = operations.flatMap(({ set, add: added }) => [...values(set, true), ...values(added, false)]);
  const remove = operations.flatMap(({ remove: removed }) => removed ?? []).map((name) => name.toLowerCase());
  return add.length + remove.length === 0 ? undefined : { add, remove: [...new Set(remove)].sort() };
}

function values(fields: Readonly<Record<string, string>> = {}, overwrites: boolean): HeaderChangesIR['add'] {
  return Object.keys(fields)
    .filter((name) => !isHost(name))
    .sort()
    .map((name) => ({ name: name.toLowerCase(), value: fields[name] ?? '', overwrites }));
}

function hostsOf({ set, add }: HeaderOperations): string[] {
  return [...Object.entries(set ?? {}), ...Object.entries(add ?? {})].flatMap(([name, value]) =>
    isHost(name) ? [value] : [],
  );
}

function isHost(name: string): boolean {
  const lower = name.toLowerCase();
  return lower === 'host' || lower === ':authority';
}
