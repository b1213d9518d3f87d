import { describe, expect, test } from 'vitest';
import { DeltaStream } from './delta.ts';
import { positionIn } from './position.ts';
import { ResourceStore } from './resource-store.ts';
import { nonces, resource, wild } from './testing/resources.ts';

describe('the position of what a response is made from', () => {
  test('stands beside the version in each delta response, where the source has one', () => {
    const store = new ResourceStore(wild);
    store.replace([resource('a', '1')]);
    const first = { nodeId: 'node', typeUrl: '', subscribe: [], unsubscribe: [], initialVersions: {} };
    const ask = (position: string | undefined) => {
      const source = { type: store.type, view: store.view, position };
      const stream = new DeltaStream(source, nonces());
      return stream.receive({ ...first, responseNonce: '', errorDetail: undefined }).response?.systemVersion ?? '';
    };
    expect(positionIn(ask(undefined))).toBeUndefined();
    expect(ask('x.1..2')).toBe(`${ask(undefined)} x.1..2`);
    expect(positionIn(ask('x.1..2'))).toBe('x.1..2');
  });
});
