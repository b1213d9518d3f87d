import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import { readAgentSettings } from '../../config/read-agent-settings.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { authorityOf } from './authority.ts';
import { runLine } from './testing/run-line.ts';
import { tokenServiceOf, withTokenExchange } from './token-service.ts';

type Variables = Readonly<Record<string, string>>;

const metadata = { CLOUD_METADATA: 'p|7|c|z' };
const sources = (environment: Variables) => ({
  agent: readAgentSettings(environment, new DiagnosticBag()),
  settings: defaultSettings,
});

describe('tokenServiceOf', () => {
  test('is none for port 0', () => {
    expect(tokenServiceOf(0, [], sources({}))).toBeUndefined();
  });

  test.each<[readonly string[], string]>([
    [['10.0.0.1'], '127.0.0.1'],
    [['fd00::1'], '::1'],
    [['fd00::1', 'fd00::2'], '::1'],
    [['fd00::1', '10.0.0.1'], '127.0.0.1'],
    [[], '127.0.0.1'],
  ])('serves a proxy of %s on %s', (addresses, host) => {
    const service = tokenServiceOf(15_463, addresses, sources(metadata));
    expect(service).toMatchObject({ host, port: 15_463, manager: expect.anything() });
  });

  test('needs CLOUD_METADATA, unless it may answer with errors', () => {
    const environment = { CLOUD_CLUSTER_URL: 'https://cloud.example/c' };
    expect(() => tokenServiceOf(15_463, [], sources(environment))).toThrow(
      /^--stsPort 15463: CLOUD_METADATA .* is not set; with STS_LENIENT=true/,
    );
    const service = tokenServiceOf(15_463, [], sources({ ...environment, STS_LENIENT: 'true' }));
    expect(service).toMatchObject({ port: 15_463, manager: undefined });
  });
});

describe('withTokenExchange', () => {
  const authority = (environment: Variables) => {
    const { agent, settings } = sources({ CA_ADDR: 'ca:15012', ...environment });
    return withTokenExchange(
      authorityOf(agent, settings, { namespace: 'foo', discoveryAddress: undefined }, { warn: () => undefined }),
      { agent, settings },
    );
  };

  test.each<[string, Variables, boolean]>([
    ['no plug-in', {}, false],
    ['PLUGINS', { PLUGINS: 'CloudTokenExchange', ...metadata }, true],
    ["Istio's name of it", { PLUGINS: 'GoogleTokenExchange,', ...metadata }, true],
    ['a cluster without the rest', { PLUGINS: 'CloudTokenExchange', CLOUD_CLUSTER_URL: 'https://c/d' }, true],
  ])('exchanges tokens as it is told: %s', (_name, environment, isExchanged) => {
    expect(authority(environment)?.exchangeToken !== undefined).toBe(isExchanged);
  });

  test.each<[string, Variables, RegExp]>([
    [
      'an unknown plug-in',
      { PLUGINS: 'CloudTokenExchnge' },
      /^PLUGINS: unknown .*, did you mean "CloudTokenExchange"\?$/,
    ],
    ['a plug-in of nothing', { PLUGINS: 'vault' }, /unknown plug-in "vault": CloudTokenExchange, GoogleTokenExchange$/],
    ['two plug-ins', { PLUGINS: 'CloudTokenExchange,GoogleTokenExchange', ...metadata }, /one plug-in .*, not Cloud/],
    ['no cluster', { PLUGINS: 'CloudTokenExchange' }, /CLOUD_METADATA or CLOUD_CLUSTER_URL must name the cluster/],
    ['no token', { PLUGINS: 'CloudTokenExchange', ...metadata, JWT_POLICY: 'none' }, /JWT_POLICY names no token/],
  ])('refuses %s', (_name, environment, message) => {
    expect(() => authority(environment)).toThrow(message);
  });
});

describe('--print-config', () => {
  test.each<[string, Variables, RegExp]>([
    ['--stsPort 15463', {}, /--stsPort 15463: CLOUD_METADATA/],
    ['', { PLUGINS: 'vault' }, /unknown plug-in "vault"/],
  ])('refuses what a start refuses: %s %j', async (flags, environment, message) => {
    const { code, stderr } = await runLine(`proxy --print-config ${flags}`, environment);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});
