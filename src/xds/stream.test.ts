import { describe, expect, test } from 'vitest';
import { DeltaStream } from './delta.ts';
import { cleanErrorMessage, type DeltaRequest, type DiscoveryRequest } from './message.ts';
import { contentVersion, type DiscoveryResource, ResourceStore } from './resource.ts';
import { StateOfTheWorldStream } from './state-of-the-world.ts';

const named = { typeUrl: 'type.googleapis.com/test.Named', hasWildcard: false };
const wild = { typeUrl: 'type.googleapis.com/test.Wild', hasWildcard: true };

const resource = (name: string, content: string): DiscoveryResource => ({
  name,
  version: contentVersion(content),
  body: Buffer.from(`${name}=${content}`),
});

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

const nonces = (): (() => string) => {
  let count = 0;
  return () => String(++count);
};

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
      'returns to the last good content after a refusal',
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
});

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
    expect(response?.removed).toEqual(['gone']);
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

describe('cleanErrorMessage', () => {
  test.each([
    ['line\nbreaks\r\n and  blanks', 'line breaks and blanks'],
    ['goo.gle/debugstr Failed to load', 'Failed to load'],
    ['key -----BEGIN PRIVATE KEY-----\nMIG\n-----END PRIVATE KEY----- end', 'key [PEM] end'],
    ['-----BEGIN EC PRIVATE KEY-----\nMIG cut', '[PEM]'],
    ['x'.repeat(2000), `${'x'.repeat(1000)}…`],
  ])('makes one line of %j', (message, line) => {
    expect(cleanErrorMessage(message)).toBe(line);
  });
});
