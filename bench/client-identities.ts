import { connectTo, send } from '../src/control/testing/control-bench.ts';
import { createTestRequest } from '../src/control/testing/signing-requests.ts';
import type { MeshSize } from './mesh.ts';
import type { Meshd } from './meshd-folder.ts';

/** Who a client is, and where it goes. */
export interface ClientIdentity {
  readonly port: number;
  readonly root: string;
  readonly certificate: string;
  readonly privateKey: string;
  readonly nodeId: string;
}

/** Certificates of one key. */
interface Signed {
  readonly root: string;
  readonly privateKey: string;
  /** PEM of each account's certificate and what stands between it and the root, in their order. */
  readonly certificates: readonly string[];
}

/** Certificates for accounts, as `namespace/name`, signed by meshd. */
export async function signedFor(meshd: Meshd, accounts: readonly string[]): Promise<Signed> {
  const root = await meshd.root();
  const { csr, privateKey } = await createTestRequest();
  const client = connectTo(meshd.port, root);
  const certificates = await Promise.all(
    accounts.map(async (account) => {
      const { code, details, chain } = await send(client, { csr, token: await meshd.mint.mint(account) });
      if (code !== 0) throw new Error(`refused with ${code}: ${details}`);
      return chain.slice(0, -1).join('');
    }),
  );
  client.close();
  return { root, privateKey, certificates };
}

/** One for each of the first workloads of {@link generateMesh}, signed by meshd. */
export async function identitiesFor(
  meshd: Meshd,
  clients: number,
  { services, namespaces }: MeshSize,
): Promise<readonly ClientIdentity[]> {
  const namespaceOf = (i: number): string => `ns-${(i % services) % namespaces}`;
  const accounts = Array.from({ length: clients }, (_, i) => `${namespaceOf(i)}/sa-${i % services}`);
  const { certificates, ...shared } = await signedFor(meshd, accounts);
  return certificates.map((certificate, i) => {
    const namespace = namespaceOf(i);
    const nodeId = `sidecar~127.0.0.1~p-${i}.${namespace}~${namespace}.svc.cluster.local`;
    return { port: meshd.port, ...shared, certificate, nodeId };
  });
}
