import { mkdir, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect } from 'vitest';
import { httpbinPod, namespace, objects } from '../../cli/agent/testing/sample-mesh.ts';
import { ServingBench } from '../../control/testing/serving-bench.ts';
import { createAdminClient } from '../../envoy/admin.ts';
import { type EnvoyProcess, findEnvoy, spawnEnvoy } from '../../envoy/process.ts';
import type { SecretSnapshot } from '../../identity/snapshot.ts';
import { eventually } from '../../testing/eventually.ts';
import { freePorts } from '../../testing/free-ports.ts';
import { adsBootstrap } from '../../xds/testing/small-mesh.ts';
import { DiscoveryClient } from '../discovery/discovery-client.ts';
import type { DiscoveryConfig } from '../discovery/discovery-config.ts';
import { createLog } from '../log/log.ts';

const binary = findEnvoy({ env: process.env, repositoryRoot: resolve(import.meta.dirname, '../../..') });

/** The workload that all clients here are. */
export const httpbinNodeId = 'sidecar~127.0.0.1~httpbin.foo~foo.svc.cluster.local';

/** A control plane that serves a folder with one workload, a client of it, and an Envoy behind that. */
export class DiscoveryBench {
  readonly meshd: ServingBench;
  readonly identity: SecretSnapshot;
  readonly #adminPort: number;
  readonly #lines: string[] = [];
  #client: DiscoveryClient | undefined;
  #envoy: EnvoyProcess | undefined;

  private constructor(meshd: ServingBench, identity: SecretSnapshot, adminPort: number) {
    this.meshd = meshd;
    this.identity = identity;
    this.#adminPort = adminPort;
  }

  /** `mesh`: beside the namespace and the workload. */
  static async start(...mesh: readonly string[]): Promise<DiscoveryBench> {
    const meshd = await ServingBench.create();
    await mkdir(meshd.path('proxy'), { mode: 0o700 });
    await meshd.put('mesh.yaml', objects(namespace, httpbinPod(), ...mesh));
    const [adminPort = 0, outbound = 0, inbound = 0] = await freePorts(3);
    const ports = `proxyListenPort: ${outbound}\nproxyInboundListenPort: ${inbound}\n`;
    await writeFile(meshd.path('mesh-config.yaml'), ports);
    await startMeshd(meshd, meshd);
    const { certificate, privateKey } = await meshd.identity('foo/httpbin');
    const identity = {
      ...{ spiffeId: 'spiffe://cluster.local/ns/foo/sa/httpbin', certificateChain: certificate, privateKey },
      ...{ rootCertificates: meshd.root, notAfterMs: Date.now() + 3_600_000, serialNumber: '1' },
    };
    return new DiscoveryBench(meshd, identity, adminPort);
  }

  /** Another replica of the control plane, which runs. */
  async startReplica(): Promise<ServingBench> {
    const replica = await this.meshd.replica();
    await startMeshd(replica, this.meshd);
    return replica;
  }

  async startClient(changes: Partial<DiscoveryConfig> = {}, checkMs = 1_000): Promise<DiscoveryClient> {
    const config: DiscoveryConfig = {
      ...{ address: `127.0.0.1:${this.meshd.control.port}`, nodeId: httpbinNodeId, maxAgeMs: 86_400_000 },
      ...{ identityPrefix: 'spiffe://cluster.local/ns/foo/', rootPath: this.meshd.path('ca/self-signed-root.pem') },
      envoyVersion: async () => '1.40.0',
      ...changes,
    };
    const log = createLog({ isJson: false, level: 'debug', write: (line) => void this.#lines.push(line) });
    this.#client = await DiscoveryClient.start({ configPath: this.meshd.path('proxy'), config, log, checkMs });
    return this.#client;
  }

  async stopClient(): Promise<void> {
    await this.#client?.close();
    this.#client = undefined;
  }

  async startEnvoy(): Promise<void> {
    const bootstrap = JSON.stringify(adsBootstrap('DELTA_GRPC', this.#adminPort, this.meshd.path('proxy/XDS')));
    await writeFile(this.meshd.path('bootstrap.json'), bootstrap.replace('app.foo', 'httpbin.foo'));
    this.#envoy = await spawnEnvoy({
      binary,
      args: ['-c', this.meshd.path('bootstrap.json'), '--disable-hot-restart', '-l', 'off', '--concurrency', '1'],
      output: 'ignore',
    });
  }

  async killEnvoy(): Promise<void> {
    this.#envoy?.signal('SIGKILL');
    await this.#envoy?.exited;
    this.#envoy = undefined;
  }

  async dump(): Promise<string> {
    return (await createAdminClient({ port: this.#adminPort }).get('/config_dump')).body;
  }

  untilEnvoyHas(text: string): Promise<void> {
    return eventually(async () => expect(await this.dump()).toContain(text));
  }

  /** A client and an Envoy that have everything, the routes that Envoy asks for last included. */
  async settle(changes: Partial<DiscoveryConfig> = {}, checkMs?: number): Promise<DiscoveryClient> {
    const client = await this.startClient(changes, checkMs);
    client.takeIdentity(this.identity);
    await this.startEnvoy();
    await this.untilEnvoyHas('dynamic_route_configs');
    await eventually(() => expect(client.isInForce, this.logged().slice(-3000)).toBe(true));
    return client;
  }

  logged(): string {
    return this.#lines.join('');
  }

  async close(): Promise<void> {
    await this.killEnvoy();
    await this.stopClient();
    await this.meshd.close();
  }
}

/** `first` has the mesh configuration with the ports. */
function startMeshd(meshd: ServingBench, first: ServingBench): Promise<void> {
  const meshConfig = { path: first.path('mesh-config.yaml'), isRequired: true };
  return meshd.start({ compile: { settings: { environment: {}, meshConfig } } });
}
