import { beforeEach, describe, expect, test } from 'vitest';
import type { DeltaResponse } from '../../xds/message.ts';
import { contentVersion } from '../../xds/resource.ts';
import { secretTypeUrl } from '../../xds/secret-service.ts';
import { FetchedSecrets } from './fetched-secrets.ts';

const response = (names: readonly string[], removed: readonly string[] = []): DeltaResponse => ({
  ...{ typeUrl: secretTypeUrl, systemVersion: '1', nonce: '1', removed },
  resources: names.map((name) => ({ name, version: contentVersion(name), body: Buffer.from(name) })),
});

describe('FetchedSecrets', () => {
  let secrets: FetchedSecrets;
  const held = (): readonly string[] => secrets.store.view.all.map(({ name }) => name);

  beforeEach(() => {
    secrets = new FetchedSecrets();
    expect(secrets.want(['a', 'b'])).toEqual(['a', 'b']);
    secrets.take(response(['a', 'b']));
    expect(held()).toEqual(['a', 'b']);
  });

  test('subscribes to a name once, and on each new stream to all names', () => {
    expect(secrets.want(['b', 'c'])).toEqual(['c']);
    expect(secrets.begin()).toEqual(['a', 'b', 'c']);
  });

  test('drops secrets that the control plane removes, and those that Envoy no longer requests', () => {
    secrets.take(response([], ['a']));
    expect(held()).toEqual(['b']);
    secrets.drop(['b']);
    secrets.take(response(['b']));
    expect(held()).toEqual([]);
  });

  test('drops secrets that a new stream did not bring, once that stream is complete', () => {
    secrets.begin();
    secrets.take(response(['b']));
    expect(held()).toEqual(['a', 'b']);
    secrets.settle();
    expect(held()).toEqual(['b']);
  });

  test('drops the secrets of another workload, and subscribes to the same names', () => {
    secrets.clear();
    expect(held()).toEqual([]);
    expect(secrets.begin()).toEqual(['a', 'b']);
  });
});
