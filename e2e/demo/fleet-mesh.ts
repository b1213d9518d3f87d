import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pod, service, topologyText } from '../../src/testbed/mesh-objects.ts';
import type { ControlPlane } from '../identity/control-plane.ts';
import { createServedMesh, type ServedMesh } from '../served/served-mesh.ts';
import type { AsksMeshd } from './arrivals.ts';

/** The workloads of namespace `shop`: each has a sidecar and answers HTTP on port 8000. */
export const shops = [
  ...['frontend', 'cart', 'catalog', 'orders', 'payments'],
  ...['shipping', 'stock', 'users', 'search', 'mail'],
] as const;

export const gateway = { host: 'edge.mesh-system', port: 80 };

/** How long an open connection keeps the policies of before. */
export const drainSeconds = 3;

/** A fleet that meshd serves: a gateway, ten sidecars, and a client outside. */
export interface FleetMesh extends ServedMesh, AsksMeshd {
  readonly plane: ControlPlane;
  /** Writes a file of the folder that meshd watches, by a rename, as an editor does. */
  edit(file: string, objects: readonly object[]): Promise<void>;
}

/** Starts meshd and the fleet; returns when every proxy is ready. */
export async function createFleetMesh(onProgress: (step: string) => void): Promise<FleetMesh> {
  const served = await createServedMesh({
    topology: topologyText(objects),
    meshConfig: { defaultConfig: { drainDuration: `${drainSeconds}s` } },
    mannerOf: () => ({ via: 'agent', form: 'delta' }),
    onProgress,
  });
  const { testbed, fleet } = served;
  const [plane] = fleet.planes;
  if (plane === undefined) throw new Error('a fleet without a control plane');
  return {
    ...served,
    plane,
    edit: async (file, changed) => {
      const beside = join(testbed.sandbox.folder, 'edited');
      await writeFile(beside, topologyText(changed), { mode: 0o644 });
      await rename(beside, join(testbed.sandbox.folder, 'mesh', file));
    },
    ask: async <T>(path: string) => (await fleet.ask(plane, [path]))[0] as T | undefined,
  };
}

const ports = { http: 8000 };

const objects: readonly object[] = [
  ...shops.flatMap((name, at) => [
    pod({ namespace: 'shop', name, index: 20 + at, ports }),
    service({ namespace: 'shop', name, index: 20 + at, ports }),
  ]),
  pod({ namespace: 'mesh-system', name: 'edge', index: 6, isRouter: true }),
  service({
    ...{ namespace: 'mesh-system', name: 'edge', index: 6 },
    ...{ ports: { http: gateway.port }, targetPorts: { http: 8080 } },
  }),
  pod({ namespace: 'outside', name: 'client', index: 7, hasSidecar: false }),
  {
    apiVersion: 'networking.mesh.io/v1',
    kind: 'Gateway',
    metadata: { namespace: 'mesh-system', name: 'edge' },
    spec: {
      selector: { app: 'edge' },
      servers: [{ port: { number: gateway.port, name: 'http', protocol: 'HTTP' }, hosts: ['*'] }],
    },
  },
  {
    apiVersion: 'networking.mesh.io/v1',
    kind: 'VirtualService',
    metadata: { namespace: 'shop', name: 'edge' },
    spec: {
      ...{ hosts: ['*'], gateways: ['mesh-system/edge'] },
      http: [{ route: [{ destination: { host: 'frontend.shop.svc.cluster.local', port: { number: 8000 } } }] }],
    },
  },
];
