import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createAdminClient } from '../../envoy/admin.ts';
import { findEnvoy, spawnEnvoy } from '../../envoy/process.ts';
import type { RawRequest } from './control-bench.ts';
import { directBootstrap } from './direct-bootstrap.ts';
import type { ServingBench } from './serving-bench.ts';

export interface DirectEnvoyOptions {
  readonly bench: ServingBench;
  readonly adminPort: number;
  readonly client: NonNullable<RawRequest['client']>;
  /** `<name>.<namespace>` */
  readonly workload: string;
  readonly apiType?: 'GRPC' | 'DELTA_GRPC';
}

/** An Envoy that asks the control plane by itself, and runs. */
export interface RunningEnvoy {
  dump(): Promise<string>;
  figure(name: string): Promise<number>;
  close(): Promise<void>;
}

/** Starts an Envoy without an agent; the workload's own secrets never come, so that its listeners with mutual TLS stay closed. */
export async function startDirectEnvoy(options: DirectEnvoyOptions): Promise<RunningEnvoy> {
  const { bench, adminPort, client, workload, apiType = 'DELTA_GRPC' } = options;
  const bootstrap = directBootstrap({
    ...{ nodeId: `sidecar~127.0.0.1~${workload}~foo.svc.cluster.local`, apiType, adminPort },
    ...{ controlPlanes: [{ host: '127.0.0.1', port: bench.control.port }], secretSocket: bench.path('SDS') },
    ...{ certificateChain: client.certificate, privateKey: client.privateKey, rootCertificates: bench.root },
  });
  const path = bench.path(`bootstrap-${workload}.json`);
  await writeFile(path, JSON.stringify(bootstrap));
  const envoy = await spawnEnvoy({
    binary: findEnvoy({ env: process.env, repositoryRoot: resolve(import.meta.dirname, '../../..') }),
    args: ['-c', path, '--disable-hot-restart', '-l', 'off', '--concurrency', '1'],
    output: 'ignore',
  });
  const admin = createAdminClient({ port: adminPort });
  return {
    dump: async () => (await admin.get('/config_dump')).body,
    figure: async (name) => Number(/: (\d+)$/m.exec((await admin.get(`/stats?filter=^${name}$`)).body)?.[1]),
    close: async () => {
      envoy.signal('SIGKILL');
      await envoy.exited;
    },
  };
}
