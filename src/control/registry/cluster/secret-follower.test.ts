import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { KubernetesApi } from '../../../kubernetes/api.ts';
import { KubernetesError } from '../../../kubernetes/kubernetes-error.ts';
import { eventually } from '../../../testing/eventually.ts';
import { SecretFollower } from './secret-follower.ts';

const file = (object: object) => ({ path: 'x', text: JSON.stringify(object) });
const pod = file({ metadata: { namespace: 'edge', labels: { app: 'edge' } } });
const gateway = (namespace: string, mode: string, ...names: readonly string[]) => {
  const servers = names.map((credentialName) => ({ tls: { mode, credentialName } }));
  return file({ metadata: { namespace }, spec: { selector: { app: 'edge' }, servers } });
};
const dataOf = (follower: SecretFollower) =>
  Object.fromEntries(follower.files.map(({ path, text }) => [path.split('/').at(-1), JSON.parse(text).data]));
const whole = { 'ca.crt': 'b3RoZXI=' };

/** A server whose lists are answered when a test says so, as a real one cannot be made to. */
function setUp() {
  const lists = new Map<string, { answer: (items: readonly object[]) => void; fail: (error: Error) => void }>();
  const api = {
    ask: ({ path }: { readonly path: string }) =>
      new Promise((resolve, reject) => {
        const name = /metadata\.name(?:=|%3D)([\w.-]+)/.exec(decodeURIComponent(path))?.[1] ?? '';
        const answer = (items: readonly object[]): void => resolve({ metadata: { resourceVersion: '1' }, items });
        lists.set(name, { answer, fail: reject });
      }),
    open: async () => new PassThrough(),
  };
  const problems: string[] = [];
  const follower = new SecretFollower({
    ...{ api: api as unknown as KubernetesApi, onChange: () => undefined },
    onProblem: (text) => problems.push(text),
  });
  onTestFinished(() => follower.close());
  return { follower, lists, problems };
}

describe('SecretFollower', () => {
  test('an empty Secret stands for CAs of clients until it is known whether they exist', async () => {
    const { follower, lists, problems } = setUp();
    follower.follow([gateway('shop', 'MUTUAL', 'cert')], [pod]);
    lists.get('cert')?.answer([{ metadata: { namespace: 'edge', name: 'cert' }, data: whole }]);
    await eventually(() => expect(dataOf(follower)).toEqual({ cert: whole, 'cert-cacert': {} }));
    lists.get('cert-cacert')?.fail(new KubernetesError('api-answer-unusable', 'forbidden'));
    await eventually(() => expect(problems).toHaveLength(1));
    expect(follower.isKnown).toBe(true);
    expect(dataOf(follower)).toEqual({ cert: whole, 'cert-cacert': {} });
  });

  test('once a complete list does not contain them, nothing stands for them', async () => {
    const { follower, lists } = setUp();
    follower.follow([gateway('shop', 'MUTUAL', 'cert')], [pod]);
    lists.get('cert')?.answer([{ metadata: { namespace: 'edge', name: 'cert' }, data: whole }]);
    lists.get('cert-cacert')?.answer([]);
    await eventually(() => expect(dataOf(follower)).toEqual({ cert: whole }));
  });

  test('a namespace that names many Secrets does not displace those of others, and the log names the ones that are left out', () => {
    const { follower, problems } = setUp();
    const names = Array.from({ length: 600 }, (_, i) => `a${i}`);
    const own = gateway('shop', 'SIMPLE', 'cert');
    follower.follow([own], [pod]);
    const [before] = follower.followed;
    follower.follow([own, gateway('bad', 'SIMPLE', ...names, 'cert')], [pod]);
    expect(follower.followed).toContain(before);
    expect(follower.followed).toHaveLength(100);
    follower.follow([own, gateway('bad', 'SIMPLE', ...names, 'cert')], [pod]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^501 Secrets that Gateways name are not followed, .*edge\/a\d+, .* and 491 more$/);
  });

  test('an empty Secret stands for CAs of clients that a limit leaves out', () => {
    const { follower } = setUp();
    const names = Array.from({ length: 100 }, (_, i) => `a${i}`);
    follower.follow([gateway('shop', 'SIMPLE', ...names)], [pod]);
    follower.follow([gateway('shop', 'SIMPLE', ...names), gateway('shop', 'MUTUAL', 'a1')], [pod]);
    expect(dataOf(follower)).toEqual({ 'a1-cacert': {} });
  });

  test("CAs of clients stay followed while the Secret of the server's certificate is named, because an older version of the Gateway may be active", () => {
    const { follower } = setUp();
    follower.follow([gateway('shop', 'MUTUAL', 'cert')], [pod]);
    const before = follower.followed;
    follower.follow([gateway('shop', 'SIMPLE', 'cert')], [pod]);
    expect(follower.followed).toEqual(before);
    follower.follow([], [pod]);
    expect(follower.followed).toEqual([]);
  });
});
