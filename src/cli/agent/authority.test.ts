import { beforeEach, describe, expect, test } from 'vitest';
import { readSettings } from '../../config/read.ts';
import { readAgentSettings } from '../../config/read-agent-settings.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { AuthorityOptions } from '../../identity/authority.ts';
import { authorityOf } from './authority.ts';

type Environment = Readonly<Record<string, string>>;

describe('authorityOf', () => {
  let warnings: string[];
  beforeEach(() => {
    warnings = [];
  });

  const read = async (environment: Environment, discoveryAddress?: string): Promise<AuthorityOptions | undefined> => {
    const bag = new DiagnosticBag();
    const agent = readAgentSettings(environment, bag);
    const { settings } = await readSettings({ environment, flags: {} }, bag);
    expect(bag.hasErrors).toBe(false);
    return authorityOf(
      agent,
      settings,
      { namespace: 'foo', discoveryAddress },
      { warn: (message) => void warnings.push(message) },
    );
  };
  const named = (environment: Environment): Promise<AuthorityOptions | undefined> =>
    read({ CA_ADDR: 'meshd:15012', ...environment });

  test('is none until somebody names one', async () => {
    expect(await read({})).toBeUndefined();
    expect(await read({ PROV_CERT: '/certs' })).toBeUndefined();
  });

  test('is the control plane that the configuration comes from, but for files of an identity', async () => {
    const usual = 'meshd.mesh-system.svc:15012';
    expect((await read({}, usual))?.address).toBe(usual);
    expect((await read({ CA_ADDR: 'ca:15012' }, usual))?.address).toBe('ca:15012');
    expect(await read({ PROV_CERT: '/certs' }, usual)).toBeUndefined();
  });

  test('has the defaults of the specification', async () => {
    expect(await named({})).toEqual({
      address: 'meshd:15012',
      rootPath: './var/run/secrets/mesh/root-cert.pem',
      isMeshRoot: true,
      tokenPath: './var/run/secrets/tokens/mesh-token',
      provisionedFolder: undefined,
      clusterId: '',
      names: { trustDomain: 'cluster.local', namespace: 'foo', serviceAccount: undefined },
      keyAlgorithm: 'RSA',
      isPkcs8: false,
      lifetimeMs: 86_400_000,
      graceRatio: 0.5,
      checkIntervalMs: 300_000,
      initialBackoffMs: 0,
    });
    expect(warnings).toEqual([]);
  });

  test.each<[string, Environment, Partial<AuthorityOptions>]>([
    ['PROV_CERT', { PROV_CERT: '/certs' }, { provisionedFolder: '/certs' }],
    ['MESH_META_CLUSTER_ID', { MESH_META_CLUSTER_ID: 'c1' }, { clusterId: 'c1' }],
    ['ECC_SIGNATURE_ALGORITHM', { ECC_SIGNATURE_ALGORITHM: 'ECDSA' }, { keyAlgorithm: 'ECDSA' }],
    ['PKCS8_KEY', { PKCS8_KEY: 'true' }, { isPkcs8: true }],
    ['SECRET_TTL', { SECRET_TTL: '1h30m' }, { lifetimeMs: 5_400_000 }],
    ['SECRET_GRACE_PERIOD_RATIO', { SECRET_GRACE_PERIOD_RATIO: '0.25' }, { graceRatio: 0.25 }],
    ['SECRET_ROTATION_CHECK_INTERVAL', { SECRET_ROTATION_CHECK_INTERVAL: '2s' }, { checkIntervalMs: 2_000 }],
    ['INITIAL_BACKOFF_MSEC', { INITIAL_BACKOFF_MSEC: '250' }, { initialBackoffMs: 250 }],
    ['JWT_POLICY none', { JWT_POLICY: 'none' }, { tokenPath: undefined }],
    [
      'JWT_POLICY first-party-jwt',
      { JWT_POLICY: 'first-party-jwt' },
      { tokenPath: '/var/run/secrets/kubernetes.io/serviceaccount/token' },
    ],
    [
      'PILOT_CERT_PROVIDER kubernetes',
      { PILOT_CERT_PROVIDER: 'kubernetes' },
      { rootPath: './var/run/secrets/kubernetes.io/serviceaccount/ca.crt', isMeshRoot: false },
    ],
    [
      'PILOT_CERT_PROVIDER custom',
      { PILOT_CERT_PROVIDER: 'custom' },
      { rootPath: './etc/certs/root-cert.pem', isMeshRoot: false },
    ],
  ])('obeys %s', async (_name, environment, expected) => {
    expect(await named(environment)).toMatchObject(expected);
  });

  test.each([
    ['9s', [expect.stringMatching(/shorter than 10 s/)]],
    ['10s', []],
    ['2160h', []],
    ['2161h', [expect.stringMatching(/longer than 90 days/)]],
  ])('warns of a lifetime that makes trouble: %s', async (SECRET_TTL, expected) => {
    await named({ CA_ADDR: 'meshd:15012', SECRET_TTL });
    expect(warnings).toEqual(expected);
  });

  test('warns of a token without audience, and of requests in the clear', async () => {
    await named({ CA_ADDR: 'meshd:15010', JWT_POLICY: 'first-party-jwt' });
    expect(warnings).toEqual([expect.stringMatching(/not encrypted/), expect.stringMatching(/first-party-jwt/)]);
  });

  test.each([{ CA_PROVIDER: 'GoogleCA' }, { CA_ADDR: 'meshca.googleapis.com:443' }])(
    'refuses the CA of a cloud provider by name: %j',
    async (environment) => {
      await expect(named(environment)).rejects.toThrow(/not supported: BuiltinCA|not supported/);
    },
  );
});
