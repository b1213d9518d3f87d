import { expect, test } from 'vitest';
import { createCompiler } from '../../compiler/compile.ts';
import type { EnvoyConfig } from '../../compiler/render/resource.ts';
import { defaultSettings } from '../../config/defaults.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { SourceFile } from '../../source/document.ts';
import { fixtureNames, readFixture } from '../../testing/fixture.ts';
import { SnapshotReceiver } from './mesh-snapshot.ts';
import { SnapshotSender } from './snapshot-sender.ts';

const folder = 'fixtures/ok';
const lists = ['clusters', 'endpoints', 'listeners', 'routes'] as const;

test('a second snapshot sends only what is new, and what is equal stays the same object', async () => {
  const { files, settings } = await readFixture(
    folder,
    fixtureNames(folder).find((name) => /headless/.test(name)) ?? '',
  );
  const compiler = createCompiler({ settings, delivery: 'ads' });
  const sender = new SnapshotSender();
  const receiver = new SnapshotReceiver();
  const take = (texts: typeof files) => {
    const compiled = compiler.compile(texts, 'all', new DiagnosticBag());
    if (compiled === undefined) throw new Error('the fixture does not compile');
    const plain = structuredClone(sender.send(compiled, () => false));
    const bodies = plain.lists.flatMap(({ resources }) => resources).filter(({ body }) => body !== undefined).length;
    const snapshot = receiver.receive(plain);
    return { lists: plain.lists.length, bodies, halves: plain.halves.length, proxies: plain.proxies.length, snapshot };
  };
  const first = take(files);
  expect(first.bodies).toBeGreaterThan(0);
  const again = take(files);
  expect([again.lists, again.bodies, again.halves, again.proxies]).toEqual([0, 0, 0, 0]);
  for (const [key, { views }] of first.snapshot.proxies) {
    for (const list of lists) expect(again.snapshot.proxies.get(key)?.views[list]).toBe(views[list]);
  }
});

/** A service and its pods, a file each, of which the first one is ready or not. */
function shop(pods: readonly string[], isReady: boolean): SourceFile[] {
  const service =
    'apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: a}\nspec: {clusterIP: 10.96.0.1, selector: {app: web}, ports: [{name: http, port: 80}]}\n';
  const podOf = (name: string, i: number): string => `apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: a, labels: {app: web}}
spec: {containers: [{name: mesh-proxy}]}
status: {podIP: 10.0.0.${i + 1}, phase: Running, conditions: [{type: Ready, status: "${isReady || i > 0 ? 'True' : 'False'}"}]}
`;
  return [{ path: 'web', text: service }, ...pods.map((path, i) => ({ path, text: podOf(path, i) }))];
}

test('of an endpoint that is ready no more the half is sent that many proxies share, and no proxy', () => {
  const compiler = createCompiler({ settings: defaultSettings, delivery: 'ads' });
  const [sender, receiver] = [new SnapshotSender(), new SnapshotReceiver()];
  const take = (files: SourceFile[]) => {
    const compiled = compiler.compile(files, 'all', new DiagnosticBag());
    if (compiled === undefined) throw new Error('it does not compile');
    const { lists, halves, goneHalves, proxies, gone } = structuredClone(sender.send(compiled, () => false));
    const { proxies: now } = receiver.receive({ lists, halves, goneHalves, proxies, gone });
    return {
      sent: { lists: lists.length, halves: halves.length, gone, proxies: proxies.map(({ name }) => name) },
      endpoints: [...now.values()].map(({ views }) => new TextDecoder().decode(views.endpoints.all[0]?.body)),
      views: [...now].map(([key, { views }]) => [key, views] as const),
    };
  };
  const first = take(shop(['one', 'two', 'three'], true));
  // The three accept the same, and reach the same.
  expect(first.sent).toMatchObject({ halves: 2, proxies: ['one', 'three', 'two'] });
  expect(new Set(first.views.map(([, views]) => views)).size).toBe(1);
  expect(first.endpoints[0]).toContain('10.0.0.1');
  const second = take(shop(['one', 'two', 'three'], false));
  expect(second.sent).toEqual({ lists: 1, halves: 1, gone: [], proxies: [] });
  expect(second.endpoints.map((text) => text.includes('10.0.0.1'))).toEqual([false, false, false]);
  for (const [i, [, views]] of second.views.entries()) {
    expect(views.listeners).toBe(first.views[i]?.[1].listeners);
  }
  const third = take(shop(['one', 'two'], false));
  expect(third.sent).toMatchObject({ gone: ['a/three'], proxies: [] });
  expect(third.views.map(([key]) => key)).toEqual(['a/one', 'a/two']);
});

