import type { JWK } from 'jose';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { keySetText, publicJwk } from './testing/keys.ts';
import { kids, ok, StillWorld } from './testing/still-world.ts';

const uri = 'https://10.0.0.7/jwks';
const source = { issuer: 'https://issuer.example.com', jwksUri: uri };

let first: JWK = {};
let world: StillWorld;

beforeAll(async () => {
  first = await publicJwk('first');
});

afterEach(() => world.resolver.close());

describe('allow', () => {
  test('lets a source that was refused be asked at once', async () => {
    world = new StillWorld(() => ok(keySetText(first)));
    expect(await world.resolver.get(source)).toMatchObject({ fault: { code: 'host-refused' } });
    world.resolver.allow(['10.0.0.7']);
    await world.clock.settle();
    await world.clock.advance(1);
    expect(kids(world.resolver.current(source))).toEqual(['first']);
  });

  test('drops the keys of a host that is no longer allowed, and reports it', async () => {
    world = new StillWorld(() => ok(keySetText(first)));
    world.resolver.allow(['10.0.0.7']);
    expect(kids(await world.resolver.get(source))).toEqual(['first']);
    world.resolver.allow([]);
    await world.clock.settle();
    await world.clock.advance(1);
    const refused = { fault: expect.objectContaining({ code: 'host-refused' }) };
    expect(world.resolver.current(source)).toEqual(refused);
    expect(world.heard.lines.filter((line) => line.startsWith('change none'))).toEqual(['change none host-refused']);
  });

  test('asks again under the new list when the list changes during a request', async () => {
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    world = new StillWorld(async () => {
      await held;
      return ok(keySetText(first));
    });
    world.resolver.allow(['10.0.0.7']);
    const asked = world.resolver.get(source);
    await world.clock.settle();
    world.resolver.allow([]);
    release();
    expect(await asked).toEqual({ fault: expect.objectContaining({ code: 'host-refused' }) });
  });

  test('asks nobody again when the list is the same', async () => {
    world = new StillWorld(() => ok(keySetText(first)));
    world.resolver.allow(['10.0.0.7']);
    await world.resolver.get(source);
    world.resolver.allow(['10.0.0.7']);
    await world.clock.settle();
    await world.clock.advance(1);
    expect(world.asked).toHaveLength(1);
  });
});
