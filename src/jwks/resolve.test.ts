import type { JWK } from 'jose';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { KeySetResult } from './key-set.ts';
import { createKeySetResolver, type KeySetResolver } from './resolve.ts';
import { FakeClock } from './testing/fake-clock.ts';
import { keySetText, kidsOf, publicJwk } from './testing/keys.ts';
import { type Recorder, recorder } from './testing/recorder.ts';
import type { Transport, TransportAnswer } from './transport.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const uri = 'https://keys.example.com/jwks';
const source = { issuer: 'https://issuer.example.com', jwksUri: uri };

let first: JWK = {};
let second: JWK = {};
let clock: FakeClock;
let heard: Recorder;
let asked: string[];
/** What the other side answers now. */
let answer: (url: URL, signal: AbortSignal) => Promise<TransportAnswer> | TransportAnswer;
let resolver: KeySetResolver;

beforeAll(async () => {
  [first, second] = await Promise.all([publicJwk('first'), publicJwk('second')]);
});

beforeEach(() => {
  clock = new FakeClock();
  heard = recorder();
  asked = [];
  answer = () => ok(keySetText(first));
  const transport: Transport = async ({ url }, _maxBytes, signal) => {
    asked.push(url.href);
    return answer(url, signal);
  };
  resolver = createKeySetResolver({
    observer: heard,
    clock,
    transport,
    lookup: () => Promise.resolve(['1.1.1.1']),
    random: () => 0.5,
  });
});

afterEach(() => resolver.close());

describe('get', () => {
  test('gives the keys, their digest and when they came', async () => {
    const { keySet, fault } = await resolver.get(source);
    expect(fault).toBeUndefined();
    expect(kidsOf(keySet?.text ?? '')).toEqual(['first']);
    expect(keySet).toMatchObject({ digest: expect.stringMatching(/^[0-9a-f]{64}$/), fetchedAtMs: 1_700_000_000_000 });
    expect(heard.lines).toEqual(['request', 'download ok', 'end ok', `change ${keySet?.digest.slice(0, 8)}`]);
  });

  test('lets a thousand callers share one request, and later ones its answer', async () => {
    const results = await Promise.all(Array.from({ length: 1000 }, () => resolver.get({ ...source })));
    expect(new Set(results.map(({ keySet }) => keySet?.digest)).size).toBe(1);
    await resolver.get(source);
    expect(asked).toEqual([uri]);
  });

  test('tries again three times for what may pass, with growing waits', async () => {
    answer = () => ({ status: 503, body: Buffer.alloc(0) });
    const result = resolver.get(source);
    await clock.settle();
    for (const wait of [187.5, 375, 750]) {
      expect(clock.waits).toEqual([wait]);
      await clock.advance(wait);
    }
    expect(await result).toEqual({ fault: { code: 'status-refused', message: `"${uri}" answers 503` } });
    expect(heard.lines.join(', ')).toBe(
      'request, download status-refused, retry, download status-refused, retry, download status-refused, ' +
        'retry, download status-refused, end fail status-refused, fault status-refused',
    );
  });

  test.each([
    [404, 1],
    [401, 1],
    [204, 1],
    [304, 1],
    [408, 4],
    [429, 4],
    [500, 4],
  ])('asks after status %d %d times', async (status, times) => {
    answer = () => ({ status, body: Buffer.alloc(0) });
    const result = resolver.get(source);
    await clock.settle();
    if (times > 1) await clock.advance(1_312.5);
    expect(await result).toMatchObject({ fault: { code: 'status-refused' } });
    expect(asked).toHaveLength(times);
  });

  test('gives up on a download after 5 seconds, or after the time that the source names', async () => {
    answer = hang;
    const slow = resolver.get(source);
    await clock.settle();
    expect(clock.waits).toEqual([5_000]);
    await clock.advance(4 * 5_000 + 1_312.5);
    expect(await slow).toMatchObject({ fault: { code: 'timed-out' } });
    const impatient = { ...source, jwksUri: `${uri}2`, timeoutMs: 100 };
    void resolver.get(impatient);
    await clock.settle(2);
    expect(clock.waits).toContain(100);
    await clock.advance(100, 2);
    expect(heard.count('download timed-out')).toBe(5);
  });

  test('gives up on a DNS that never answers', async () => {
    const deaf = createKeySetResolver({
      observer: heard,
      clock,
      transport: () => Promise.reject(new Error('asked')),
      lookup: () => new Promise(() => undefined),
      timings: { retries: 0 },
    });
    const result = deaf.get(source);
    await clock.settle();
    await clock.advance(5_000);
    expect(await result).toMatchObject({
      fault: { code: 'timed-out', message: `"${uri}" is not there within 5000 ms` },
    });
    deaf.close();
  });

  test('answers at once while keys that never came are asked for again in the background', async () => {
    answer = () => ok('<html>');
    const lost = await resolver.get(source);
    expect(lost).toMatchObject({ fault: { code: 'answer-invalid' } });
    await clock.settle();
    expect(await resolver.get(source)).toEqual(lost);
    expect(asked).toHaveLength(1);
    await clock.advance(2 * minute);
    expect(asked.length).toBeGreaterThan(5);
    expect(heard.count('fault')).toBe(1);
    answer = () => ok(keySetText(first));
    await clock.advance(30_000);
    expect(kids(await resolver.get(source))).toEqual(['first']);
    expect(heard.count('change')).toBe(1);
  });

  test('ends the wait of one caller without ending the request of the others', async () => {
    let release = (): void => undefined;
    answer = () => new Promise((resolve) => (release = () => resolve(ok(keySetText(first)))));
    const stop = new AbortController();
    const [impatient, patient] = [resolver.get(source, stop.signal), resolver.get(source)];
    await clock.settle();
    const reason = new Error('enough');
    stop.abort(reason);
    await expect(impatient).rejects.toBe(reason);
    await expect(resolver.get(source, stop.signal)).rejects.toBe(reason);
    release();
    expect(kids(await patient)).toEqual(['first']);
  });

  test('keeps what two issuers say of one URL apart', async () => {
    await resolver.get(source);
    await resolver.get({ ...source, issuer: 'other' });
    expect(asked).toEqual([uri, uri]);
  });
});

