import { describe, expect, test } from 'vitest';
import { DeltaStream } from './delta.ts';
import type { DeltaRequest } from './message.ts';
import { contentVersion } from './resource.ts';
import { ResourceStore } from './resource-store.ts';
import { named, nonces, resource, wild } from './testing/resources.ts';

describe('DeltaStream', () => {
  const request = (fields: Partial<DeltaRequest>): DeltaRequest => ({
    nodeId: 'node',
    typeUrl: '',
    subscribe: [],
    unsubscribe: [],
    initialVersions: {},
    responseNonce: '',
    errorDetail: undefined,
    ...fields,
  });
  const open = (type = named, content: Readonly<Record<string, string>> = {}) => {
    const store = new ResourceStore(type);
    const put = (entries: Readonly<Record<string, string>>): void =>
      store.replace(Object.entries(entries).map(([name, text]) => resource(name, text)));
    put(content);
    return { put, stream: new DeltaStream(store, nonces()) };
  };
  const names = (response: { resources: readonly { name: string }[] } | undefined) =>
    response?.resources.map(({ name }) => name);

  test('sends only what changed, and a removal by name', () => {
    const { put, stream } = open(wild, { a: '1', b: '1' });
    expect(names(stream.receive(request({})).response)).toEqual(['a', 'b']);
    put({ a: '1', b: '2' });
    expect(names(stream.update())).toEqual(['b']);
    put({ b: '2' });
    expect(stream.update()?.removed).toEqual(['a']);
    expect(stream.update()).toBeUndefined();
  });

  test('answers a name later, and adds and drops names', () => {
    const { put, stream } = open();
    expect(stream.receive(request({ subscribe: ['a'] })).response).toBeUndefined();
    put({ a: '1', b: '1' });
    expect(names(stream.update())).toEqual(['a']);
    expect(names(stream.receive(request({ subscribe: ['b'] })).response)).toEqual(['b']);
    stream.receive(request({ unsubscribe: ['a'] }));
    put({ a: '2', b: '1' });
    expect(stream.update()).toBeUndefined();
  });

  test('answers a second subscription to the same name', () => {
    const { stream } = open(named, { a: '1' });
    stream.receive(request({ subscribe: ['a'] }));
    expect(names(stream.receive(request({ subscribe: ['a'] })).response)).toEqual(['a']);
  });

  test('leaves out what a reconnected client says it has', () => {
    const { stream } = open(wild, { a: '1', b: '1' });
    const initialVersions = { a: contentVersion('1'), b: contentVersion('0'), gone: contentVersion('1') };
    const { response } = stream.receive(request({ initialVersions }));
    expect(names(response)).toEqual(['b']);
    // Its routes may still lead there.
    expect(response?.removed).toEqual([]);
    expect(stream.gone).toEqual(['gone']);
    expect(stream.update()?.removed).toEqual(['gone']);
  });

  test('answers the name of a reconnected client whatever it says it has', () => {
    const { stream } = open(named, { a: '1' });
    const { response } = stream.receive(request({ subscribe: ['a'], initialVersions: { a: contentVersion('1') } }));
    expect(names(response)).toEqual(['a']);
  });

  test('sends all resources of a refused response again with the next change', () => {
    const { put, stream } = open(wild, { bad: '1', good: '1' });
    const { response } = stream.receive(request({}));
    const refusal = stream.receive(
      request({ responseNonce: response?.nonce ?? '', errorDetail: { code: 13, message: 'no\nway' } }),
    ).refusal;
    expect(refusal).toMatchObject({ names: ['bad', 'good'], message: 'no way', nodeId: 'node' });
    expect(stream.update()).toBeUndefined();
    put({ bad: '2', good: '1' });
    expect(names(stream.update())).toEqual(['bad', 'good']);
    expect(stream.update()).toBeUndefined();
  });
});
