import { afterEach, beforeEach, expect, test } from 'vitest';
import { createKeySetResolver } from '../../jwks/resolve.ts';
import { keySetText, publicJwk } from '../../jwks/testing/keys.ts';
import type { ApiRequest } from '../../kubernetes/api.ts';
import type { Term } from '../../kubernetes/election.ts';
import { ApiRefusal } from '../../kubernetes/kubernetes-error.ts';
import type { LogFields, PlainLog } from '../../lib/log.ts';
import { FetchedKeySets } from '../../live/key-sets/remote.ts';
import { eventually } from '../../testing/eventually.ts';
import { startTestServer, type TestServer } from '../../testing/http-server.ts';
import type { LeaderWork } from '../leader/leadership.ts';
import { PublishedKeys } from './published-keys.ts';
import { SharedKeySets } from './shared-key-sets.ts';

/** Of one ConfigMap, with a server's limit. */
class StoredObject {
  text: string | undefined;
  #revision = 0;

  readonly ask = async <T>({ method, body }: ApiRequest): Promise<T> => {
    if (method === 'PATCH') {
      const text = JSON.stringify(body);
      if (text.length > 3_145_728) throw refusal(413);
      this.text = text;
      this.#revision++;
    }
    if (this.text === undefined) throw refusal(404);
    const { data } = JSON.parse(this.text);
    return { metadata: { name: 'meshd-key-sets', resourceVersion: String(this.#revision) }, data } as T;
  };
}

const refusal = (status: number) => new ApiRefusal('the object', { status, reason: '', message: '' });

const termUntil = (signal: AbortSignal): Term => ({
  signal,
  get holds() {
    return !signal.aborted;
  },
});

const keySets = new Map<string, string>();
const ended: (() => unknown)[] = [];
let issuer: TestServer;

beforeEach(async () => {
  issuer = await startTestServer(({ url = '' }, response) => response.end(keySets.get(url)));
});
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
  await issuer.close();
});

function replicaOf(object: StoredObject, { leads }: { readonly leads: boolean }) {
  const warnings: (readonly [string, LogFields | undefined])[] = [];
  const warn = (message: string, fields?: LogFields) => void warnings.push([message, fields]);
  const log: PlainLog = { debug: () => {}, info: () => {}, warn, error: warn };
  const end = new AbortController();
  const failed: unknown[] = [];
  const whileLeading = (_name: string, work: LeaderWork): void => {
    if (leads) run = () => work(termUntil(end.signal)).catch((error: unknown) => failed.push(error));
  };
  let run: () => unknown = () => undefined;
  const own = new FetchedKeySets({
    ...{ allowedHosts: ['127.0.0.1'], log },
    createResolver: (options) => createKeySetResolver({ ...options, timings: { refreshMs: 50 } }),
  });
  const state = { identity: 'a', leads, leader: 'a', transitions: 1, problem: undefined };
  const published = new PublishedKeys(object, 'mesh-system');
  const shared = new SharedKeySets({ own, published, leadership: { state, whileLeading }, log });
  ended.push(() => {
    end.abort();
    shared.close();
  });
  return { shared, warnings, failed, lead: () => void run() };
}

const ruleOf = (name: string) => ({
  ...{ issuer: `https://${name}.example`, jwksUri: `http://127.0.0.1:${issuer.port}/${name}` },
});

test('a key set that has no room stops the publication of no other: each replica fetches it itself', async () => {
  keySets.set('/usual', keySetText(await publicJwk('usual-one')));
  keySets.set('/huge', keySetText(await publicJwk('h'.repeat(900_000))));
  const rules = [ruleOf('huge'), ruleOf('usual')] as const;
  const object = new StoredObject();
  const leader = replicaOf(object, { leads: true });
  await leader.shared.fetch(rules);
  leader.lead();
  await eventually(() => expect([object.text, leader.failed]).toEqual([expect.stringContaining('usual-one'), []]));
  expect(object.text).not.toContain('hhh');
  expect(leader.warnings).toEqual([
    [
      'keys of issuers are too large to be shared; each replica fetches them itself',
      { issuers: ['https://huge.example'], count: 1 },
    ],
  ]);

  const follower = replicaOf(object, { leads: false });
  await follower.shared.fetch(rules);
  expect(follower.shared.find(rules[0])).toEqual({ text: expect.stringContaining('hhh') });
  expect(follower.shared.find(rules[1])).toEqual({ text: expect.stringContaining('usual-one') });

  keySets.set('/usual', keySetText(await publicJwk('usual-two')));
  await eventually(() =>
    expect(follower.shared.find(rules[1])).toEqual({ text: expect.stringContaining('usual-two') }),
  );
  expect(object.text).not.toContain('usual-one');
});
