import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readSettings } from '../../config/read.ts';
import { readAgentSettings } from '../../config/read-agent-settings.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { format } from '../../diagnostics/format.ts';
import { formatEffective } from './effective-settings.ts';
import { runLine } from './testing/run-line.ts';

let folder: string;
let mesh: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'print-config-'));
  mesh = join(folder, 'mesh.yaml');
  writeFileSync(mesh, 'trustDomain: file.example\ndefaultConfig:\n  proxyAdminPort: 15100\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Shown = Readonly<Record<string, Readonly<Record<string, { readonly value: unknown; readonly origin: string }>>>>;

const canary = 'canary-5eC3e7';
const token = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.${canary}`;
const key = `-----BEGIN PRIVATE KEY-----\n${canary}\n-----END PRIVATE KEY-----`;

describe('pilot-agent proxy --print-config', () => {
  test('shows each setting with what it was settled by, and starts nothing', async () => {
    const environment = {
      PROXY_CONFIG: '{statusPort: 15300}',
      CA_ADDR: '',
      POD_NAME: 'p',
      TRUST_DOMAIN: 'td.example',
    };
    const line = `proxy router --print-config -o json --meshConfig ${mesh} --concurrency 2 --proxyLogLevel debug`;
    const { code, stdout, stderr } = await runLine(line, environment);
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({
      mesh: {
        trustDomain: { value: 'td.example', origin: 'variable TRUST_DOMAIN' },
        autoMtls: { value: true, origin: 'default' },
      },
      proxy: {
        adminPort: { value: 15100, origin: `${mesh}:3` },
        statusPort: { value: 15300, origin: 'variable PROXY_CONFIG:1' },
        concurrency: { value: 2, origin: 'flag --concurrency' },
        drainDurationMs: { value: 45_000, origin: 'default' },
      },
      agent: {
        podName: { value: 'p', origin: 'variable POD_NAME' },
        'authority.address': { value: null, origin: 'default' },
      },
      flags: {
        '--proxyLogLevel': { value: 'debug', origin: 'flag --proxyLogLevel' },
        '--proxyComponentLogLevel': { value: 'misc:error', origin: 'default' },
      },
    });
  });

  test('prints the same values as YAML, with the origins as comments', async () => {
    const line = `proxy --print-config --meshConfig ${mesh}`;
    const { stdout } = await runLine(line);
    const shown = JSON.parse((await runLine(`${line} -o json`)).stdout) as Shown;
    const values = Object.entries(shown).map(([section, settings]) => [
      section,
      Object.fromEntries(Object.entries(settings).map(([name, { value }]) => [name, value])),
    ]);
    expect(parse(stdout)).toEqual(Object.fromEntries(values));
    expect(stdout).toMatch(new RegExp(`^ {2}adminPort: 15100 +# ${mesh}:3$`, 'm'));
  });

  test.each<[string, Readonly<Record<string, string>>, RegExp]>([
    ['', { ENABLE_INGRESS_GATEWAY_SDS: 'on' }, /error: variable ENABLE_INGRESS_GATEWAY_SDS is "on"/],
    ['', { PROXY_CONFIG: '{drainDuration: 2h}' }, /"drainDuration" is "7200s" \(from \$PROXY_CONFIG:1\)/],
    ['', { MESH_METAJSON_X: '[' }, /error: variable MESH_METAJSON_X cannot be node metadata/],
    ['', { TRUST_DOMAIN: 'UPPER' }, /trust domain "UPPER" from .*TRUST_DOMAIN.* is not/],
  ])('says with 1 what is wrong: %s %j', async (flags, environment, message) => {
    const { code, stdout, stderr } = await runLine(`proxy --print-config ${flags}`, environment);
    expect(stderr).toMatch(message);
    expect([code, stdout]).toEqual([1, '']);
  });

  test.each([
    ['--policies mesh', 1, /^error: variable PILOT_ENABLED_SERVICE_APIS is "on", expected "true" or "false"/m],
    [
      '',
      0,
      /^warning: PILOT_ENABLED_SERVICE_APIS has no effect on an agent .* from meshd: set it in the environment of meshd$/m,
    ],
  ])('refuses a variable of an agent that compiles only there, in a pod: "%s"', async (flags, expected, message) => {
    const environment = { KUBERNETES_SERVICE_HOST: '10.96.0.1', PILOT_ENABLED_SERVICE_APIS: 'on' };
    const { code, stderr } = await runLine(`proxy --print-config ${flags}`, environment);
    expect(stderr).toMatch(message);
    expect(code).toBe(expected);
  });

  test('says of a value with a warning what counts instead', async () => {
    const { code, stdout, stderr } = await runLine('proxy --print-config', { INSTANCE_IP: '10.0.0' });
    expect(stderr).toContain('the default (empty) is used');
    expect(stdout).toMatch(/instanceIp: null +# default/);
    expect(code).toBe(0);
  });

  test.each<[string, RegExp, Readonly<Record<string, string>>?]>([
    ['proxy --print-config --id alone', /--id is NAME.NAMESPACE/],
    ['proxy --print-config --ip 10.0.0', /--ip is no IP address/],
    ['proxy --print-config --log_caller nosuch', /unknown scope "nosuch"/],
    ['proxy --print-config', /MESH_APP_PROBERS/, { MESH_APP_PROBERS: '{' }],
    ['proxy --print-config', /CA_PROVIDER "other" is not supported/, { CA_PROVIDER: 'other', CA_ADDR: 'a.b:1' }],
    ['proxy --print-config ingress', /the role is "sidecar" or "router"/],
    ['proxy --print-config -o xml', /Allowed choices are yaml, json/],
    ['proxy --print-config --policies -', /--policies: standard input cannot be followed/],
    ['proxy -o json', /--output is the form of --print-config/],
  ])('refuses %s with 2: %s', async (line, message, environment) => {
    const { code, stderr } = await runLine(line, environment);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });

  test.each<[string, Readonly<Record<string, string>>?]>([
    ['--proxyBinary /nosuch/envoy'],
    ['', { ENVOY_BINARY: '/nosuch/envoy' }],
  ])('ends with 3 where the Envoy that is named is none: %s %j', async (flags, environment) => {
    const { code, stdout, stderr } = await runLine(`proxy --print-config ${flags}`, environment);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain('/nosuch/envoy');
  });

  test('warns of a component of the log that Envoy does not have', async () => {
    const line = 'proxy --print-config --proxyComponentLogLevel upstream:debug,upstraem:debug';
    const { code, stderr } = await runLine(line);
    expect(stderr).toMatch(/^warning: .*no component "upstraem", did you mean "upstream"\?; .*\n$/);
    expect(code).toBe(0);
  });

  test('refuses more worker threads than are started, in the configuration too', async () => {
    const { code, stderr } = await runLine('proxy --print-config', { PROXY_CONFIG: '{concurrency: 1025}' });
    expect(stderr).toMatch(/"concurrency" is 1025, expected 0 to 1024/);
    expect(code).toBe(1);
  });

  test('shows no secret, wherever it stands', async () => {
    const podInfo = mkdtempSync(join(folder, 'pod-'));
    const config = JSON.stringify({ proxyMetadata: { MESH_META_PASSWORD: canary, NOTE: token } });
    writeFileSync(join(podInfo, 'annotations'), `proxy.mesh.io/config=${JSON.stringify(config)}\n`);
    const path = join(folder, 'secrets.yaml');
    writeFileSync(
      path,
      `extensionProviders:
- name: authorizer
  envoyExtAuthzHttp:
    service: authorizer.shop.svc.cluster.local
    port: 80
    includeAdditionalHeadersInCheck: {authorization: Bearer ${canary}, x-api-key: ${canary}}
defaultConfig: {proxyMetadata: {CREDENTIAL: ${canary}, KEPT: word}}
`,
    );
    const environment = {
      PROXY_CONFIG: `{"proxyMetadata": {"AWS_SECRET_ACCESS_KEY": "${canary}", "OF_KEY": ${JSON.stringify(key)}}}`,
      MESH_APP_PROBERS: JSON.stringify({
        '/app-health/a/livez': { httpGet: { httpHeaders: [{ name: 'Authorization', value: canary }] } },
      }),
      MESH_METRICS_ANNOTATIONS: `{"token": "${canary}`,
      CLOUD_CLUSTER_URL: `https://user:${canary}@cloud.example/c`,
    };
    const bag = new DiagnosticBag();
    const meshConfig = { path, isRequired: true };
    const { settings } = await readSettings({ meshConfig, environment, podInfo }, bag);
    const agent = readAgentSettings(environment, bag);
    expect(bag.all).toEqual([]);
    const flags = [{ name: '--tokenManagerPlugin', value: token, isGiven: true }];
    for (const form of ['yaml', 'json'] as const) {
      const text = formatEffective({ settings, agent, flags }, form);
      expect(text).not.toContain(canary);
      expect(text).toContain('KEPT');
    }
  });

  test.each<[string, Readonly<Record<string, string>>]>([
    [
      'beside a mistake on the line',
      { PROXY_CONFIG: `{statusPrt: 1, proxyMetadata: {API_TOKEN: ${canary}, a: "${token}"}}` },
    ],
    ['in a value that is none', { PKCS8_KEY: key }],
    ['in a value of the wrong kind', { SECRET_TTL: token, CLOUD_CLUSTER_URL: `user:${canary}@x` }],
  ])('tells no secret of what is wrong: %s', async (_, environment) => {
    const bag = new DiagnosticBag();
    const { sources } = await readSettings({ environment }, bag);
    readAgentSettings(environment, bag);
    const text = format(bag.all, sources, 'text');
    expect(text).toMatch(/error: /);
    expect(text).not.toContain(canary);
  });
});
