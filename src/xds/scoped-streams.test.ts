import { beforeEach, describe, expect, test } from 'vitest';
import { configurationSteps, configurationTypes } from './aggregated-service.ts';
import { deltaForm, stateOfTheWorldForm } from './form.ts';
import type { DeltaRequest, DeltaResponse } from './message.ts';
import { ResourceStore } from './resource-store.ts';
import type { StreamScope } from './scope.ts';
import { ScopedStreams } from './scoped-streams.ts';
import { resource } from './testing/resources.ts';

const { typeUrl } = configurationTypes.clusters;

describe('a cluster that is gone', () => {
  let store: ResourceStore;
  let scope: StreamScope;
  let streams: ScopedStreams<DeltaRequest, DeltaResponse>;
  let complete: number;

  const put = (...names: readonly string[]): void => store.replace(names.map((name) => resource(name, '1')));
  const say = (responseNonce = '') => {
    const none = { nodeId: '', subscribe: [], unsubscribe: [], initialVersions: {}, errorDetail: undefined };
    return streams.receive({ ...none, typeUrl, responseNonce });
  };
  /** The names that the client is told of as gone, which it acknowledges; for how long nothing is to be done. */
  const removedAt = (nowMs: number): readonly string[] | number | undefined => {
    const { response, waitMs } = streams.next(nowMs);
    if (response === undefined) return waitMs;
    say(response.nonce);
    return response.removed;
  };

  beforeEach(() => {
    store = new ResourceStore(configurationTypes.clusters);
    complete = 0;
    scope = {
      ...{ steps: configurationSteps, stepTimeoutMs: 5_000, mostNames: () => 100, onChange: () => () => undefined },
      sourceOf: () => store,
      complete: () => void complete++,
    };
    put('a', 'b', 'c');
    streams = new ScopedStreams(deltaForm, scope, {});
    say(say()?.nonce);
    complete = 0;
  });

  test('is removed at the client two seconds after its turn; meanwhile the client counts as complete', () => {
    put('a', 'b');
    streams.tellComplete();
    expect(complete).toBe(0);
    expect(streams.next(0)).toEqual({ waitMs: 2_000, isLingering: true });
    streams.tellComplete();
    expect(complete).toBe(1);
    expect(removedAt(1_999)).toBe(1);
    expect(removedAt(2_000)).toEqual(['c']);
    expect(streams.next(2_001)).toEqual({});
  });

  test('is not removed at the client if it is back within this time', () => {
    put('a', 'b');
    expect(removedAt(0)).toBe(2_000);
    put('a', 'b', 'c');
    expect(streams.next(1_000)).toEqual({});
    put('a', 'b');
    expect(removedAt(1_500)).toBe(2_000);
    expect(removedAt(3_500)).toEqual(['c']);
  });

  test('has its time after others whose time has begun', () => {
    put('a', 'b');
    expect(removedAt(0)).toBe(2_000);
    put('a');
    expect(removedAt(1_500)).toBe(500);
    streams.tellComplete();
    expect(complete).toBe(1);
    expect(removedAt(2_000)).toEqual(['c']);
    expect(removedAt(2_001)).toBe(1_999);
    expect(removedAt(4_000)).toEqual(['b']);
  });

  test('stays in the state of the world as long', () => {
    const world = new ScopedStreams(stateOfTheWorldForm, scope, {});
    const node = { nodeId: '', typeUrl, versionInfo: '', resourceNames: [], errorDetail: undefined };
    const first = world.receive({ ...node, responseNonce: '' });
    world.receive({ ...node, responseNonce: first?.nonce ?? '' });
    put('a', 'b');
    expect(world.next(0)).toEqual({ waitMs: 2_000, isLingering: true });
    expect(world.next(2_000).response?.resources).toHaveLength(2);
  });
});
