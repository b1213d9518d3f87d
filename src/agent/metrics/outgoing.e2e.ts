import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { authorityIn, startTestAuthority, type TestAuthority } from '../../identity/testing/test-authority.ts';
import { eventually } from '../../testing/eventually.ts';
import { createLog } from '../log/log.ts';
import { type IdentityService, startIdentityService } from '../secrets/identity-service.ts';
import { AgentMetrics } from './metrics.ts';

describe('AgentMetrics.outgoing', () => {
  let folder: string;
  let authority: TestAuthority;
  let service: IdentityService | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'outgoing-'));
    authority = await startTestAuthority();
  });
  afterEach(async () => {
    await service?.close();
    authority.close();
    await rm(folder, { recursive: true });
  });

  const start = async (metrics: AgentMetrics): Promise<void> => {
    const { outgoing, certificates } = metrics;
    const log = createLog({ isJson: false, level: 'none', write: () => undefined });
    const options = await authorityIn(join(folder, 'platform'), authority);
    const paths = { configPath: folder, identityFolder: undefined };
    service = await startIdentityService({ ...paths, authority: options, outgoing, certificates, log });
  };
  const figures = async (metrics: AgentMetrics): Promise<readonly number[]> => {
    const text = await metrics.text();
    return ['num_outgoing_requests', 'num_outgoing_retries', 'num_failed_outgoing_requests', 'outgoing_latency'].map(
      (name) => Number(new RegExp(`^${name}\\{request_type="csr"\\} (\\S+)$`, 'm').exec(text)?.[1]),
    );
  };

  test('counts one request with its retries, and the time that all of it took', async () => {
    const metrics = new AgentMetrics();
    let left = 2;
    authority.answer = (seen) => (left-- > 0 ? { code: 14, details: 'away' } : authority.good(seen));
    await start(metrics);
    await eventually(async () => expect(await figures(metrics)).toEqual([1, 2, 0, expect.any(Number)]));
    await eventually(async () => expect((await figures(metrics))[3]).toBeGreaterThan(0));
    expect(await metrics.text()).toMatch(
      /^mesh_agent_certificate_expiry_timestamp_seconds\{resource_name="default"\} \d+/m,
    );
  });

  test('counts a request that is given up', async () => {
    const metrics = new AgentMetrics();
    authority.answer = () => ({ code: 3, details: 'no' });
    await start(metrics);
    await eventually(async () => expect((await figures(metrics))[2]).toBe(1));
    expect((await figures(metrics))[3]).toBeGreaterThan(0);
  });
});
