import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readAgentSettings } from '../../config/read-agent-settings.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { createMeshCa } from '../../testing/certificates.ts';
import { contentVersion } from '../../xds/resource.ts';
import { createLog } from '../log/log.ts';
import { ConfigurationCache } from './cache.ts';
import { DiscoveryClient } from './discovery-client.ts';
import { rootDigests } from './roots.ts';

const hourMs = 3_600_000;
const nodeId = 'sidecar~127.0.0.1~web.foo~foo.svc.cluster.local';

describe('a cached configuration without a word of the control plane, by default', () => {
  let folder: string;
  let lines: string[];
  let aheadMs: number;
  let client: DiscoveryClient | undefined;
  const clock: Clock = {
    ...systemClock,
    wallMs: () => Date.now() + aheadMs,
    monotonicMs: () => performance.now() + aheadMs,
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cached-'));
    [lines, aheadMs] = [[], 0];
    const { rootCertificate } = await createMeshCa();
    await writeFile(join(folder, 'root.pem'), rootCertificate);
    const [identity, roots] = ['spiffe://cluster.local/ns/foo/sa/web', rootDigests(rootCertificate)];
    const resource = { name: 'a', version: contentVersion('a'), body: Buffer.from('a') };
    const resources = { clusters: [resource], endpoints: [], listeners: [], routes: [] };
    const cache = new ConfigurationCache(join(folder, 'discovery-cache'));
    await cache.write({ identity, workload: nodeId, roots }, resources, Date.now());
  });
  afterEach(async () => {
    await client?.close();
    await rm(folder, { recursive: true });
  });

  /** An agent that was started so long after the last word. */
  const startAfter = async (ms: number): Promise<DiscoveryClient> => {
    aheadMs = ms;
    const maxAgeMs = readAgentSettings({}, new DiagnosticBag())?.discoveryCacheMaxAgeMs ?? 0;
    client = await DiscoveryClient.start({
      configPath: folder,
      config: {
        ...{ address: 'nowhere:1', nodeId, identityPrefix: 'spiffe://cluster.local/ns/foo/', maxAgeMs },
        ...{ rootPath: join(folder, 'root.pem'), envoyVersion: async () => '1.40.0' },
      },
      log: createLog({ isJson: false, level: 'info', write: (line) => void lines.push(line) }),
      clock,
    });
    return client;
  };

  test('serves for 24 hours, counted from the last word, and then makes the proxy unready', async () => {
    const it = await startAfter(hourMs);
    expect(it.problem).toBeUndefined();
    aheadMs = 23.9 * hourMs;
    expect(it.problem).toBeUndefined();
    aheadMs = 24.1 * hourMs;
    const problem =
      'the control plane has not confirmed the configuration for more than 86400 s: it has not answered yet';
    expect(it.problem).toBe(problem);
    aheadMs = 30 * hourMs;
    expect(it.problem).toBe(problem);
  });

  test('is not used by an agent that starts after 24 hours', async () => {
    const it = await startAfter(24.1 * hourMs);
    expect(it.problem).toMatch(/^no configuration has come from the control plane/);
    expect(lines.join('')).toMatch(/the cached configuration is not used.*it is 86\d{3} s old, at most 86400/);
  });
});
