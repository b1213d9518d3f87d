import { describe, expect, test } from 'vitest';
import type { DiscoveryRequest } from './message.ts';
import { contentVersion } from './resource.ts';
import { ResourceStore } from './resource-store.ts';
import { StateOfTheWorldStream } from './state-of-the-world.ts';
import { named, nonces, resource, wild } from './testing/resources.ts';

/** One step of a conversation: the store changes (`put`), or the client speaks; `sees` is what goes back. */
interface Step {
  readonly put?: Readonly<Record<string, string>>;
  readonly names?: readonly string[];
  /** `latest` acknowledges; another text is a stale nonce; absent is a first message. */
  readonly nonce?: string;
  readonly error?: string;
  readonly version?: string;
  readonly sees: readonly string[] | 'nothing';
}

function converse(store: ResourceStore, steps: readonly Step[]): void {
  const stream = new StateOfTheWorldStream(store, nonces());
  let latest = '';
  for (const [i, step] of steps.entries()) {
    let response: ReturnType<typeof stream.update>;
    if (step.put !== undefined) {
      store.replace(Object.entries(step.put).map(([name, content]) => resource(name, content)));
      response = stream.update();
    } else {
      const request: DiscoveryRequest = {
        nodeId: 'node',
        typeUrl: store.type.typeUrl,
        versionInfo: step.version ?? '',
        resourceNames: step.names ?? [],
        responseNonce: step.nonce === 'latest' ? latest : (step.nonce ?? ''),
        errorDetail: step.error === undefined ? undefined : { code: 3, message: step.error },
      };
      const reaction = stream.receive(request);
      response = reaction.response;
      expect(reaction.refusal?.message, `refusal of step ${i}`).toBe(step.error);
    }
    const seen = response?.resources.map((body) => Buffer.from(body).toString()) ?? 'nothing';
    expect(seen, `step ${i}`).toEqual(step.sees);
    if (response !== undefined) latest = response.nonce;
  }
}

const versionOf = (entries: Readonly<Record<string, string>>): string =>
  contentVersion(...Object.entries(entries).flatMap(([name, content]) => [name, contentVersion(content)]));

