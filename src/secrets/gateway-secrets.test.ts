import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { GatewaySecretTexts } from '../contracts/gateway-secret-texts.ts';
import { createMeshCa, type IssuedCertificate } from '../testing/certificates.ts';
import { GatewaySecrets } from './gateway-secrets.ts';

const name = 'kubernetes://shop';

describe('GatewaySecrets', () => {
  let one: IssuedCertificate;
  let two: IssuedCertificate;
  let lines: string[];
  let secrets: GatewaySecrets;

  beforeAll(async () => {
    const ca = await createMeshCa();
    one = await ca.issue('', { uris: [], dnsNames: ['shop.example'] });
    two = await ca.issue('', { uris: [], dnsNames: ['shop.example'] });
  });
  beforeEach(() => {
    lines = [];
    secrets = new GatewaySecrets({ error: (line) => void lines.push(line) });
  });

  const pair = ({ certificateChain, privateKey }: IssuedCertificate): GatewaySecretTexts => ({
    kind: 'pair',
    certificateChain,
    privateKey,
  });
  const take = (texts?: GatewaySecretTexts): string[] =>
    secrets.take(texts === undefined ? new Map() : new Map([[name, texts]])).map(({ version }) => version);

  test('serves each new pair', () => {
    const [first] = take(pair(one));
    const [second] = take(pair(two));
    expect(first).toBeDefined();
    expect(second).not.toBe(first);
    expect(lines).toEqual([]);
  });

  test('keeps the last valid pair while a new one is broken, never one half of each, and says so once', () => {
    const first = take(pair(one));
    const broken = pair({ ...two, privateKey: one.privateKey });
    expect(take(broken)).toEqual(first);
    expect(take(broken)).toEqual(first);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/is not taken, the last valid one stays: its private key is not that of/);
    expect(take(pair(two))).not.toEqual(first);
  });

  test('serves nothing of a pair that was never good', () => {
    expect(take(pair({ ...one, certificateChain: '' }))).toEqual([]);
    expect(lines[0]).toMatch(/is not served: it holds no certificate/);
  });

  test('serves no key that has a password', () => {
    const privateKey = one.privateKey.replaceAll('PRIVATE KEY', 'ENCRYPTED PRIVATE KEY');
    expect(take(pair({ ...one, privateKey }))).toEqual([]);
    expect(lines[0]).toMatch(/is not served: its private key has a password/);
  });

  test('serves, beside each certificate and key whose Secret has no CAs, a CA that verifies no client, and nothing else', () => {
    const authorities = `${name}-cacert`;
    const takeBoth = (...texts: readonly (readonly [string, GatewaySecretTexts])[]) =>
      secrets.take(new Map(texts)).map((it) => [it.name, Buffer.from(it.body).toString()] as const);
    const nobody = [authorities, { kind: 'nobody' }] as const;
    expect(takeBoth(nobody)).toEqual([]);
    const [leaf = ''] = one.certificateChain.match(/-----BEGIN[\s\S]+?END CERTIFICATE-----\n/) ?? [];
    const ofNobody = [authorities, expect.stringMatching(new RegExp(`${leaf.replaceAll(/[+/]/g, '.')}.*0{64}$`, 's'))];
    expect(takeBoth(nobody, [name, pair(one)])).toEqual([[name, expect.anything()], ofNobody]);
    expect(takeBoth(nobody)).toEqual([ofNobody]);
    takeBoth();
    expect(takeBoth(nobody)).toEqual([]);
  });

  test('serves no chain that is too long for a handshake', () => {
    const [authority = ''] = one.rootCertificate.match(/-----BEGIN[\s\S]+?END CERTIFICATE-----\n/) ?? [];
    const certificateChain = one.certificateChain + authority.repeat(300);
    expect(take(pair({ ...one, certificateChain }))).toEqual([]);
    expect(lines[0]).toMatch(/its certificate chain has \d{6} bytes, more than the 102400 that peers take/);
  });

  test('forgets the certificate and key of a deleted Secret, so that they do not replace a later invalid one', () => {
    take(pair(one));
    expect(take()).toEqual([]);
    expect(take(pair({ ...two, privateKey: 'x' }))).toEqual([]);
    expect(take(pair(two))).toHaveLength(1);
  });
});
