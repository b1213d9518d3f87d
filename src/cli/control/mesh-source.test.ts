import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { kubeconfigText } from '../../testing/kubernetes/kubeconfig-text.ts';
import { configOf } from './testing/config-of.ts';

describe('controlConfigOf', () => {
  test('writes the status of objects where variables ask for it, no more often than they say', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'meshd-'));
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, kubeconfigText(6443, '-----BEGIN CERTIFICATE-----', 'token'));
    const flags = { kubernetes: true, kubeconfig } as const;
    const sourceOf = async (environment: Readonly<Record<string, string>>) =>
      (await configOf(environment, flags)).distribution?.compile.source;
    expect(await sourceOf({})).toMatchObject({ type: 'cluster', status: undefined });
    expect(await sourceOf({ PILOT_ENABLE_STATUS: 'true' })).toMatchObject({
      status: { reconciliation: true, analysis: false, rate: { perSecond: 100, burst: 500 } },
    });
    const slow = { PILOT_ENABLE_STATUS: '1', PILOT_STATUS_QPS: '0.5', PILOT_STATUS_BURST: '3' };
    expect(await sourceOf(slow)).toMatchObject({ status: { rate: { perSecond: 0.5, burst: 3 } } });
    expect(await sourceOf({ PILOT_ENABLE_ANALYSIS: 'true' })).toMatchObject({
      status: { reconciliation: false, analysis: true },
    });
    expect((await configOf({ NAMESPACE: 'here' }, flags)).replica).toMatchObject({ namespace: 'here' });
    rmSync(folder, { recursive: true });
  });
});