describe('StateOfTheWorldStream', () => {
  const conversations: readonly (readonly [string, typeof named, readonly Step[]])[] = [
    [
      'answers a name, and stays silent on its acknowledgement',
      named,
      [
        { put: { a: '1' }, sees: 'nothing' },
        { names: ['a'], sees: ['a=1'] },
        { names: ['a'], nonce: 'latest', sees: 'nothing' },
      ],
    ],
    [
      'answers later when the resource is not there yet',
      named,
      [
        { names: ['a'], sees: 'nothing' },
        { put: { b: '1' }, sees: 'nothing' },
        { put: { a: '1', b: '1' }, sees: ['a=1'] },
      ],
    ],
    [
      'carries several names on one stream, and answers an added one',
      named,
      [
        { put: { a: '1', b: '1', c: '1' }, sees: 'nothing' },
        { names: ['a', 'b'], sees: ['a=1', 'b=1'] },
        { names: ['a', 'b', 'c'], nonce: 'latest', sees: ['a=1', 'b=1', 'c=1'] },
        { names: ['a'], nonce: 'latest', sees: 'nothing' },
      ],
    ],
    [
      'answers a name again that was dropped and asked for again',
      named,
      [
        { put: { a: '1', b: '1' }, sees: 'nothing' },
        { names: ['a', 'b'], sees: ['a=1', 'b=1'] },
        { names: ['a'], nonce: 'latest', sees: 'nothing' },
        { names: ['a', 'b'], nonce: 'latest', sees: ['a=1', 'b=1'] },
      ],
    ],
    [
      'reports a refusal and does not send the refused content again',
      named,
      [
        { put: { a: 'bad' }, sees: 'nothing' },
        { names: ['a'], sees: ['a=bad'] },
        { names: ['a'], nonce: 'latest', error: 'cannot parse', sees: 'nothing' },
        { put: { a: 'bad' }, sees: 'nothing' },
        { put: { a: 'good' }, sees: ['a=good'] },
      ],
    ],
    [
      'returns to the last valid content after a refusal',
      named,
      [
        { put: { a: '1' }, sees: 'nothing' },
        { names: ['a'], sees: ['a=1'] },
        { names: ['a'], nonce: 'latest', sees: 'nothing' },
        { put: { a: 'bad' }, sees: ['a=bad'] },
        { names: ['a'], nonce: 'latest', error: 'no', sees: 'nothing' },
        { put: { a: '1' }, sees: ['a=1'] },
      ],
    ],
    [
      'sends the newest content to a client that never acknowledges',
      named,
      [
        { names: ['a'], sees: 'nothing' },
        { put: { a: '1' }, sees: ['a=1'] },
        { put: { a: '2' }, sees: ['a=2'] },
        { put: { a: '3' }, sees: ['a=3'] },
        { names: ['a'], nonce: '1', sees: 'nothing' },
      ],
    ],
    [
      'ignores a stale nonce, its names too',
      named,
      [
        { put: { a: '1', b: '1' }, sees: 'nothing' },
        { names: ['a'], sees: ['a=1'] },
        { names: ['b'], nonce: 'stale', sees: 'nothing' },
        { put: { a: '1', b: '2' }, sees: 'nothing' },
      ],
    ],
    [
      'answers a reconnected client whatever it says it has',
      named,
      [
        { put: { a: '1' }, sees: 'nothing' },
        { names: ['a'], version: versionOf({ a: '1' }), sees: ['a=1'] },
        { put: { a: '2' }, sees: ['a=2'] },
      ],
    ],
    [
      'keeps silent about the removal of a named resource',
      named,
      [
        { put: { a: '1' }, sees: 'nothing' },
        { names: ['a'], sees: ['a=1'] },
        { put: {}, sees: 'nothing' },
      ],
    ],
    ['takes an empty list of names for nothing', named, [{ put: { a: '1' }, sees: 'nothing' }, { sees: 'nothing' }]],
    [
      'takes an empty list for everything where the type has a wildcard, and tells of removals',
      wild,
      [
        { sees: [] },
        { put: { a: '1', b: '1' }, sees: ['a=1', 'b=1'] },
        { nonce: 'latest', sees: 'nothing' },
        { put: { b: '1' }, sees: ['b=1'] },
        { put: {}, sees: [] },
      ],
    ],
  ];

  test.each(conversations)('%s', (_name, type, steps) => {
    converse(new ResourceStore(type), steps);
  });

  test('lists the names that wait', () => {
    const store = new ResourceStore(named);
    const stream = new StateOfTheWorldStream(store, nonces());
    stream.receive({
      nodeId: '',
      typeUrl: '',
      versionInfo: '',
      resourceNames: ['b', 'a'],
      responseNonce: '',
      errorDetail: undefined,
    });
    store.replace([resource('a', '1')]);
    expect(stream.pendingNames).toEqual(['b']);
  });

  describe('sends no empty response, which an Envoy that follows nothing more would never answer,', () => {
    const store = new ResourceStore(named);
    const replace = (content: Readonly<Record<string, string>>): void =>
      store.replace(Object.entries(content).map(([name, text]) => resource(name, text)));
    const request = (names: readonly string[], responseNonce: string): DiscoveryRequest => ({
      ...{ nodeId: 'node', typeUrl: named.typeUrl, versionInfo: '', errorDetail: undefined },
      ...{ resourceNames: names, responseNonce },
    });
    const open = (): { readonly stream: StateOfTheWorldStream; readonly nonce: string } => {
      replace({ route: '1' });
      const stream = new StateOfTheWorldStream(store, nonces());
      const { response: { nonce = '' } = {} } = stream.receive(request(['route'], ''));
      stream.receive(request(['route'], nonce));
      return { stream, nonce };
    };
    const expectSettled = (stream: StateOfTheWorldStream): void => {
      expect(stream.update()).toBeUndefined();
      expect([stream.isUnanswered, stream.isComplete()]).toEqual([false, true]);
    };

    test('where the client drops its last name before a change is sent', () => {
      const { stream, nonce } = open();
      replace({ route: '2' });
      stream.receive(request([], nonce));
      expectSettled(stream);
      // Asked for again, it is answered.
      expect(stream.receive(request(['route'], nonce)).response?.resources).toHaveLength(1);
    });

    test('where the resource goes before a change of it is sent', () => {
      const { stream, nonce } = open();
      replace({ route: '2' });
      stream.receive(request(['route'], nonce));
      replace({});
      expectSettled(stream);
    });
  });
});
