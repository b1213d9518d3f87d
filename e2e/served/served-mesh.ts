import { pod, topologyText } from '../../src/testbed/mesh-objects.ts';
import { createTestbed, type Testbed, type TestbedOptions } from '../../src/testbed/testbed.ts';
import { ServedFleet, type ServedFleetOptions } from './served-fleet.ts';

export interface ServedMeshOptions
  extends Omit<TestbedOptions, 'fleet'>,
    Pick<ServedFleetOptions, 'mannerOf' | 'source' | 'planeEnv'> {
  /** Of the control plane; 1 when absent. */
  readonly replicas?: number;
}

/** A mesh whose proxies are clients of a control plane. */
export interface ServedMesh {
  readonly testbed: Testbed;
  readonly fleet: ServedFleet;
  /** Ends every proxy and starts it again; returns when all are ready. */
  restartProxies(): Promise<void>;
  close(): Promise<void>;
}

/** Starts `meshd serve`, which the topology need not have, then the proxies; returns when every one is ready. */
export async function createServedMesh({
  topology,
  mannerOf,
  planeEnv,
  replicas: count = 1,
  source,
  ...options
}: ServedMeshOptions): Promise<ServedMesh> {
  let fleet: ServedFleet | undefined;
  const replicas = Array.from({ length: count }, (_, i) => ({
    name: `meshd-${i}`,
    index: 5 + i,
    ipv4: `10.77.0.${5 + i}`,
  }));
  const pods = replicas.map(({ name, index }) => pod({ namespace: 'mesh-system', name, index, hasSidecar: false }));
  try {
    const testbed = await createTestbed({
      ...options,
      topology: {
        ...(typeof topology === 'string' ? { 'topology.yaml': topology } : topology),
        'control-plane.yaml': topologyText(pods),
      },
      fleet: async (...place) => {
        fleet = await ServedFleet.create(...place, { replicas, mannerOf, planeEnv, ...(source && { source }) });
        return fleet;
      },
    });
    const started = fleet as ServedFleet;
    return {
      testbed,
      fleet: started,
      restartProxies: async () => {
        const proxies = testbed.pods
          .filter(({ hasSidecar, isRouter }) => hasSidecar || isRouter)
          .map(({ namespace, name }) => `${namespace}/${name}`);
        await Promise.all(proxies.map((pod) => restart(testbed, pod)));
      },
      close: async () => {
        await testbed.close();
        await started.close();
      },
    };
  } catch (error) {
    await fleet?.close();
    throw error;
  }
}

async function restart(testbed: Testbed, pod: string): Promise<void> {
  const { program } = testbed.sidecar(pod);
  await program.signal('TERM');
  await program.exited;
  await (await testbed.startAgain(pod)).ready();
}
