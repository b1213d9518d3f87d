import { readFile } from 'node:fs/promises';
import { peerAuthentication, pod, service, topologyText } from '../../src/testbed/mesh-objects.ts';
import { type Sandbox, scratch } from '../../src/testbed/sandbox.ts';
import { type Provision, proxyUid } from '../../src/testbed/sidecar.ts';
import { createTestbed, type Testbed, type TestbedOptions } from '../../src/testbed/testbed.ts';
import { authorityAddress, ControlPlane, controlPlaneObjects } from './control-plane.ts';

export interface IdentityMeshOptions {
  /** SECRET_TTL */
  readonly lifetime: string;
  /** SECRET_GRACE_PERIOD_RATIO */
  readonly graceRatio: number;
  /** Files of an authority that is plugged in; self-signed when absent. */
  readonly authority?: Readonly<Record<string, string>>;
  /** Roots that workloads are given at the start, PEM; that of the self-signed authority when absent. */
  readonly roots?: string;
  /** Before anything of the mesh runs. */
  readonly prepare?: (sandbox: Sandbox, plane: ControlPlane) => Promise<void>;
  readonly env?: Readonly<Record<string, string>>;
  /** Further workloads and services. */
  readonly topology?: readonly object[];
  /** Further objects, in the file `more.yaml`. */
  readonly policies?: readonly object[];
  /** How long a token lasts that is renewed; ten minutes when absent, as the first does: it is there before anybody uses it. */
  readonly tokenSeconds?: number;
}

/** Two sidecars and a client without one, with identities of `meshd serve`. */
export interface IdentityMesh {
  readonly testbed: Testbed;
  readonly plane: ControlPlane;
  /** Gives a workload another token, by a rename, as a platform does. */
  renewToken(pod: string): Promise<void>;
  /** Gives a workload another file of its working directory, by a rename. */
  give(pod: string, file: string, text: string): Promise<void>;
}

/** Where each request needs a handshake of its own, and where connections are kept. */
export const freshPort = 8000;
export const keptPort = 8001;

export const clientId = 'spiffe://cluster.local/ns/foo/sa/client';
export const serverId = 'spiffe://cluster.local/ns/foo/sa/server';

export const rootFile = 'var/run/secrets/mesh/root-cert.pem';
export const tokenFile = 'var/run/secrets/tokens/mesh-token';

/** One request a connection: a pool would hide what becomes of new handshakes. */
const freshConnections = {
  apiVersion: 'networking.mesh.io/v1',
  kind: 'DestinationRule',
  metadata: { namespace: 'foo', name: 'server' },
  spec: {
    host: 'server.foo.svc.cluster.local',
    trafficPolicy: {
      portLevelSettings: [{ port: { number: freshPort }, connectionPool: { http: { maxRequestsPerConnection: 1 } } }],
    },
  },
};

const ports = { 'http-fresh': freshPort, 'http-kept': keptPort };

const workloads: readonly object[] = [
  ...controlPlaneObjects,
  pod({ namespace: 'foo', name: 'server', index: 10, ports }),
  service({ namespace: 'foo', name: 'server', index: 10, ports }),
  pod({ namespace: 'foo', name: 'client', index: 11 }),
  pod({ namespace: 'legacy', name: 'client', index: 13, hasSidecar: false }),
];

/**
 * Starts the control plane, then the mesh, under STRICT; returns when every sidecar is ready. The client's Envoy asks for
 * its secrets by the incremental form of the protocol (DELTA_GRPC, by a template of the user), the server's by the other.
 */
export async function createIdentityMesh(options: IdentityMeshOptions): Promise<IdentityMesh> {
  let plane: Promise<ControlPlane> | undefined;
  const provision: NonNullable<TestbedOptions['provision']> = async (sandbox, { namespace, name, serviceAccount }) => {
    plane ??= startPlane(sandbox, options);
    const token = await mintToken(await plane, `${namespace}/${serviceAccount}`, {});
    const files = { [rootFile]: options.roots ?? (await (await plane).root()), [tokenFile]: token };
    return name === 'client' ? withDelta(files) : { files };
  };
  const testbed = await createTestbed({
    topology: topologyText([...workloads, ...(options.topology ?? [])]),
    policies: {
      'more.yaml': topologyText(options.policies ?? []),
      'fresh.yaml': topologyText([freshConnections]),
      'strict.yaml': topologyText([peerAuthentication({ namespace: 'foo', mode: 'STRICT' })]),
    },
    env: {
      CA_ADDR: authorityAddress,
      SECRET_TTL: options.lifetime,
      SECRET_GRACE_PERIOD_RATIO: String(options.graceRatio),
      ECC_SIGNATURE_ALGORITHM: 'ECDSA',
      ...options.env,
    },
    provision,
  });
  if (plane === undefined) throw new Error('a mesh without a workload');
  const started = await plane;
  const give: IdentityMesh['give'] = async (name, file, text) => {
    const { network } = testbed.sidecar(name).pod;
    const script = `cd ${scratch}/${network}; umask 077; cat > given; chown ${proxyUid}:${proxyUid} given; mv given ${file}`;
    await testbed.sandbox.must(['sh', '-ec', script], { stdin: text });
  };
  const renewToken = async (name: string): Promise<void> =>
    give(name, tokenFile, await mintToken(started, name, options));
  return { testbed, plane: started, give, renewToken };
}

function mintToken(
  { mint }: ControlPlane,
  account: string,
  { tokenSeconds = 600 }: Pick<IdentityMeshOptions, 'tokenSeconds'>,
): Promise<string> {
  return mint.mint(account, { claims: { exp: Math.floor(Date.now() / 1000) + tokenSeconds } });
}

async function startPlane(sandbox: Sandbox, { authority, prepare }: IdentityMeshOptions): Promise<ControlPlane> {
  const plane = await ControlPlane.create(sandbox, authority && { authority });
  await prepare?.(sandbox, plane);
  await plane.start();
  return plane;
}

async function withDelta(files: Provision['files']): Promise<Provision> {
  const partial = 'partials/sds-source.hbs';
  const ours = await readFile(new URL(`../../templates/${partial}`, import.meta.url), 'utf8');
  const theirs = ours.replace('"GRPC"', '"DELTA_GRPC"');
  return { files: { ...files, [`templates/${partial}`]: theirs }, flags: ['--templateFile', 'templates'] };
}