describe('refresh', () => {
  test('looks again every 20 minutes and tells of a change alone', async () => {
    await resolver.get(source);
    await clock.settle();
    await clock.advance(20 * minute);
    expect([asked.length, heard.count('change')]).toEqual([2, 1]);
    answer = () => ok(keySetText(second, first));
    await clock.advance(20 * minute);
    expect([asked.length, heard.count('change')]).toEqual([3, 2]);
    expect(kids(resolver.current(source))).toEqual(['first', 'second']);
  });

  test.each([
    ['is away', () => ({ status: 503, body: Buffer.alloc(0) })],
    ['answers with a page', () => ok('<html>')],
    ['answers with an empty set', () => ok('{"keys":[]}')],
    ['answers with a symmetric key', () => ok('{"keys":[{"kty":"oct","k":"AAAA"}]}')],
  ])('keeps the last good keys while the source %s, and says so', async (_name, broken) => {
    await resolver.get(source);
    await clock.settle();
    answer = broken;
    await clock.advance(21 * minute);
    const { keySet, fault } = await resolver.get(source);
    expect(kidsOf(keySet?.text ?? '')).toEqual(['first']);
    expect(fault).toBeDefined();
    expect([heard.count('change'), heard.count('fault')]).toEqual([1, 1]);
    answer = () => ok(keySetText(first));
    await clock.advance(3 * minute);
    expect(await resolver.get(source)).toMatchObject({ keySet: { digest: keySet?.digest }, fault: undefined });
    expect(heard.count('change')).toBe(1);
  });

  test('drops the last good keys after 7 days away, and takes new ones after that', async () => {
    await resolver.get(source);
    await clock.settle();
    answer = () => ({ status: 404, body: Buffer.alloc(0) });
    for (let days = 0; days < 7; days++) {
      expect(kids(resolver.current(source))).toEqual(['first']);
      await clock.advance(day);
    }
    await clock.advance(20 * minute);
    expect(resolver.current(source)).toMatchObject({
      fault: { code: expect.stringMatching(/outdated|status-refused/) },
    });
    expect(resolver.current(source)?.keySet).toBeUndefined();
    expect(heard.lines.filter((line) => line.startsWith('change none'))).toEqual(['change none outdated']);
    answer = () => ok(keySetText(first));
    await clock.advance(minute);
    expect(kids(resolver.current(source))).toEqual(['first']);
  });

  test('gives a source up that nobody asked for in 7 days', async () => {
    await resolver.get(source);
    await clock.settle();
    await clock.advance(6 * day);
    resolver.current(source);
    await clock.advance(7 * day - minute);
    const before = asked.length;
    await clock.advance(minute, 0);
    expect([clock.waits, asked.length]).toEqual([[], before]);
    expect(kids(await resolver.get(source))).toEqual(['first']);
    expect(asked).toHaveLength(before + 1);
  });

  test('keeps a retained source however long nobody asks, and 7 days longer', async () => {
    resolver.retain([source]);
    await clock.settle();
    await clock.advance(9 * day);
    resolver.retain([]);
    await clock.advance(7 * day - minute);
    expect(kids(resolver.current(source))).toEqual(['first']);
    expect(asked).toHaveLength(16 * 72);
  });
});

