import { authorizationPolicy, peerAuthentication, service, topologyText } from '../../src/testbed/mesh-objects.ts';
import type { Testbed } from '../../src/testbed/testbed.ts';
import { applicationPort } from './load-mesh.ts';

/** One change of the policy folder. */
interface Change {
  readonly files?: Readonly<Record<string, string>>;
  readonly removed?: string;
}

/** Makes so many changes, one after the other as soon as every proxy has the last one in force; all allow the load. */
export async function reload(testbed: Testbed, times: number): Promise<void> {
  for (let i = 0; i < times; i += 1) await make(testbed, policyChange(i));
}

/** Adds services and routes that nobody under load calls: connections and streams are to survive each. */
export async function addStrangers(testbed: Testbed, times: number, everyMs: number): Promise<void> {
  const startedAt = performance.now();
  for (let i = 0; i < times; i += 1) {
    await make(testbed, { files: { [`stranger-${i}.yaml`]: topologyText(stranger(i)) } });
    const untilNext = startedAt + (i + 1) * everyMs - performance.now();
    if (untilNext > 0) await new Promise((resolve) => setTimeout(resolve, untilNext));
  }
}

async function make(testbed: Testbed, { files, removed }: Change): Promise<void> {
  if (files !== undefined) await testbed.apply(files);
  if (removed !== undefined) await testbed.remove(removed);
}

/** Every kind of change that leaves the load allowed, in turn. */
function policyChange(i: number): Change {
  const cycle: readonly Change[] = [
    { files: { 'allow.yaml': topologyText([allowLoad]) } },
    { files: { 'peer.yaml': topologyText([peerAuthentication({ namespace: 'foo', mode: 'STRICT' })]) } },
    { files: { 'route.yaml': topologyText([routes(i)]) } },
    { files: { 'deny.yaml': topologyText([denyOthers]) } },
    { files: { 'service.yaml': topologyText(stranger(i)) } },
    { removed: 'allow.yaml' },
    { files: { 'peer.yaml': topologyText([peerAuthentication({ namespace: 'foo', mode: 'PERMISSIVE' })]) } },
    { removed: 'route.yaml' },
    { removed: 'deny.yaml' },
    { removed: 'service.yaml' },
  ];
  return cycle[i % cycle.length] ?? {};
}

const allowLoad = authorizationPolicy({
  ...{ namespace: 'foo', name: 'load', app: 'server', action: 'ALLOW' },
  rules: [{ from: [{ source: { namespaces: ['foo', 'legacy'] } }] }],
});

const denyOthers = authorizationPolicy({
  ...{ namespace: 'foo', name: 'others', app: 'server', action: 'DENY' },
  rules: [{ to: [{ operation: { paths: ['/private*'] } }] }],
});

/** A route for a path that nobody calls, before the one for all others. */
function routes(i: number): object {
  const host = 'server.foo.svc.cluster.local';
  return {
    apiVersion: 'networking.mesh.io/v1',
    kind: 'VirtualService',
    metadata: { namespace: 'foo', name: 'server' },
    spec: {
      hosts: [host],
      http: [
        { match: [{ uri: { prefix: `/version-${i}` } }], route: [{ destination: { host } }] },
        { route: [{ destination: { host } }] },
      ],
    },
  };
}

/** A service and a route to it, on the port of the load and, every second one, on a port of its own. */
export function stranger(i: number): readonly object[] {
  const name = `stranger-${i}`;
  const host = `${name}.foo.svc.cluster.local`;
  return [
    service({
      namespace: 'foo',
      name,
      index: 100 + (i % 100),
      ports: { http: i % 2 === 0 ? applicationPort : 9000 + i },
    }),
    {
      apiVersion: 'networking.mesh.io/v1',
      kind: 'VirtualService',
      metadata: { namespace: 'foo', name },
      spec: { hosts: [host], http: [{ match: [{ uri: { prefix: `/${i}` } }], route: [{ destination: { host } }] }] },
    },
  ];
}
