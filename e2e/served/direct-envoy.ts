import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { secretResources } from '../../src/agent/secrets/secret-resources.ts';
import { type DirectEnvoy, directBootstrap } from '../../src/control/testing/direct-bootstrap.ts';
import type { IdentityTexts } from '../../src/identity/snapshot.ts';
import type { PlannedPod } from '../../src/testbed/floor-plan.ts';
import { type Sandbox, scratch } from '../../src/testbed/sandbox.ts';
import { envoyBinary, proxyUid, type Sidecar, startProxy } from '../../src/testbed/sidecar.ts';
import type { FleetPlace } from '../../src/testbed/sidecars.ts';
import { secretService } from '../../src/xds/secret-service.ts';
import { type DiscoveryServer, startDiscoveryServer } from '../../src/xds/server.ts';

/** Where its control planes are, and in which form it asks them. */
export interface DirectOptions extends Pick<DirectEnvoy, 'apiType' | 'controlPlanes'> {
  /** How long a listener that was replaced drains; its routes stay as long. */
  readonly drainSeconds: number;
}

const adminPort = 15_000;

/** Starts Envoys without agents. Their secrets come from this process, as on other platforms from a service of the node. */
export class DirectEnvoys {
  readonly #place: FleetPlace;
  readonly #secrets = new Map<string, Promise<DiscoveryServer>>();

  constructor(place: FleetPlace) {
    this.#place = place;
  }

  /** Starts the Envoy of a pod; does not wait until it is ready. */
  async start(pod: PlannedPod, { drainSeconds, ...options }: DirectOptions): Promise<Sidecar> {
    const { ca, sandbox } = this.#place;
    const { namespace, name, serviceAccount, network, ipv4 = '' } = pod;
    const issued = await ca.issue(`spiffe://cluster.local/ns/${namespace}/sa/${serviceAccount}`);
    const identity: IdentityTexts = { ...issued, rootCertificates: issued.rootCertificate };
    const folder = `${network}-secrets`;
    // One that the pod had before: a second service cannot take its socket.
    await this.#closeSecrets(network);
    const serving = serveSecrets(sandbox, folder, identity);
    this.#secrets.set(network, serving);
    await serving;
    const bootstrap = directBootstrap({
      ...{ ...options, ...identity, adminPort, secretSocket: join(scratch, folder, 'SDS') },
      nodeId: `${pod.isRouter ? 'router' : 'sidecar'}~${ipv4}~${name}.${namespace}~${namespace}.svc.cluster.local`,
    });
    const flags = [
      '--disable-hot-restart',
      '--concurrency',
      '1',
      '--drain-time-s',
      String(drainSeconds),
      '--drain-strategy',
      'immediate',
    ];
    return startProxy(sandbox, pod, {
      files: { 'bootstrap.json': JSON.stringify(bootstrap) },
      argv: [envoyBinary, '-c', 'bootstrap.json', ...flags],
      ...{ env: {}, uid: proxyUid, readyUrl: `http://127.0.0.1:${adminPort}/ready` },
    });
  }

  async close(): Promise<void> {
    for (const network of this.#secrets.keys()) await this.#closeSecrets(network);
  }

  async #closeSecrets(network: string): Promise<void> {
    await (await this.#secrets.get(network))?.close();
    this.#secrets.delete(network);
  }
}

async function serveSecrets(sandbox: Sandbox, folder: string, identity: IdentityTexts): Promise<DiscoveryServer> {
  await mkdir(join(sandbox.folder, folder), { recursive: true });
  const service = secretService(secretResources(identity));
  const server = await startDiscoveryServer(join(sandbox.folder, folder, 'SDS'), [service]);
  await sandbox.must(['sh', '-c', `cd ${join(scratch, folder)} && chmod 755 . && chown ${proxyUid}:${proxyUid} SDS`]);
  return server;
}
