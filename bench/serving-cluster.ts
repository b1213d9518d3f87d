import { setTimeout as delay } from 'node:timers/promises';
import { identitiesFor } from './client-identities.ts';
import { ClusterMesh } from './cluster-mesh.ts';
import { Crowd, seenOf } from './crowd.ts';
import { line, median, ms, nowMs, quantile } from './measure.ts';
import { Meshd } from './meshd-folder.ts';
import { cpuMs, residentMib } from './process-cost.ts';

const pods = Number(process.env.BENCH_PODS ?? 10_000);
const size = { services: pods / 10, workloads: pods, namespaces: 10 };
const clients = 100;
const flips = 20;
/** In a folder, since nobody has made the namespace of a Secret. */
const authority = ['--caFolder', './var/lib/mesh/ca'];

/** `meshd serve --kubernetes` on a real API server (23). */
export async function servingCluster(): Promise<void> {
  const mesh = await ClusterMesh.create(size);
  const { cluster } = mesh;
  let [meshd, crowd]: [Meshd | undefined, Crowd | undefined] = [undefined, undefined];
  try {
    const began = nowMs();
    const kubeconfig = cluster.kubeconfig('meshd', cluster.adminToken);
    meshd = await Meshd.start(
      'ECDSA',
      ['--kubernetes', '--kubeconfig', kubeconfig, '--anyProxyAddress', ...authority],
      {
        environment: { PILOT_USE_ENDPOINT_SLICE: 'true' },
      },
    );
    await meshd.seen('configuration compiled');
    const { pid } = meshd;
    line(
      `${pods} pods and ${size.services} services listed and compiled`,
      `${((nowMs() - began) / 1_000).toFixed(1)} s, ${(cpuMs(pid) / 1_000).toFixed(1)} s of a processor`,
      `meshd's peak ${residentMib(pid).peak.toFixed(0)} MiB`,
    );
    crowd = await Crowd.create([await identitiesFor(meshd, clients, size)]);
    await crowd.tell('open');
    await crowd.tell('ask');
    await crowd.until(([report]) => report?.settled === clients, 120_000);
    const [all, last]: [number[], number[]] = [[], []];
    for (let i = 0; i < flips; i += 1) {
      await crowd.countAnew();
      const at = nowMs();
      await mesh.flip();
      await crowd.until((reports) => seenOf(reports).every(({ endpointResponses: n }) => n > 0), 30_000);
      const took = seenOf(await crowd.tell('report')).map(({ lastAckMs }) => lastAckMs - at);
      all.push(...took);
      last.push(Math.max(...took));
    }
    line(
      `endpoint, from its write to the ACKs of ${clients}, ${flips} writes`,
      `all ACKs: p50 ${ms(quantile(all, 0.5))}, p99 ${ms(quantile(all, 0.99))}`,
      `the last one: p50 ${ms(median(last))}, max ${ms(Math.max(...last))}`,
    );
    // What the last write leads to is over.
    await delay(3_000);
    const before = compilations(meshd);
    const cpu = cpuMs(pid);
    await mesh.chatter(50);
    await delay(2_000);
    line(
      '150 heartbeats, annotations and writes of status',
      `${compilations(meshd) - before} compilations, ${ms((cpuMs(pid) - cpu) / 150)} of a processor each`,
    );
  } finally {
    crowd?.end();
    await meshd?.end();
    await cluster.close();
  }
}

function compilations({ output }: Meshd): number {
  return output.split('configuration compiled').length - 1;
}
