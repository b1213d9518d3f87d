import { beforeEach, describe, expect, test } from 'vitest';
import { configurationSteps, configurationTypes } from './aggregated-service.ts';
import { deltaForm, stateOfTheWorldForm } from './form.ts';
import type { DeltaRequest, DeltaResponse } from './message.ts';
import { contentVersion } from './resource.ts';
import { ResourceList } from './resource-list.ts';
import { ResourceStore } from './resource-store.ts';
import { ResourceView } from './resource-view.ts';
import type { StreamScope } from './scope.ts';
import { ScopedStreams } from './scoped-streams.ts';
import { named, resource } from './testing/resources.ts';
import { setType } from './whole-sets.ts';

const { clusters, endpoints } = configurationTypes;
const secrets = { ...named, typeUrl: 'type.googleapis.com/test.Secret' };
const request = (fields: Partial<DeltaRequest>): DeltaRequest => ({
  ...{ nodeId: '', typeUrl: '', subscribe: [], unsubscribe: [], initialVersions: {}, responseNonce: '' },
  errorDetail: undefined,
  ...fields,
});

describe('a delta stream that begins with the digests of sets', () => {
  let stores: Record<'clusters' | 'endpoints' | 'secrets', ResourceStore>;
  let streams: ScopedStreams<DeltaRequest, DeltaResponse>;
  let scope: StreamScope;

  beforeEach(() => {
    stores = {
      clusters: new ResourceStore(clusters),
      endpoints: new ResourceStore(endpoints),
      secrets: new ResourceStore(secrets),
    };
    for (const store of Object.values(stores)) store.replace([resource('a', '1'), resource('b', '1')]);
    scope = {
      ...{ steps: configurationSteps, stepTimeoutMs: 0, mostNames: () => 100, onChange: () => () => undefined },
      sourceOf: (typeUrl) => Object.values(stores).find(({ type }) => type.typeUrl === typeUrl),
    };
    streams = new ScopedStreams(deltaForm, scope, {});
  });
  const say = (fields: Partial<DeltaRequest>) => streams.receive(request(fields));
  const tell = (initialVersions: Readonly<Record<string, string>>) => say({ typeUrl: setType, initialVersions });
  const digests = () => ({
    [clusters.typeUrl]: stores.clusters.view.digest,
    [endpoints.typeUrl]: stores.endpoints.view.digest,
  });

  test('is sent nothing where they are equal, and afterwards each change, in the order of the steps', () => {
    expect(tell(digests())).toEqual({ typeUrl: setType, systemVersion: '', nonce: '1', resources: [], removed: [] });
    expect(say({ typeUrl: setType, responseNonce: '1' })).toBeUndefined();
    expect(streams.next()).toEqual({});
    expect(streams.isUnanswered).toBe(false);
    stores.clusters.replace([resource('a', '2'), resource('b', '1'), resource('c', '1')]);
    stores.endpoints.replace([resource('b', '2')]);
    const first = streams.next().response;
    expect([first?.typeUrl, first?.resources.map(({ name }) => name)]).toEqual([clusters.typeUrl, ['a', 'c']]);
    const second = streams.next().response;
    expect([second?.resources.map(({ name }) => name), second?.removed]).toEqual([['b'], ['a']]);
  });

  test('may subscribe to more names, and to fewer, of a set that it has', () => {
    tell(digests());
    expect(say({ typeUrl: endpoints.typeUrl, subscribe: ['agent:sync'] })?.removed).toEqual(['agent:sync']);
    say({ typeUrl: endpoints.typeUrl, unsubscribe: ['a'] });
    stores.endpoints.replace([resource('a', '2'), resource('b', '2')]);
    expect(streams.next().response?.resources.map(({ name }) => name)).toEqual(['b']);
  });

  test('goes on with names and versions where a digest differs', () => {
    const before = digests();
    stores.clusters.replace([resource('a', '2')]);
    expect(tell(before)?.removed).toEqual([clusters.typeUrl]);
    expect(streams.next()).toEqual({});
    const initialVersions = { a: contentVersion('1'), b: contentVersion('1') };
    const response = say({ typeUrl: clusters.typeUrl, initialVersions });
    expect(response?.resources.map(({ name }) => name)).toEqual(['a']);
    say({ typeUrl: clusters.typeUrl, responseNonce: response?.nonce ?? '' });
    const again = streams.next(0).response;
    expect(again?.typeUrl).toBe(endpoints.typeUrl);
    say({ typeUrl: endpoints.typeUrl, responseNonce: again?.nonce ?? '' });
    const { waitMs = 0 } = streams.next(0);
    expect(streams.next(waitMs).response?.removed).toEqual(['b']);
  });

  test('believes no digest of secrets, nor of a type that is not served', () => {
    const told = { [secrets.typeUrl]: stores.secrets.view.digest, other: stores.clusters.view.digest };
    expect(tell(told)?.removed).toEqual(['other', secrets.typeUrl].sort());
    const { resources } = say({ typeUrl: secrets.typeUrl, subscribe: ['a'] }) ?? {};
    expect(resources?.map(({ name }) => name)).toEqual(['a']);
  });

  test('is refused if it does not begin with digests, has too many, or is not incremental', () => {
    expect(() => tell(Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`${i}`, ''])))).toThrow(
      '17 sets in one request, at most 16',
    );
    say({ typeUrl: clusters.typeUrl });
    expect(() => tell(digests())).toThrow('is for the first request of a delta stream');
    const whole = new ScopedStreams(stateOfTheWorldForm, scope, {});
    const asked = { ...request({ typeUrl: setType }), versionInfo: '', resourceNames: [] };
    expect(() => whole.receive(asked)).toThrow('is for the first request of a delta stream');
  });

  test('has one digest for the same resources, whatever lists they are divided into', () => {
    const [a, b] = [resource('a', '1'), resource('b', '1')];
    const digest = (...parts: readonly (readonly (typeof a)[])[]): string =>
      new ResourceView(...parts.map((part) => new ResourceList(part))).digest;
    expect(digest([b], [a])).toBe(digest([a, b]));
    expect(digest([a], [])).not.toBe(digest([a, b]));
    expect(digest([a, resource('b', '2')])).not.toBe(digest([a, b]));
  });
});
