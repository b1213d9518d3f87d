import type { SourceFile } from '../source/document.ts';

/** A workload that the inputs lack, and that questions about them are asked with. */
export interface AssumedWorkload {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Name of its service account. */
  readonly account: string;
  /** Of its application; a Service of the workload's name leads to them. None: no Service. */
  readonly ports: readonly AssumedPort[];
  readonly proxy: 'sidecar' | 'router' | 'none';
}

export interface AssumedPort {
  readonly number: number;
  /** As the name of a service port begins: `http`, `tcp`, `grpc`. Absent: the proxy detects it. */
  readonly protocol?: string;
}

/** Its objects as the text of an input; `path` is its name in diagnostics. Its address is assumed with all others. */
export function assumedText(workload: AssumedWorkload, path: string): SourceFile {
  const { namespace, name, ports } = workload;
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: { selector: workload.labels, ports: ports.map(servicePort) },
  };
  const objects = [podOf(workload), ...(ports.length > 0 ? [service] : [])];
  return { path, text: `${objects.map((object) => JSON.stringify(object)).join('\n---\n')}\n` };
}

/** A proxy among its containers counts whatever its namespace says of injection. */
function podOf({ namespace, name, labels, account, proxy }: AssumedWorkload): object {
  const proxies = proxy === 'none' ? [] : [{ name: 'mesh-proxy', args: ['proxy', proxy] }];
  const annotations = proxy === 'none' ? { 'sidecar.mesh.io/inject': 'false' } : {};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels, annotations },
    spec: { serviceAccountName: account, containers: [...proxies, { name: 'app' }] },
  };
}

function servicePort({ number, protocol }: AssumedPort): object {
  return { name: protocol === undefined ? `port-${number}` : `${protocol}-${number}`, port: number };
}

/** Says what is assumed, in one line. */
export function describeAssumed({ namespace, name, labels, account, ports, proxy }: AssumedWorkload): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  const own = { sidecar: 'a sidecar', router: 'the proxy of a gateway', none: 'no proxy' }[proxy];
  const open = ports.map(({ number, protocol }) => `${number}${protocol === undefined ? '' : ` (${protocol})`}`);
  const served = open.length === 0 ? 'no ports' : `port${open.length > 1 ? 's' : ''} ${open.join(', ')}`;
  const labelled = pairs.length === 0 ? 'no labels' : `labels ${pairs.join(', ')}`;
  return `there is a workload ${namespace}/${name}: ${labelled}, service account ${account}, ${served}, ${own}`;
}
