import type { JWK } from 'jose';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { keySetText, publicJwk } from './testing/keys.ts';
import { kids, ok, StillWorld } from './testing/still-world.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const uri = 'https://keys.example.com/jwks';

let first: JWK = {};
let second: JWK = {};
let world: StillWorld;

beforeAll(async () => {
  [first, second] = await Promise.all([publicJwk('first'), publicJwk('second')]);
});

beforeEach(() => {
  world = new StillWorld(() => ok(keySetText(first)));
});

afterEach(() => world.resolver.close());

describe('discovery', () => {
  const issuer = 'https://issuer.example.com/tenant/';
  const place = 'https://issuer.example.com/tenant/.well-known/openid-configuration';
  let document: unknown;

  beforeEach(() => {
    document = { issuer, jwks_uri: uri };
    world.answer = (url) => (url.href === place ? ok(JSON.stringify(document)) : ok(keySetText(first)));
  });

  test('asks the issuer where its keys are, and remembers that for 24 hours', async () => {
    expect(kids(await world.resolver.get({ issuer }))).toEqual(['first']);
    expect(world.asked).toEqual([place, uri]);
    await world.clock.settle();
    await world.clock.advance(day - minute);
    expect(world.asked.filter((url) => url === place)).toHaveLength(1);
    await world.clock.advance(25 * minute);
    expect(world.asked.filter((url) => url === place)).toHaveLength(2);
  });

  test('reads the document again after the keys could not be had', async () => {
    await world.resolver.get({ issuer });
    await world.clock.settle();
    document = { issuer, jwks_uri: `${uri}/new` };
    world.answer = (url) => {
      if (url.href === place) return ok(JSON.stringify(document));
      return url.href === uri ? { status: 404, body: Buffer.alloc(0) } : ok(keySetText(second));
    };
    await world.clock.advance(22 * minute);
    expect(kids(world.resolver.current({ issuer }))).toEqual(['second']);
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
    expect(await world.resolver.get({ issuer })).toMatchObject({ fault: { code } });
    expect(world.asked).toEqual([place]);
  });

  test.each([
    '',
    'testing@secure.example.com',
    'issuer.example.com',
    'https://a.example.com/?q',
    'ftp://a.example.com',
  ])('asks nobody for issuer %j', async (name) => {
    expect(await world.resolver.get({ issuer: name })).toMatchObject({ fault: { code: 'issuer-not-url' } });
    expect(world.asked).toEqual([]);
  });
});
