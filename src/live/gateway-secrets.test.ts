import { describe, expect, test } from 'vitest';
import type { Secret } from '../policy/topology-kinds.ts';
import { meshObject } from '../testing/objects.ts';
import { fileOf } from '../testing/resource-files.ts';
import { gatewaySecretsOf, secretNamesOf } from './gateway-secrets.ts';

function secret(name: string, texts: Readonly<Record<string, string>>): Secret {
  const data = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, btoa(text)]));
  return { ...meshObject('Secret', name), data };
}

const pair = { 'tls.crt': 'certificate', 'tls.key': 'key' };
const names = ['kubernetes://a', 'kubernetes://a-cacert', 'kubernetes://b', 'default'];
const { resources } = fileOf({ name: 'edge', tls_certificate_sds_secret_configs: names.map((name) => ({ name })) });
const asked = secretNamesOf(resources);
const place = { namespace: 'edge', fallback: 'spare' };
const namesOf = (...secrets: readonly Secret[]) => [...gatewaySecretsOf(asked, secrets, place).keys()];

describe('gatewaySecretsOf', () => {
  test('gives what listeners ask for, from the own namespace', () => {
    const found = gatewaySecretsOf(asked, [secret('edge/a', pair), secret('other/b', pair)], place);
    expect([...found]).toEqual([
      ['kubernetes://a', { kind: 'pair', certificateChain: 'certificate', privateKey: 'key' }],
    ]);
  });

  test('takes authorities from a secret of their own, else from the one that holds the pair', () => {
    const both = secret('edge/a', { ...pair, 'ca.crt': 'both' });
    const own = secret('edge/a-cacert', { 'tls.crt': 'own' });
    const authoritiesIn = (...secrets: readonly Secret[]) =>
      gatewaySecretsOf(asked, secrets, place).get('kubernetes://a-cacert');
    expect(authoritiesIn(both)).toMatchObject({ kind: 'authorities', certificates: 'both' });
    expect(authoritiesIn(both, own)).toMatchObject({ kind: 'authorities', certificates: 'own' });
  });

  test('shows the fallback for a key pair that is not there, and for nothing else', () => {
    expect(namesOf(secret('edge/spare', { ...pair, 'ca.crt': 'x' }))).toEqual(['kubernetes://a', 'kubernetes://b']);
  });

  test('leaves out a secret that lacks its key', () => {
    expect(namesOf(secret('edge/a', { 'tls.crt': 'certificate' }))).toEqual([]);
  });
});
