import { topologyText } from '../../src/testbed/mesh-objects.ts';
import { createTestbed, type Testbed, type TestbedOptions } from '../../src/testbed/testbed.ts';
import { controlPlaneObjects } from '../identity/control-plane.ts';
import { ServedFleet, type ServedFleetOptions } from './served-fleet.ts';

export interface ServedMeshOptions
  extends Omit<TestbedOptions, 'fleet' | 'topology'>,
    Pick<ServedFleetOptions, 'mannerOf'> {
  /** Without the control plane. */
  readonly topology: string;
}

/** A mesh whose proxies are clients of a control plane. */
export interface ServedMesh {
  readonly testbed: Testbed;
  readonly fleet: ServedFleet;
  /** Ends every proxy and starts it again; returns when all are ready. */
  restartProxies(): Promise<void>;
  close(): Promise<void>;
}

/** Starts `meshd serve`, then the proxies; returns when every one is ready. */
export async function createServedMesh({ topology, mannerOf, ...options }: ServedMeshOptions): Promise<ServedMesh> {
  let fleet: ServedFleet | undefined;
  const replicas = [{ name: 'meshd', ipv4: '10.77.0.5' }];
  try {
    const testbed = await createTestbed({
      ...options,
      topology: { 'topology.yaml': topology, 'control-plane.yaml': topologyText(controlPlaneObjects) },
      fleet: async (...place) => {
        fleet = await ServedFleet.create(...place, { replicas, mannerOf });
        return fleet;
      },
    });
    const started = fleet as ServedFleet;
    return {
      testbed,
      fleet: started,
      restartProxies: async () => {
        const proxies = testbed.pods
          .filter(({ hasSidecar }) => hasSidecar)
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