describe('discovery', () => {
  const issuer = 'https://issuer.example.com/tenant/';
  const place = 'https://issuer.example.com/tenant/.well-known/openid-configuration';
  let document: unknown;

  beforeEach(() => {
    document = { issuer, jwks_uri: uri };
    answer = (url) => (url.href === place ? ok(JSON.stringify(document)) : ok(keySetText(first)));
  });

  test('asks the issuer where its keys are, and remembers that for 24 hours', async () => {
    expect(kids(await resolver.get({ issuer }))).toEqual(['first']);
    expect(asked).toEqual([place, uri]);
    await clock.settle();
    await clock.advance(day - minute);
    expect(asked.filter((url) => url === place)).toHaveLength(1);
    await clock.advance(25 * minute);
    expect(asked.filter((url) => url === place)).toHaveLength(2);
  });

  test('reads the document again after the keys could not be had', async () => {
    await resolver.get({ issuer });
    await clock.settle();
    document = { issuer, jwks_uri: `${uri}/new` };
    answer = (url) => {
      if (url.href === place) return ok(JSON.stringify(document));
      return url.href === uri ? { status: 404, body: Buffer.alloc(0) } : ok(keySetText(second));
    };
    await clock.advance(22 * minute);
    expect(kids(resolver.current({ issuer }))).toEqual(['second']);
  });

  test.each([
    [{ issuer: 'https://evil.example.com', jwks_uri: uri }, 'issuer-mismatch'],
    [{ issuer: issuer.slice(0, -1), jwks_uri: uri }, 'issuer-mismatch'],
    [{ jwks_uri: uri }, 'issuer-mismatch'],
    [{ issuer }, 'answer-invalid'],
    [{ issuer, jwks_uri: [uri] }, 'answer-invalid'],
    [[], 'answer-invalid'],
    [{ issuer, jwks_uri: 'http://keys.example.com/jwks' }, 'redirect-refused'],
    [{ issuer, jwks_uri: 'file:///etc/passwd' }, 'url-refused'],
    [{ issuer, jwks_uri: 'https://127.0.0.1/jwks' }, 'host-refused'],
    [{ issuer, jwks_uri: 'https://169.254.169.254/jwks' }, 'host-refused'],
  ])('takes no keys by the document %j', async (found, code) => {
    document = found;
    expect(await resolver.get({ issuer })).toMatchObject({ fault: { code } });
    expect(asked).toEqual([place]);
  });

  test.each([
    '',
    'testing@secure.example.com',
    'issuer.example.com',
    'https://a.example.com/?q',
    'ftp://a.example.com',
  ])('asks nobody for issuer %j', async (name) => {
    expect(await resolver.get({ issuer: name })).toMatchObject({ fault: { code: 'issuer-not-url' } });
    expect(asked).toEqual([]);
  });
});

describe('close', () => {
  test('ends waits and requests at once, without news', async () => {
    answer = hang;
    const waiting = resolver.get(source);
    await clock.settle();
    resolver.close();
    expect(await waiting).toMatchObject({ fault: { code: 'closed' } });
    await clock.settle(0);
    expect(await resolver.get(source)).toMatchObject({ fault: { code: 'closed' } });
    expect(resolver.current(source)).toMatchObject({ fault: { code: 'closed' } });
    resolver.retain([source]);
    expect(asked).toHaveLength(1);
    expect(heard.lines).toEqual(['request']);
  });
});

function ok(text: string): TransportAnswer {
  return { status: 200, body: Buffer.from(text) };
}

function hang(_url: URL, signal: AbortSignal): Promise<TransportAnswer> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function kids(result: KeySetResult | undefined): readonly (string | undefined)[] {
  return kidsOf(result?.keySet?.text ?? '{"keys":[]}');
}
