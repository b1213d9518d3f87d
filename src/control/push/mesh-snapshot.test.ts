import { expect, test } from 'vitest';
import { createCompiler } from '../../compiler/compile.ts';
import { defaultSettings } from '../../config/defaults.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { versionOf } from '../../output/served-versions.ts';
import { fixtureNames, readFixture } from '../../testing/fixture.ts';
import { type MeshSnapshot, SnapshotReceiver } from './mesh-snapshot.ts';
import { SnapshotSender } from './snapshot-sender.ts';

const folder = 'fixtures/ok';
const lists = ['clusters', 'endpoints', 'listeners', 'routes'] as const;

test('every proxy gets the names and versions that meshpol compile --delivery ads prints', async () => {
  let compared = 0;
  for (const name of fixtureNames(folder).filter((_name, i) => i % 10 === 3)) {
    const { files, settings, templates, keySets, bag } = await readFixture(folder, name);
    if (templates !== undefined || bag.hasErrors) continue;
    const compiled = createCompiler({ settings, delivery: 'ads' }).compile(files, 'all', new DiagnosticBag(), keySets);
    if (compiled === undefined) continue;
    const plain = structuredClone(new SnapshotSender().send(compiled, () => false));
    const { proxies } = new SnapshotReceiver().receive(plain);
    for (const config of compiled.configs) {
      const views = proxies.get(`${config.namespace}/${config.workload}`)?.views;
      for (const list of lists) {
        const served = views?.[list].all.map((resource) => `${resource.name} ${resource.version}`);
        expect(served, name).toEqual(config[list].map((resource) => `${resource.name} ${versionOf(resource)}`));
        compared += served?.length ?? 0;
      }
    }
  }
  expect(compared).toBeGreaterThan(900);
});

test('a second snapshot sends only what is new, and what is equal stays the same object', async () => {
  const { files, settings } = await readFixture(
    folder,
    fixtureNames(folder).find((name) => /headless/.test(name)) ?? '',
  );
  const compiler = createCompiler({ settings, delivery: 'ads' });
  const sender = new SnapshotSender();
  const receiver = new SnapshotReceiver();
  const take = (texts: typeof files): { lists: number; bodies: number; snapshot: MeshSnapshot } => {
    const compiled = compiler.compile(texts, 'all', new DiagnosticBag());
    if (compiled === undefined) throw new Error('the fixture does not compile');
    const plain = structuredClone(sender.send(compiled, () => false));
    const bodies = plain.lists.flatMap(({ resources }) => resources).filter(({ body }) => body !== undefined).length;
    return { lists: plain.lists.length, bodies, snapshot: receiver.receive(plain) };
  };
  const first = take(files);
  expect(first.bodies).toBeGreaterThan(0);
  const again = take(files);
  expect([again.lists, again.bodies]).toEqual([0, 0]);
  for (const [key, { views }] of first.snapshot.proxies) {
    for (const list of lists) expect(again.snapshot.proxies.get(key)?.views[list]).toBe(views[list]);
  }
});

test('a list that comes back, and a resource that moves into another list, are there again', async () => {
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
