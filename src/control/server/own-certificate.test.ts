import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CertificateAuthority, type IssuedLeaf, type LeafRequest } from '../ca/authority.ts';
import type { Signer } from '../ca/signer.ts';
import { isServerName, keepOwnCertificate, ownNames } from './own-certificate.ts';

const hourMs = 3_600_000;

/** Signs nothing, and answers with certificates of an hour. */
class PlayedAuthority extends CertificateAuthority {
  nowMs = 0;
  asked = 0;
  last: LeafRequest | undefined;
  fault: Error | undefined;
  changed: () => void = () => undefined;

  constructor() {
    super({} as Signer, Date.now);
  }

  override onChange(listener: () => void): void {
    this.changed = listener;
  }

  override async issue(request: LeafRequest): Promise<IssuedLeaf> {
    this.asked++;
    this.last = request;
    if (this.fault !== undefined) throw this.fault;
    const times = { notBeforeMs: this.nowMs, notAfterMs: this.nowMs + hourMs };
    return { chain: [`leaf ${this.asked}`, 'root'], serialNumber: '1', fingerprint: '', ...times };
  }
}

describe('keepOwnCertificate', () => {
  let authority: PlayedAuthority;
  let lines: string[];
  let used: string[];
  let kept: { close(): void };

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    [authority, lines, used] = [new PlayedAuthority(), [], []];
    const silent = (): void => undefined;
    const told = (text: string): void => void lines.push(text);
    kept = await keepOwnCertificate({
      ...{ authority, names: ['meshd.mesh-system.svc', '::1'], clock: () => authority.nowMs },
      log: { debug: silent, warn: silent, info: told, error: told },
      use: async ({ certificateChain }) => void used.push(certificateChain),
    });
  });
  afterEach(() => {
    kept.close();
    vi.useRealTimers();
  });

  const pass = async (ms: number): Promise<void> => {
    authority.nowMs += ms;
    await vi.advanceTimersByTimeAsync(ms);
  };
  /** Keys are made in real time. */
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await new Promise((done) => setImmediate(done));
  };

  test('asks for a certificate of one year, for servers alone, with names and addresses', () => {
    const { names, lifetimeMs, usages } = authority.last ?? {};
    expect({ names, lifetimeMs, usages }).toEqual({
      names: [{ dns: 'meshd.mesh-system.svc' }, { ip: '::1' }],
      lifetimeMs: 31_536_000_000,
      usages: ['server'],
    });
  });

  test('checks the time every 30 s, and renews the certificate at half of its lifetime', async () => {
    await pass(hourMs / 2 - 30_000);
    await pass(29_999);
    expect([authority.asked, vi.getTimerCount()]).toEqual([1, 1]);
    await pass(1);
    await until(() => lines.length > 0);
    expect([used, lines]).toEqual([['leaf 1', 'leaf 2'], ['the server certificate was renewed']]);
    expect(vi.getTimerCount()).toBe(1);
  });

  test('renews the certificate as soon as the CA changes, and keeps checking', async () => {
    authority.changed();
    await until(() => lines.length > 0);
    expect([used, vi.getTimerCount()]).toEqual([['leaf 1', 'leaf 2'], 1]);
    await pass(30_000);
    expect([authority.asked, vi.getTimerCount()]).toEqual([2, 1]);
  });

  test('tries again 5 s after a failure, and keeps the previous certificate meanwhile', async () => {
    authority.fault = new Error('the certificate of the authority has expired');
    authority.changed();
    await until(() => lines.length > 0);
    authority.fault = undefined;
    await pass(4_999);
    expect([authority.asked, used, lines]).toEqual([2, ['leaf 1'], ['the server certificate could not be renewed']]);
    await pass(1);
    await until(() => lines.length > 1);
    expect([used, lines[1]]).toEqual([['leaf 1', 'leaf 3'], 'the server certificate was renewed']);
  });

  test('stops checking once it is closed, also when a renewal ends or the CA changes later', async () => {
    authority.changed();
    kept.close();
    await until(() => lines.length > 0);
    expect(vi.getTimerCount()).toBe(0);
    authority.changed();
    await pass(hourMs);
    for (let turn = 0; turn < 20; turn++) await new Promise((done) => setImmediate(done));
    expect([authority.asked, vi.getTimerCount()]).toEqual([2, 0]);
  });
});

describe('ownNames', () => {
  const services = ['meshd.ns.svc', 'istiod.ns.svc', 'istiod-remote.ns.svc', 'istio-pilot.ns.svc'];

  test.each([
    [
      'mesh.example:15012',
      'a.example, ,meshd.ns.svc',
      ['mesh.example', 'a.example', 'meshd.ns.svc', ...services.slice(1)],
    ],
    [':15012', '', services],
    ['mesh.example', '', ['mesh.example', ...services]],
  ])('of the address "%s" and the hosts "%s" are %j', (address, customHosts, names) => {
    expect(ownNames({ address, customHosts, namespace: 'ns' })).toEqual(names);
  });
});

describe('isServerName', () => {
  const longest = `${'a.'.repeat(126)}a`;

  test.each([
    ['::1', true],
    ['10.0.0.1', true],
    ['a-b.example', true],
    ['a', true],
    [longest, true],
    [`${longest}a`, false],
    ['-a.example', false],
    ['a-.example', false],
    ['a..example', false],
    ['*.example', false],
    ['', false],
  ])('of "%s" is %s', (name, isOne) => {
    expect(isServerName(name)).toBe(isOne);
  });
});
