import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../testbed/until.ts';
import { freePorts } from '../free-ports.ts';
import { ApiClient } from './api-client.ts';
import { egressConfiguration, type FindService, startEgress } from './egress.ts';
import { kubeconfigText } from './kubeconfig-text.ts';
import { builtProgram } from './programs.ts';
import { ServerProcess } from './server-process.ts';

/** What makes namespaces complete, and slices of services' pods. */
export const usualControllers: readonly string[] = [
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'namespace-controller',
  'endpointslice-controller',
  'root-ca-certificate-publisher-controller',
  'garbage-collector-controller',
];

export interface ClusterOptions {
  /** Controllers beside the API server; none: objects stay as they were written. */
  readonly controllers?: readonly string[];
  /** Has the server write who asked for what to `audit.log` in the folder. */
  readonly isAudited?: boolean;
  /** Gives the port of loopback for a service that the API server calls; absent: it can call no service. */
  readonly findService?: FindService;
}

/** A real API server with its etcd on loopback; everything lies in a folder of its own. */
export interface Cluster {
  readonly folder: string;
  readonly port: number;
  readonly etcdPort: number;
  readonly etcd: ServerProcess;
  readonly server: ServerProcess;
  /** Of the group `system:masters`. */
  readonly api: ApiClient;
  /** Certificate of the server, PEM. */
  readonly ca: string;
  /** Writes a kubeconfig whose user has the token; returns its path. `through` is a proxy before the server. */
  kubeconfig(name: string, token: string, through?: { readonly port: number; readonly ca: string }): string;
  readonly adminToken: string;
  /** A token of a service account, from the server's TokenRequest. */
  accountToken(namespace: string, account: string, audiences?: readonly string[]): Promise<string>;
  /** Resolves once the server answers that it is ready. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export const issuer = 'https://kubernetes.default.svc';

const startMs = 120_000;

/** Starts them, and returns once the server is ready. */
export async function startCluster({
  controllers = [],
  isAudited = false,
  findService,
}: ClusterOptions = {}): Promise<Cluster> {
  const [etcdProgram, serverProgram] = [await builtProgram('etcd'), await builtProgram('kube-apiserver')];
  const folder = mkdtempSync(join(tmpdir(), 'cluster-'));
  const [port = 0, etcdPort = 0, peerPort = 0, controllersPort = 0] = await freePorts(4);
  const adminToken = randomBytes(16).toString('hex');
  writeKeys(folder, adminToken);
  const path = (name: string): string => join(folder, name);
  const process = (program: string, name: string, args: readonly string[]): ServerProcess =>
    new ServerProcess({ program, args, log: path(`${name}.log`) });
  const egress = findService && (await startEgress(path('egress.sock'), findService));
  const etcd = process(etcdProgram, 'etcd', etcdArgs(folder, etcdPort, peerPort));
  const server = process(serverProgram, 'apiserver', [
    ...serverArgs(folder, port, etcdPort),
    ...(isAudited ? auditArgs(folder) : []),
    ...(egress ? egressArgs(folder) : []),
  ]);
  const started = [server, etcd];
  const close = async (): Promise<void> => {
    for (const each of started) await each.kill();
    egress?.close();
    await rm(folder, { recursive: true, force: true });
  };
  etcd.start();
  server.start();
  try {
    await certificateOf(folder, server);
    const ca = readFileSync(path('certificates/apiserver.crt'), 'utf8');
    const api = new ApiClient({ port, ca, token: adminToken });
    const ready = (): Promise<void> => waitUntilReady(api, server);
    const kubeconfig = (name: string, token: string, through = { port, ca }): string => {
      const text = kubeconfigText(through.port, through.ca, token);
      writeFileSync(path(`${name}.kubeconfig`), text, { mode: 0o600 });
      return path(`${name}.kubeconfig`);
    };
    await ready();
    if (controllers.length > 0) {
      const args = controllerArgs(folder, controllersPort, kubeconfig('controllers', adminToken), controllers);
      const manager = process(await builtProgram('kube-controller-manager'), 'controllers', args);
      started.unshift(manager);
      manager.start();
    }
    const accountToken = async (namespace: string, account: string, audiences = [issuer]): Promise<string> => {
      const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences } };
      const answer = await api.must(
        'POST',
        `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`,
        request,
      );
      return answer.status.token;
    };
    const parts = { folder, port, etcdPort, etcd, server, api, ca, adminToken };
    return {
      ...parts,
      ...{ kubeconfig, accountToken, ready },
      close: async () => {
        api.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function writeKeys(folder: string, adminToken: string): void {
  const { privateKey, publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'sec1', format: 'pem' },
  });
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text, { mode: 0o600 });
  write('accounts.key', privateKey);
  write('accounts.pub', publicKey);
  write('tokens.csv', `${adminToken},admin,admin,"system:masters"\n`);
}

