import { describe, expect, test } from 'vitest';
import { DeltaStream } from './delta.ts';
import type { DeltaRequest, DiscoveryRequest } from './message.ts';
import { contentVersion, type DiscoveryType } from './resource.ts';
import { ResourceStore } from './resource-store.ts';
import { StateOfTheWorldStream } from './state-of-the-world.ts';
import { namedConfiguration, nonces, resource, wildConfiguration } from './testing/resources.ts';

type Content = Readonly<Record<string, string>>;
const put = (store: ResourceStore, content: Content): void =>
  store.replace(Object.entries(content).map(([name, text]) => resource(name, text)));
const names = (response: { resources: readonly { name: string }[] } | undefined) =>
  response?.resources.map(({ name }) => name);

describe('DeltaStream of a configuration type', () => {
  const request = (fields: Partial<DeltaRequest>): DeltaRequest => ({
    ...{ nodeId: 'node', typeUrl: '', subscribe: [], unsubscribe: [], initialVersions: {}, responseNonce: '' },
    errorDetail: undefined,
    ...fields,
  });
  const open = (type: DiscoveryType, content: Content) => {
    const store = new ResourceStore(type);
    put(store, content);
    return { store, stream: new DeltaStream(store, nonces()) };
  };

  test('sends nothing to a reconnected client that has all it names, and nothing of what it names itself', () => {
    const { store, stream } = open(namedConfiguration, { a: '1', b: '1' });
    const initialVersions = { a: contentVersion('1'), b: contentVersion('1') };
    expect(stream.receive(request({ subscribe: ['a', 'b'], initialVersions })).response).toBeUndefined();
    put(store, { a: '2', b: '1' });
    expect(names(stream.update())).toEqual(['a']);
  });

  test('answers a client that has nothing and requests everything with an empty response, for which it waits', () => {
    const { store, stream } = open(wildConfiguration, {});
    expect(stream.receive(request({})).response).toMatchObject({ resources: [], removed: [] });
    expect(stream.receive(request({ responseNonce: '1' })).response).toBeUndefined();
    put(store, { a: '1' });
    expect(names(stream.update())).toEqual(['a']);
    const again = open(wildConfiguration, { a: '1' }).stream;
    expect(again.receive(request({ initialVersions: { a: contentVersion('1') } })).response).toBeUndefined();
    expect(open(namedConfiguration, {}).stream.receive(request({})).response).toBeUndefined();
  });

  test('goes on with the names of initial_resource_versions where nothing else is named', () => {
    const { store, stream } = open(namedConfiguration, { a: '1' });
    stream.receive(request({ initialVersions: { a: contentVersion('1') } }));
    put(store, { a: '2' });
    expect(names(stream.update())).toEqual(['a']);
  });

  test('lists a subscribed name without a resource as removed, and sends the resource when it exists', () => {
    const { store, stream } = open(namedConfiguration, {});
    expect(stream.receive(request({ subscribe: ['a'] })).response).toMatchObject({ resources: [], removed: ['a'] });
    put(store, { a: '1' });
    expect(names(stream.update())).toEqual(['a']);
  });

  test('serves the wildcard and names beside it, and each of them after the other is given up', () => {
    const { store, stream } = open(wildConfiguration, { a: '1', b: '1' });
    const first = stream.receive(request({ subscribe: ['*', 'c'] })).response;
    expect([names(first), first?.removed]).toEqual([['a', 'b'], ['c']]);
    stream.receive(request({ unsubscribe: ['*'] }));
    put(store, { a: '2', b: '2', c: '1' });
    expect(names(stream.update())).toEqual(['c']);
    expect(names(stream.receive(request({ subscribe: ['*'] })).response)).toEqual(['a', 'b']);
    stream.receive(request({ unsubscribe: ['c'] }));
    put(store, { a: '3', b: '2', c: '2' });
    expect(names(stream.update())).toEqual(['a', 'c']);
  });

  test('holds removals back until they are asked for', () => {
    const { store, stream } = open(wildConfiguration, { a: '1', b: '1' });
    stream.receive(request({}));
    put(store, { b: '2' });
    expect(stream.update({ removes: false })).toMatchObject({ resources: [{ name: 'b' }], removed: [] });
    expect(stream.update({ removes: false })).toBeUndefined();
    expect(stream.update()).toMatchObject({ resources: [], removed: ['a'] });
    expect(stream.update()).toBeUndefined();
  });

  test('does not remove what is back before the removal went out', () => {
    const { store, stream } = open(wildConfiguration, { a: '1' });
    stream.receive(request({}));
    put(store, {});
    stream.update({ removes: false });
    put(store, { a: '1' });
    expect(stream.update()).toBeUndefined();
  });

  test('sends the good resources of a refused response again, finds the bad one, and sends its next version', () => {
    const { store, stream } = open(wildConfiguration, { bad: '1', good: '1', other: '1' });
    const has = new Set<string>();
    const culprits: string[] = [];
    let response = stream.receive(request({})).response;
    for (let i = 0; response !== undefined && i < 10; i++) {
      const isBad = names(response)?.includes('bad');
      if (!isBad) for (const name of names(response) ?? []) has.add(name);
      const errorDetail = isBad ? { code: 13, message: 'no' } : undefined;
      const reaction = stream.receive(request({ responseNonce: response.nonce, errorDetail }));
      culprits.push(...(reaction.culprits ?? []).map(({ name }) => name));
      response = reaction.response ?? stream.update();
    }
    expect([...has].sort()).toEqual(['good', 'other']);
    expect(culprits).toEqual(['bad']);
    put(store, { bad: '2', good: '1', other: '1' });
    expect(names(stream.update())).toEqual(['bad']);
  });

  test('sends a change of another resource while it searches', () => {
    const { store, stream } = open(wildConfiguration, { a: '1', b: '1', c: '1' });
    const { nonce = '' } = stream.receive(request({})).response ?? {};
    stream.receive(request({ responseNonce: nonce, errorDetail: { code: 13, message: 'no' } }));
    expect(names(stream.update())).toEqual(['a']);
    put(store, { a: '1', b: '1', c: '1', deny: '1' });
    expect(names(stream.update())).toEqual(['deny']);
  });

  test('keeps no list of what it sent once somebody has asked', () => {
    const { stream } = open(wildConfiguration, { a: '1', b: '1' });
    stream.receive(request({}));
    expect(stream.takeSent().map(({ name }) => name)).toEqual(['a', 'b']);
    expect(stream.takeSent()).toEqual([]);
  });

  test('sends again the resources that are to be repeated', () => {
    const { stream } = open(namedConfiguration, { a: '1', b: '1' });
    stream.receive(request({ subscribe: ['a'] }));
    stream.repeat(['a', 'b']);
    expect(names(stream.update())).toEqual(['a']);
  });
});

