import { describe, expect, test } from 'vitest';
import type { Secret } from '../policy/topology-kinds.ts';
import { meshObject } from '../testing/objects.ts';
import { fileOf } from '../testing/resource-files.ts';
import { gatewaySecretsOf, secretNamesOf } from './gateway-secrets.ts';

function secret(name: string, texts: Readonly<Record<string, string>>): Secret {
  const data = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, btoa(text)]));
  return { ...meshObject('Secret', name), data };
}

const pem = (label: string, body: string) => `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`;
const certificate = (body: string) => pem('CERTIFICATE', body);
const [chain, key] = [certificate('leaf'), pem('PRIVATE KEY', 'keys')];
const pair = { 'tls.crt': chain, 'tls.key': key };
const names = ['kubernetes://a', 'kubernetes://a-cacert', 'kubernetes://b', 'default'];
const { resources } = fileOf({ name: 'edge', tls_certificate_sds_secret_configs: names.map((name) => ({ name })) });
const asked = secretNamesOf(resources);
const place = { namespace: 'edge', fallback: 'spare' };
const namesOf = (...secrets: readonly Secret[]) =>
  [...gatewaySecretsOf(asked, secrets, place)].flatMap(([name, { kind }]) => (kind === 'nobody' ? [] : [name]));

describe('gatewaySecretsOf', () => {
  test('gives what listeners ask for, from the own namespace', () => {
    const found = gatewaySecretsOf(asked, [secret('edge/a', pair), secret('other/b', pair)], place);
    expect([...found]).toEqual([
      ['kubernetes://a', { kind: 'pair', certificateChain: chain, privateKey: key }],
      ['kubernetes://a-cacert', { kind: 'nobody' }],
    ]);
  });

  test('takes client CAs from the Secret <name>-cacert, else from the Secret with certificate and key', () => {
    const both = secret('edge/a', { ...pair, 'ca.crt': certificate('both') });
    const own = secret('edge/a-cacert', { 'tls.crt': certificate('owns') });
    const authoritiesIn = (...secrets: readonly Secret[]) =>
      gatewaySecretsOf(asked, secrets, place).get('kubernetes://a-cacert');
    expect(authoritiesIn(both)).toMatchObject({ kind: 'authorities', certificates: certificate('both') });
    expect(authoritiesIn(both, secret('edge/a-cacert', {}))).toEqual({ kind: 'nobody' });
    expect(authoritiesIn(both, own)).toMatchObject({ kind: 'authorities', certificates: certificate('owns') });
  });

  test('shows the fallback for a key pair that is not there, and for nothing else', () => {
    expect(namesOf(secret('edge/spare', { ...pair, 'ca.crt': certificate('root') }))).toEqual([
      'kubernetes://a',
      'kubernetes://b',
    ]);
  });

  test('leaves out a secret that lacks its key', () => {
    expect(namesOf(secret('edge/a', { 'tls.crt': chain }))).toEqual([]);
  });

  test.each([
    ['an empty revocation list', { 'ca.crl': '' }],
    ['a revocation list that is no PEM', { 'ca.crl': 'list' }],
    ['a revocation list with a broken block', { crl: `${pem('X509 CRL', 'list')}-----BEGIN X509 CRL-----` }],
    ['a certificate as revocation list', { crl: certificate('root') }],
  ])('gives no authorities with %s', (_, list) => {
    const root = { 'ca.crt': certificate('root') };
    expect(namesOf(secret('edge/a-cacert', { ...root, ...list }))).toEqual([]);
    expect(namesOf(secret('edge/a', { ...pair, ...root, ...list }))).toEqual(['kubernetes://a']);
    expect(namesOf(secret('edge/a-cacert', { ...root, crl: pem('X509 CRL', 'list') }))).toHaveLength(1);
  });

  test('takes no other key of a secret in place of one that is no base64', () => {
    const { data, ...rest } = secret('edge/a-cacert', { cacert: certificate('root'), 'ca.crt': certificate('root') });
    expect(namesOf({ ...rest, data: { ...data, cacert: '?' } })).toEqual([]);
    const both = secret('edge/a', { ...pair, cert: chain });
    expect(namesOf({ ...both, data: { ...both.data, 'tls.crt': '?' } })).toEqual([]);
  });
});
