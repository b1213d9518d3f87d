import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkloadAuthority } from '../../src/control/ca/temporary-authority.ts';
import { applicationUid } from '../../src/testbed/curl.ts';
import { pod, service, topologyText } from '../../src/testbed/mesh-objects.ts';
import { repository, type Sandbox } from '../../src/testbed/sandbox.ts';
import { node } from '../../src/testbed/sidecar.ts';
import type { Testbed, TestbedOptions } from '../../src/testbed/testbed.ts';
import { until } from '../../src/testbed/until.ts';
import type { LoadTarget, LoadTls } from './order.ts';

export const applicationPort = 8000;
export const serverId = 'spiffe://cluster.local/ns/foo/sa/server';

/** Network namespaces of the two clients: one calls through its sidecar, one speaks mutual TLS itself. */
export const meshed = 'foo-client';
export const direct = 'legacy-client';

/** The service, for the client with a sidecar. */
export const byName: LoadTarget = { host: 'server.foo', port: applicationPort };

/** One of the servers, for the client without one. */
export function byAddress(index: number): LoadTarget {
  return { host: `10.77.0.${20 + index}`, port: applicationPort };
}

/** Name of a server's pod. */
export function serverName(index: number): string {
  return `server-${index}`;
}

/**
 * A mesh with so many servers of one service, the first of which is its endpoint, a client with a sidecar and one
 * without. Its Envoys log each request.
 */
export function loadMesh(servers: number): TestbedOptions {
  return {
    topology: loadTopology(servers, 0),
    meshConfig: { accessLogFile: '/dev/stdout', accessLogEncoding: 'JSON' },
    // A client on a busy machine may need longer for its first bytes than the second after which they are not TLS.
    env: { PILOT_INBOUND_PROTOCOL_DETECTION_TIMEOUT: '10s' },
  };
}

/** The file `topology.yaml` of the mesh when this server is the one that is ready. */
export function loadTopology(servers: number, ready: number): string {
  return topologyText([
    pod({ namespace: 'foo', name: 'client', index: 11 }),
    pod({ namespace: 'legacy', name: 'client', index: 13, hasSidecar: false }),
    service({ namespace: 'foo', name: 'server', index: 10, ports: { http: applicationPort } }),
    ...Array.from({ length: servers }, (_, index) => serverPod(index, index === ready)),
  ]);
}

/** Without container ports: the testbed's own application stays away. */
function serverPod(index: number, isReady: boolean): object {
  const made = pod({ namespace: 'foo', name: serverName(index), index: 20 + index }) as {
    metadata: object;
    spec: object;
    status: object;
  };
  const status = isReady ? 'True' : 'False';
  return {
    ...made,
    metadata: { ...made.metadata, labels: { app: 'server' } },
    spec: { ...made.spec, serviceAccountName: 'server' },
    status: { ...made.status, conditions: [{ type: 'Ready', status }] },
  };
}

/** Starts the application in the pod of each server; returns when all listen. */
export async function startApplications(sandbox: Sandbox, servers: number): Promise<void> {
  const started = Array.from({ length: servers }, async (_, index) => {
    const network = `foo-${serverName(index)}`;
    const output = join(sandbox.folder, `${network}-application.log`);
    const argv = [node, `${repository}/e2e/load/application.ts`, String(applicationPort)];
    await sandbox.start(argv, output, { network, uid: applicationUid });
    const listens = async (): Promise<true | undefined> =>
      (await readFile(output, 'utf8')).includes('listening') ? true : undefined;
    await until(listens, { timeoutMs: 90_000, otherwise: async () => `${network}: ${await readFile(output, 'utf8')}` });
  });
  await Promise.all(started);
}

/** What the client without a sidecar needs to speak mutual TLS itself. */
export async function ownTls(ca: WorkloadAuthority): Promise<LoadTls> {
  const own = await ca.issue('spiffe://cluster.local/ns/legacy/sa/client');
  return { cert: own.certificateChain, key: own.privateKey, ca: own.rootCertificate, serverId };
}

/** Lines of the access logs that tell of requests not answered with 200, with Envoy's flags; the last twenty a proxy. */
export async function refusals(testbed: Testbed, pods: readonly string[]): Promise<string> {
  const lines = await Promise.all(
    pods.map(async (name) => {
      const sidecar = testbed.sidecar(name);
      if (sidecar.program.exitCode === undefined) await sidecar.admin('POST', '/reopen_logs').catch(() => undefined);
      const failed = (await sidecar.output())
        .split('\n')
        .filter(
          (line) =>
            line.startsWith('{"') &&
            line.includes('response_flags') &&
            !/"response_code":200|"response_code":0,"response_flags":"-"/.test(line),
        );
      return failed.slice(-20).map((line) => `${name}: ${line}`);
    }),
  );
  return lines.flat().join('\n');
}
