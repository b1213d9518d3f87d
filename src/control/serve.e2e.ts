import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:http2';
import { type Client, status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { meshGauges } from '../diagnostics/mesh-gauges.ts';
import { createTestAuthority } from './testing/authorities.ts';
import { ControlBench, send } from './testing/control-bench.ts';
import { createTestRequest } from './testing/signing-requests.ts';

describe('serveControl', () => {
  let bench: ControlBench;
  beforeEach(async () => {
    bench = await ControlBench.create();
  });
  afterEach(() => bench.close());

  const rootOf = (): Promise<string> => readFile(bench.path('ca/self-signed-root.pem'), 'utf8');

  test('limits the rate of one caller, and serves the others', async () => {
    await bench.start((config) => ({
      ...config,
      authority: { ...config.authority!, limit: { requestsPerSecond: 1, burst: 3 } },
    }));
    const client = bench.connect(await rootOf());
    const { csr } = await createTestRequest();
    const ask = async (account: string): Promise<string> => {
      return status[(await send(client, { csr, token: await bench.mint.mint(account) })).code]!;
    };
    const answers: string[] = [];
    for (let i = 0; i < 5; i++) answers.push(await ask('foo/httpbin'));
    expect(answers).toEqual(['OK', 'OK', 'OK', 'RESOURCE_EXHAUSTED', 'RESOURCE_EXHAUSTED']);
    expect(await ask('foo/other')).toBe('OK');
    expect(await (await fetch(`${bench.monitoring}/metrics`)).text()).toContain('\nca_server_rate_limited_count 2\n');
    client.close();
  });

  test('counts requests, and exports when root and chain expire', async () => {
    await bench.start();
    const root = await rootOf();
    const { csr } = await createTestRequest();
    await bench.call(root, { csr, token: await bench.mint.mint('foo/httpbin') });
    await bench.call(root, { csr });
    await bench.call(root, { csr: 'x', token: await bench.mint.mint('foo/httpbin') });
    const text = await (await fetch(`${bench.monitoring}/metrics`)).text();
    const figures = Object.fromEntries(
      text.split('\n').flatMap((line) => (/^[^#]/.test(line) ? [line.split(' ')] : [])),
    );
    expect(figures).toEqual({
      'mesh_build{component="meshd",tag="test"}': '1',
      ca_server_csr_count: '3',
      ca_server_authentication_failure_count: '1',
      ca_server_csr_parsing_err_count: '1',
      ca_server_id_extraction_err_count: '0',
      ca_server_csr_sign_err_count: '0',
      ca_server_success_cert_issuance_count: '1',
      ca_server_rate_limited_count: '0',
      ca_server_authority_refused_count: '0',
      meshd_dns_names: '0',
      meshd_xds_streams: '0',
      meshd_xds_pushes_waiting: '0',
      meshd_compilations_count: '0',
      meshd_refused_inputs_count: '0',
      meshd_missing_destinations: '0',
      meshd_compile_restarts_count: '0',
      ...{ meshd_leader: '0', meshd_revision_readable: '0', meshd_root_namespaces_pending: '0' },
      ...Object.fromEntries(meshGauges.map(({ name }) => [name, '0'])),
      ...{ sidecar_injection_requests_total: '0', sidecar_injection_success_total: '0' },
      ...{ sidecar_injection_skip_total: '0', sidecar_injection_failure_total: '0' },
      ...{ total_active_connections: '0', total_pushes: '0', total_push_errors: '0', total_stale_connections: '0' },
      ...{ total_secret_update_failures: '0', meshd_trace_spans_sent_count: '0', meshd_trace_spans_lost_count: '0' },
      pilot_jwks_resolver_network_fetch_success_total: '0',
      pilot_jwks_resolver_network_fetch_fail_total: '0',
      meshd_server_cert_expiry_timestamp: expect.stringMatching(/^\d{10}$/),
      ca_server_root_cert_expiry_timestamp: String(Date.parse(new X509Certificate(root).validTo) / 1000),
      ca_server_cert_chain_expiry_timestamp: String(Date.parse(new X509Certificate(root).validTo) / 1000),
    });
    const codes = ['/healthz', '/healthz/ready', '/debug', '/metrics/'].map(
      async (path) => (await fetch(bench.monitoring + path)).status,
    );
    expect(await Promise.all(codes)).toEqual([200, 200, 404, 404]);
    expect((await fetch(`${bench.monitoring}/healthz`, { method: 'POST' })).status).toBe(405);
  });

  test('is not ready once its own certificate has expired', async () => {
    let laterMs = 0;
    const ready = async (): Promise<string> => (await fetch(`${bench.monitoring}/healthz/ready`)).text();
    await bench.start(undefined, () => Date.now() + laterMs);
    expect(await ready()).toBe('');
    laterMs = 400 * 86_400_000;
    expect(await ready()).toBe('the server certificate has expired\n');
    laterMs = 4_000 * 86_400_000;
    expect(await ready()).toBe('the authority has expired\n');
    expect((await fetch(`${bench.monitoring}/healthz`)).status).toBe(200);
  });

  test('signs no certificate for a caller that shows the certificate of the control plane', async () => {
    await bench.start((config) => ({
      ...config,
      secure: { ...config.secure!, certificate: { names: ['meshd.mesh-system.svc'], outputFolder: bench.path('own') } },
    }));
    const [certificate, privateKey] = [
      await readFile(bench.path('own/cert-chain.pem'), 'utf8'),
      await readFile(bench.path('own/key.pem'), 'utf8'),
    ];
    const { csr } = await createTestRequest();
    const answer = await bench.call(await rootOf(), { csr, client: { certificate, privateKey } });
    expect(status[answer.code]).toBe('UNAUTHENTICATED');
    expect(bench.audit()).toHaveLength(1);
  });

  test('signs nothing if the CA is switched off, and listens with a certificate of the operator', async () => {
    const leaf = await createTestAuthority({ isCa: false, usages: 1, dnsNames: ['meshd.mesh-system.svc'] });
    await writeFile(bench.path('cert-chain.pem'), leaf.certificate);
    await writeFile(bench.path('key.pem'), leaf.privateKey);
    await bench.start((config) => ({
      ...config,
      authority: undefined,
      secure: { ...config.secure!, certificate: { folder: bench.folder } },
    }));
    const client: Client = bench.connect(leaf.certificate);
    const { code } = await send(client, { csr: '', token: await bench.mint.mint('foo/httpbin') });
    client.close();
    expect(status[code]).toBe('UNIMPLEMENTED');
  });

  test('answers requests in progress before it closes', async () => {
    await bench.start();
    const client = bench.connect(await rootOf());
    const requests = await Promise.all(
      Array.from({ length: 50 }, async () => ({
        csr: (await createTestRequest()).csr,
        token: await bench.mint.mint('foo/httpbin'),
      })),
    );
    await send(client, requests[0]!);
    const answers = requests.map((request) => send(client, request));
    await new Promise((resolve) => setImmediate(resolve));
    await bench.stop();
    const codes = (await Promise.all(answers)).map(({ code }) => status[code]);
    expect(codes.filter((code) => code !== 'OK' && code !== 'UNAVAILABLE')).toEqual([]);
    expect(bench.audit().filter(({ message }) => message === 'certificate issued')).toHaveLength(
      1 + codes.filter((code) => code === 'OK').length,
    );
    client.close();
  });

  test.each<[string, object, RegExp | undefined]>([
    ['keys of nobody in particular', { issuer: undefined }, /issuer of tokens is not looked at/],
    ['keys over http', { issuer: 'http://192.0.2.1', keyFile: undefined }, /come over http/],
    ['keys over http on loopback', { issuer: 'http://127.0.0.1:1', keyFile: undefined }, undefined],
  ])('warns of %s', async (_, changes, expected) => {
    await bench.start((config) => {
      const { authority } = config;
      return { ...config, authority: { ...authority!, tokens: { ...authority!.tokens!, ...changes } } };
    });
    const warnings = bench.lines
      .filter(({ message }) => /tokens (is|come)/.test(message))
      .map(({ message }) => message);
    expect(warnings).toEqual(expected === undefined ? [] : [expect.stringMatching(expected)]);
  });

  test('announces to each connection the largest number of concurrent requests', async () => {
    await bench.start((config) => ({ ...config, secure: { ...config.secure!, maxStreams: 7 } }));
    const session = connect(`https://127.0.0.1:${bench.port}`, { rejectUnauthorized: false });
    const [settings] = await once(session, 'remoteSettings');
    session.destroy();
    expect(settings.maxConcurrentStreams).toBe(7);
  });

  test('names the port that is in use', async () => {
    await bench.start();
    const second = await ControlBench.create();
    const port = Number(new URL(bench.monitoring).port);
    await expect(
      second.start((config) => ({ ...config, monitoring: { host: '127.0.0.1', port } })),
    ).rejects.toMatchObject({
      code: 'listen-failed',
      message: `cannot serve 127.0.0.1:${port}`,
    });
    await expect(
      second.start((config) => ({
        ...config,
        secure: { ...config.secure!, address: { host: '127.0.0.1', port: bench.port } },
      })),
    ).rejects.toMatchObject({ code: 'listen-failed', message: `cannot serve 127.0.0.1:${bench.port}` });
    await second.close();
  });
});
