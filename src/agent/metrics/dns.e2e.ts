import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { DnsBench } from '../../dns/testing/dns-bench.ts';
import { ask, meshName } from '../../dns/testing/dns-client.ts';
import { silent } from '../../dns/testing/dns-double.ts';
import { eventually } from '../../testing/eventually.ts';
import { AgentMetrics } from './metrics.ts';

let bench: DnsBench;
beforeAll(async () => {
  bench = await DnsBench.create();
});
afterEach(() => bench.close());

describe('AgentMetrics.dns', () => {
  test('shows queries that wait for the mesh, and counts servers that do not answer', async () => {
    const metrics = new AgentMetrics();
    const figure = async (name: string): Promise<number> => {
      const line = (await metrics.text()).split('\n').find((text) => text.startsWith(`${name} `));
      return Number(line?.slice(name.length));
    };
    const [mesh, plain] = [await bench.tls(silent), await bench.plain(silent)];
    const { port } = await bench.serve(mesh, [plain], { observer: metrics.dns });
    const waiting = [ask(port, meshName), ask(port, `other.${meshName}`)];
    await eventually(async () => expect(await figure('mesh_agent_dns_tls_pending')).toBe(2));
    const answers = await Promise.all([...waiting, ask(port, 'example.com')]);
    expect(answers.map(({ rcode }) => rcode)).toEqual(['SERVFAIL', 'SERVFAIL', 'SERVFAIL']);
    expect(await figure('mesh_agent_dns_tls_pending')).toBe(0);
    expect(await figure('mesh_agent_dns_upstream_failures_total{upstream="tls"}')).toBe(2);
    expect(await figure('mesh_agent_dns_upstream_failures_total{upstream="plain"}')).toBe(plain.heard.length);
    expect(await figure('mesh_agent_dns_failures_total')).toBe(3);
  });
});
