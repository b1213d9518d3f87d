import type { Snapshot } from '../../compiler/snapshot.ts';
import { compareStrings } from '../../lib/sort.ts';
import type { AuthorizationPolicy } from '../../policy/authorization-policy.ts';
import type { AssumedWorkload } from '../assumed-workload.ts';

/**
 * Workloads that tests of the policies need and the inputs lack: one for each policy that selects none, a client for each
 * service account and namespace that rules name, and a stranger. Sorted by name.
 */
export function missingWorkloads(snapshot: Snapshot): readonly AssumedWorkload[] {
  const found = new Map<string, AssumedWorkload>();
  const { policies, topology } = snapshot;
  const add = (workload: AssumedWorkload): void => {
    const key = `${workload.namespace}/${workload.name}`;
    const isTaken = topology.workloads.some(({ namespace, name }) => `${namespace}/${name}` === key);
    if (!isTaken && !found.has(key)) found.set(key, workload);
  };
  for (const policy of policies.authorizationPolicies) {
    const isInForce = topology.workloads.some((workload) =>
      snapshot.effective.authorizationPolicies(workload).includes(policy),
    );
    if (!isInForce) add(targetOf(policy));
  }
  const clients = policies.authorizationPolicies.flatMap(clientsOf);
  const stranger = { namespace: 'elsewhere', account: 'stranger' };
  for (const { namespace, account } of [...clients, stranger]) {
    const isThere = topology.workloads.some(
      (one) => one.namespace === namespace && one.serviceAccount === account && one.role === 'sidecar',
    );
    if (!isThere)
      add({ ...{ namespace, name: account, account, ports: [] }, labels: { app: account }, proxy: 'sidecar' });
  }
  return [...found.values()].sort((a, b) => compareStrings(`${a.namespace}/${a.name}`, `${b.namespace}/${b.name}`));
}

function targetOf({ namespace, name, spec }: AuthorizationPolicy): AssumedWorkload {
  const labels = spec.selector?.matchLabels ?? {};
  const named = (spec.rules ?? []).flatMap(({ to = [] }) => to.flatMap(({ operation }) => operation.ports ?? []));
  const ports = [...new Set(['8080', ...named])].map((port) => ({ number: Number(port), protocol: 'http' }));
  const own = Object.keys(labels).length === 0 ? { app: name } : labels;
  return { namespace, name, labels: own, account: name, ports, proxy: 'sidecar' };
}

interface Account {
  readonly namespace: string;
  readonly account: string;
}

/** Service accounts that the rules name, and one in each namespace that they name. Patterns name none. */
function clientsOf({ namespace: own, spec }: AuthorizationPolicy): readonly Account[] {
  const isName = (text: string | undefined): text is string => /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(text ?? '');
  const account = (namespace: string | undefined, name: string | undefined): readonly Account[] =>
    isName(namespace) && isName(name) ? [{ namespace, account: name }] : [];
  const ofPrincipal = (value: string): readonly Account[] => {
    const [, namespace, name] = /\/ns\/([^/]+)\/sa\/([^/]+)$/.exec(value) ?? [];
    return account(namespace, name);
  };
  const ofAccount = (value: string): readonly Account[] => {
    const [name, namespace = own] = value.split('/').reverse();
    return account(namespace, name);
  };
  const ofNamespace = (value: string): readonly Account[] => account(value, 'client');
  const readers: Readonly<Record<string, (value: string) => readonly Account[]>> = {
    principals: ofPrincipal,
    'source.principal': ofPrincipal,
    serviceAccounts: ofAccount,
    'source.serviceAccount': ofAccount,
    namespaces: ofNamespace,
    'source.namespace': ofNamespace,
  };
  const lists = (spec.rules ?? []).flatMap(({ from = [], when = [] }) => [
    ...from.flatMap(({ source }) =>
      Object.entries(source as Readonly<Record<string, readonly string[]>>).map(([key, values]) => ({
        key: key.replace(/^not(.)/, (_, first: string) => first.toLowerCase()),
        values,
      })),
    ),
    ...when.map(({ key, values = [], notValues = [] }) => ({ key, values: [...values, ...notValues] })),
  ]);
  return lists.flatMap(({ key, values }) => values.flatMap(readers[key] ?? (() => [])));
}
