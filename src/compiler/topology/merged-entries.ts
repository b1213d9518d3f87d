import type { Service } from './model.ts';
import type { ServiceDraft } from './services.ts';

/**
 * One service of two ServiceEntries that describe the same host of one namespace on different ports: the ports of `later`
 * that `first` has not, with their endpoints. Undefined when there is no such port, or when the two differ in what holds
 * for a host as a whole (how it is resolved, who sees it, which addresses, identities and workloads it has).
 */
export function mergeEntries(first: ServiceDraft, later: ServiceDraft): ServiceDraft | undefined {
  const taken = new Set(first.service.ports.map(({ number }) => number));
  const added = later.service.ports.flatMap((port, index) =>
    taken.has(port.number) ? [] : [{ ...port, declaredBy: { object: later.service.object, index } }],
  );
  if (added.length === 0 || commonText(first) !== commonText(later)) return undefined;
  const numbers = new Set(added.map(({ number }) => number));
  return {
    ...first,
    service: { ...first.service, ports: [...first.service.ports, ...added] },
    targetPorts: new Map([...[...later.targetPorts].filter(([number]) => numbers.has(number)), ...first.targetPorts]),
    ownEndpoints: [...first.ownEndpoints, ...later.ownEndpoints.filter(({ servicePort }) => numbers.has(servicePort))],
  };
}

/** Ports that both declare: those of the later one are left out. */
export function commonPorts(first: ServiceDraft, later: ServiceDraft): readonly number[] {
  const taken = new Set(first.service.ports.map(({ number }) => number));
  return later.service.ports.map(({ number }) => number).filter((number) => taken.has(number));
}

const common = ['kind', 'isExternal', 'resolution', 'dnsRoundRobin'] as const satisfies readonly (keyof Service)[];
const commonLists = ['addresses', 'exportTo', 'subjectAltNames'] as const satisfies readonly (keyof Service)[];

function commonText({ service, selector }: ServiceDraft): string {
  return JSON.stringify([
    common.map((field) => service[field]),
    commonLists.map((field) => [...service[field]].sort()),
    Object.entries(selector ?? {}).sort(),
  ]);
}