describe('StateOfTheWorldStream of a configuration type', () => {
  const request = (fields: Partial<DiscoveryRequest>): DiscoveryRequest => ({
    ...{ nodeId: 'node', typeUrl: '', versionInfo: '', resourceNames: [], responseNonce: '', errorDetail: undefined },
    ...fields,
  });
  const texts = (response: { resources: readonly Uint8Array[] } | undefined) =>
    response?.resources.map((body) => Buffer.from(body).toString()).join(' ');

  test('keeps what is gone until removals are asked for', () => {
    const store = new ResourceStore(wildConfiguration);
    put(store, { a: '1', b: '1' });
    const stream = new StateOfTheWorldStream(store, nonces());
    stream.receive(request({}));
    put(store, { b: '2' });
    expect(texts(stream.update({ removes: false }))).toBe('b=2 a=1');
    expect(texts(stream.update())).toBe('b=2');
    expect(stream.update()).toBeUndefined();
  });

  test('sends neither a change nor a removal before its turn when an older response is acknowledged', () => {
    const store = new ResourceStore(wildConfiguration);
    put(store, { a: '1', b: '1' });
    const stream = new StateOfTheWorldStream(store, nonces());
    const { nonce = '' } = stream.receive(request({})).response ?? {};
    put(store, { b: '2' });
    expect(stream.receive(request({ responseNonce: nonce })).response).toBeUndefined();
    expect(texts(stream.update({ removes: false }))).toBe('b=2 a=1');
  });

  test('finds the bad resource, keeps the accepted version in its place, and sends its next version', () => {
    const store = new ResourceStore(wildConfiguration);
    put(store, { a: '1', b: '1', c: '1' });
    const stream = new StateOfTheWorldStream(store, nonces());
    const { nonce = '' } = stream.receive(request({})).response ?? {};
    stream.receive(request({ responseNonce: nonce }));
    put(store, { a: '2', b: 'bad', c: '2' });
    const culprits: string[] = [];
    let accepted = '';
    for (let i = 0, response = stream.update(); response !== undefined && i < 10; i++) {
      const isBad = texts(response)?.includes('b=bad');
      if (!isBad) accepted = texts(response) ?? '';
      const errorDetail = isBad ? { code: 13, message: 'no' } : undefined;
      const reaction = stream.receive(request({ responseNonce: response.nonce, errorDetail }));
      culprits.push(...(reaction.culprits ?? []).map(({ name }) => name));
      response = reaction.response ?? stream.update();
    }
    expect([culprits, accepted]).toEqual([['b'], 'a=2 b=1 c=2']);
    put(store, { a: '2', b: '3', c: '2' });
    expect(texts(stream.update())).toBe('a=2 b=3 c=2');
  });
});