function etcdArgs(folder: string, port: number, peerPort: number): string[] {
  const [clients, peers] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  return [
    ...['--name', 'default', '--data-dir', join(folder, 'etcd'), '--unsafe-no-fsync', '--log-level', 'warn'],
    ...['--listen-client-urls', clients, '--advertise-client-urls', clients],
    ...['--listen-peer-urls', peers, '--initial-advertise-peer-urls', peers, '--initial-cluster', `default=${peers}`],
  ];
}

function serverArgs(folder: string, port: number, etcdPort: number): string[] {
  const path = (name: string): string => join(folder, name);
  return [
    ...['--etcd-servers', `http://127.0.0.1:${etcdPort}`, '--bind-address', '127.0.0.1', '--secure-port', String(port)],
    // An address of RFC 5737, which nobody is told: the server would look for one by the default route, which may be absent.
    ...['--advertise-address', '192.0.2.1', '--endpoint-reconciler-type', 'none'],
    ...['--cert-dir', path('certificates'), '--allow-privileged=true'],
    ...['--service-cluster-ip-range', '10.96.0.0/16,fd96::/108', '--authorization-mode', 'RBAC'],
    ...['--token-auth-file', path('tokens.csv'), '--service-account-issuer', issuer],
    ...['--api-audiences', `${issuer},mesh-ca`, '--service-account-key-file', path('accounts.pub')],
    ...['--service-account-signing-key-file', path('accounts.key')],
  ];
}

function auditArgs(folder: string): string[] {
  const policy = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] };
  writeFileSync(join(folder, 'audit.json'), JSON.stringify(policy));
  return ['--audit-policy-file', join(folder, 'audit.json'), '--audit-log-path', join(folder, 'audit.log')];
}

function egressArgs(folder: string): string[] {
  writeFileSync(join(folder, 'egress.json'), JSON.stringify(egressConfiguration(join(folder, 'egress.sock'))));
  return ['--egress-selector-config-file', join(folder, 'egress.json')];
}

function controllerArgs(folder: string, port: number, kubeconfig: string, controllers: readonly string[]): string[] {
  return [
    ...['--kubeconfig', kubeconfig, '--bind-address', '127.0.0.1', '--secure-port', String(port)],
    ...['--cert-dir', join(folder, 'certificates'), '--leader-elect=false', '--controllers', controllers.join()],
    ...['--service-account-private-key-file', join(folder, 'accounts.key')],
    ...['--root-ca-file', join(folder, 'certificates/apiserver.crt')],
  ];
}

/** The server writes its own certificate as it starts. */
async function certificateOf(folder: string, server: ServerProcess): Promise<void> {
  await until(async () => hasCertificate(folder) || ended(server), {
    timeoutMs: startMs,
    everyMs: 50,
    otherwise: async () => `the API server wrote no certificate: ${server.lastWords}`,
  });
}

function hasCertificate(folder: string): true | undefined {
  try {
    return readFileSync(join(folder, 'certificates/apiserver.crt'), 'utf8').includes('-END CERT') || undefined;
  } catch {
    return undefined;
  }
}

async function waitUntilReady(api: ApiClient, server: ServerProcess): Promise<void> {
  const isReady = async (): Promise<true | undefined> => {
    try {
      return (await api.ask('GET', '/readyz')).status === 200 || undefined;
    } catch {
      // It does not listen yet.
      return ended(server);
    }
  };
  await until(isReady, {
    timeoutMs: startMs,
    everyMs: 50,
    otherwise: async () => `the API server is not ready: ${server.lastWords}`,
  });
}

function ended(server: ServerProcess): undefined {
  if (!server.isRunning) throw new Error(`the API server has ended: ${server.lastWords}`);
  return undefined;
}
