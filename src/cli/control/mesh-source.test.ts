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
    expect(await sourceOf({ PILOT_ENABLED_SERVICE_APIS: 'true', PILOT_STATUS_QPS: '2' })).toMatchObject({
      gatewayApi: true,
      status: { reconciliation: false, analysis: false, rate: { perSecond: 2, burst: 500 } },
    });
    const watchNamespaces = Array.from({ length: 101 }, (_, i) => `n-${i}`);
    await expect(configOf({}, { ...flags, watchNamespaces })).rejects.toThrow(
      '--watch-namespaces takes at most 100 namespaces, since each needs 26 connections to the API server, not 101;',
    );
    expect((await configOf({ NAMESPACE: 'here' }, flags)).replica).toMatchObject({ namespace: 'here' });
    const webhookAddr = { host: '127.0.0.1', port: 15_017 };
    const skips = async (value: string) =>
      (await configOf({ PILOT_ENABLED_SERVICE_APIS: value }, { ...flags, webhookAddr })).webhooks?.skipsGatewayApi;
    expect([await skips(''), await skips('true')]).toEqual([true, false]);
    rmSync(folder, { recursive: true });
  });

  test('reads the Gateway API if PILOT_ENABLED_SERVICE_APIS says so, and takes nothing else for it', async () => {
    const readsIt = async (value: string) => {
      const { distribution } = await configOf({ PILOT_ENABLED_SERVICE_APIS: value }, { config: '/mesh' });
      return distribution?.compile.readsGatewayApi;
    };
    expect([await readsIt(''), await readsIt('false'), await readsIt('true')]).toEqual([false, false, true]);
    await expect(readsIt('yes')).rejects.toThrow('PILOT_ENABLED_SERVICE_APIS is');
  });

  const consul = [{ id: 'consul', origin: 'https://127.0.0.1:8501', datacenter: undefined, allowsStale: false }];

  test('adds the services of Consul, with files of credentials, to the objects of a folder', async () => {
    const flags = { config: '/mesh', consul, consulToken: '/token', consulCertificate: '/c.pem', consulKey: '/k.pem' };
    const { distribution } = await configOf({}, flags);
    const files = { token: '/token', roots: undefined, certificate: '/c.pem', key: '/k.pem' };
    expect(distribution?.compile.source).toEqual({
      ...{ type: 'folder', folder: '/mesh' },
      services: { catalogs: [{ ...consul[0], files }], registrationSocket: undefined },
    });
  });

  test.each([
    ['--consul alone', { consul }, '--consul adds services to a mesh'],
    ['--registrationSocket alone', { registrationSocket: '/s' }, '--registrationSocket adds services to a mesh'],
    [
      'a token without Consul',
      { config: '/mesh', consulToken: '/t' },
      '--consulToken has an effect with --consul alone',
    ],
    ['a certificate without its key', { config: '/mesh', consul, consulCertificate: '/c' }, 'belong together'],
    [
      'roots for a server without TLS',
      { config: '/mesh', consul: [{ id: 'a', origin: 'http://c:8500', allowsStale: false }], consulRoots: '/r' },
      '"http://c:8500" is not',
    ],
  ])('refuses %s', async (_what, flags, message) => {
    await expect(configOf({}, flags)).rejects.toThrow(message);
  });
});