test('proxies of one snapshot that have a set with other endpoints each are served their own', () => {
  const compiler = createCompiler({ settings: defaultSettings, delivery: 'ads' });
  const compile = (isReady: boolean) => {
    const compiled = compiler.compile(shop(['one', 'two'], isReady), 'all', new DiagnosticBag());
    if (compiled === undefined) throw new Error('it does not compile');
    return compiled.configs as readonly [EnvoyConfig, EnvoyConfig];
  };
  const [[one], [other, two]] = [compile(true), compile(false)];
  expect(one.shared).toBe(two.shared);
  const [sender, receiver] = [new SnapshotSender(), new SnapshotReceiver()];
  const take = (...configs: readonly EnvoyConfig[]) => {
    const { proxies } = receiver.receive(structuredClone(sender.send({ configs, workloads: [] }, () => false)));
    return [...proxies].map(([key, { views }]) => [
      key,
      new TextDecoder().decode(views.endpoints.all[0]?.body).includes('10.0.0.1'),
    ]);
  };
  // One keeps what it had, as a frozen proxy may.
  expect(take(one, two)).toEqual([
    ['a/one', true],
    ['a/two', false],
  ]);
  expect(take(other, two)).toEqual([
    ['a/one', false],
    ['a/two', false],
  ]);
});

test('a list that comes back, and a resource that moves into another list, are sent again', async () => {
  const pod = (name: string): string =>
    `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}, namespace: a}\nspec: {containers: [{name: mesh-proxy}]}\nstatus: {podIP: 10.0.0.1}\n`;
  const service = (name: string, address: number): string =>
    `---\napiVersion: v1\nkind: Service\nmetadata: {name: ${name}, namespace: a}\nspec: {clusterIP: 10.96.0.${address}, ports: [{name: http, port: 80}]}\n`;
  const compiler = createCompiler({ settings: defaultSettings, delivery: 'ads' });
  const sender = new SnapshotSender();
  const receiver = new SnapshotReceiver();
  const one = pod('p') + service('one', 1);
  const seen = [one, one + service('two', 2), one, pod('q') + service('two', 2), one].map((text) => {
    const compiled = compiler.compile([{ path: 'a.yaml', text }], 'all', new DiagnosticBag());
    if (compiled === undefined) throw new Error('it does not compile');
    const { proxies } = receiver.receive(structuredClone(sender.send(compiled, () => false)));
    const [proxy] = [...proxies.values()];
    return proxy?.views.clusters.all.filter(({ name }) => name.startsWith('outbound')).map(({ name }) => name);
  });
  expect(seen.map((names) => names?.length)).toEqual([1, 2, 1, 1, 1]);
});

test("the secrets of a proxy are sent when they change, make its change urgent, and are nobody else's", async () => {
  const { files, settings } = await readFixture(
    folder,
    fixtureNames(folder).find((name) => name === 'gateway-credential') ?? '',
  );
  const compiled = createCompiler({ settings, delivery: 'ads' }).compile(files, 'all', new DiagnosticBag());
  if (compiled === undefined) throw new Error('the fixture does not compile');
  const sender = new SnapshotSender();
  const receiver = new SnapshotReceiver();
  const take = (...texts: readonly string[]) => {
    const one = texts.map((text) => ({ name: 'kubernetes://shop', version: text, body: Buffer.from(text) }));
    const secrets = compiled.configs.map((_config, i) => (i === 0 ? one : []));
    const plain = structuredClone(sender.send({ ...compiled, secrets }, () => false));
    const proxies = [...receiver.receive(plain).proxies.values()];
    return {
      sent: plain.proxies.map((proxy) => proxy.secrets?.resources?.length ?? 0),
      urgent: proxies.map(({ isUrgent }) => isUrgent),
      had: proxies.map(({ views }) => views.secrets.all.map(({ body }) => Buffer.from(body).toString()).join()),
      views: proxies.map(({ views }) => views.secrets),
    };
  };
  const others = compiled.configs.slice(1);
  const first = take('one');
  expect(first).toMatchObject({ sent: [1, ...others.map(() => 0)], had: ['one', ...others.map(() => '')] });
  const same = take('one');
  expect(same).toMatchObject({ sent: [0, ...others.map(() => 0)], had: first.had });
  expect(same.urgent).not.toContain(true);
  expect(same.views[0]).toBe(first.views[0]);
  expect(take('two')).toMatchObject({
    had: ['two', ...others.map(() => '')],
    urgent: [true, ...others.map(() => false)],
  });
  expect(take()).toMatchObject({ had: compiled.configs.map(() => ''), urgent: [true, ...others.map(() => false)] });
});
