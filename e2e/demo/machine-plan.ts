import { type FloorPlan, type PlanObject, planFloor } from '../../src/testbed/floor-plan.ts';
import { pod } from '../../src/testbed/mesh-objects.ts';

/** Replicas of the control plane. */
export const planes = ['meshd-1', 'meshd-2'] as const;

/** Services of Consul with one instance each, on a machine of its own; each answers HTTP on port 8000. */
export const workloads = ['frontend', 'cart', 'catalog', 'orders', 'payments', 'mail'] as const;
export type WorkloadName = (typeof workloads)[number];

/** Whom each workload lets in. */
export const callers: Readonly<Record<WorkloadName, readonly WorkloadName[]>> = {
  frontend: [],
  cart: ['frontend'],
  catalog: ['frontend', 'cart'],
  orders: ['cart'],
  payments: ['orders'],
  mail: ['orders'],
};

export const servicePort = 8_000;

const indices = new Map([
  ['consul', 4],
  ...planes.map((name, at) => [name, 5 + at] as const),
  ...workloads.map((name, at) => [name, 20 + at] as const),
]);

/** A network namespace for each machine; redirection is left to the machines' own units. */
export const machinePlan: FloorPlan = planFloor(
  [...indices].map(([name, index]) =>
    pod({
      ...{ namespace: 'machine', name, index, hasSidecar: false },
      ports: workloads.some((it) => it === name) ? { http: servicePort } : {},
    }),
  ) as PlanObject[],
);

/** IPv4. */
export function addressOf(machine: string): string {
  return `10.77.0.${indices.get(machine)}`;
}

/** Name of its network namespace. */
export function networkOf(machine: string): string {
  return `machine-${machine}`;
}

/** Where the one file system of the demonstration has the machine's own folders. */
export function homeOf(machine: string): string {
  return `/machines/${machine}`;
}
