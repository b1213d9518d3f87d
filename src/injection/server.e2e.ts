import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../cli/testing/run-meshpol.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { JsonObject } from '../source/document.ts';
import { eventually } from '../testing/eventually.ts';
import { type Cluster, startCluster, usualControllers } from '../testing/kubernetes/cluster.ts';
import { adminKubectl } from '../testing/kubernetes/kubectl.ts';
import { inject } from './inject.ts';
import { patch } from './patch.ts';
import type { PodObject } from './pod.ts';
import { withoutInjection } from './status.ts';
import { fixturePods } from './testing/fixture-pods.ts';

const pods = fixturePods().flatMap(({ name, target, settings }) => {
  const injection = inject(target, settings);
  return injection.kind === 'injected' ? [{ name, target, settings, pod: injection.pod }] : [];
});
const inShop = '/api/v1/namespaces/shop';

describe('injected pods on an API server', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await startCluster({ controllers: usualControllers });
    await cluster.api.must('POST', '/api/v1/namespaces', { metadata: { name: 'shop' } });
    await cluster.api.must('POST', `${inShop}/serviceaccounts`, { metadata: { name: 'web' } });
    const account = `${inShop}/serviceaccounts/default`;
    await eventually(async () => expect((await cluster.api.ask('GET', account)).status).toBe(200));
  });
  afterAll(() => cluster?.close());

  test.each(pods)('$name is taken, with every field known', async ({ pod }) => {
    const answer = await cluster.api.ask('POST', `${inShop}/pods?dryRun=All&fieldValidation=Strict`, pod);
    expect(answer).toMatchObject({ status: 201 });
  });

  // A template of pods can be changed, as a pod cannot; the server fills in its defaults in both before they are injected.
  test.each(pods)('$name is what the server makes of the patch, and is taken back to what it was', async (given) => {
    const { name, target, settings } = given;
    const path = `${inShop}/podtemplates/${name.replace('/', '-')}`;
    const post = async (pod: PodObject, suffix: string): Promise<PodObject> => {
      const object = { metadata: { name: name.replace('/', '-') + suffix }, template: pod };
      return (await cluster.api.must('POST', `${inShop}/podtemplates`, object)).template;
    };
    const original = await post(target.pod, '');
    const injection = inject({ ...target, pod: original }, settings);
    if (injection.kind !== 'injected') throw new Error(`${name} is not injected`);
    const operations = patch(original, injection.pod).map((each) => ({ ...each, path: `/template${each.path}` }));
    const { template } = await cluster.api.must('PATCH', path, operations, 'application/json-patch+json');
    expect(template).toEqual(await post(injection.pod, '-wanted'));
    expect(withoutInjection(template, new DiagnosticBag())).toEqual(original);
    expect(inject({ ...target, pod: template }, settings)).toMatchObject({ kind: 'injected', pod: injection.pod });
  });

  test('kubectl reads what meshpol inject prints as it is meant, and the server takes it', async () => {
    const kubectl = await adminKubectl(cluster);
    const texts = pods.map(({ target }) => {
      const { metadata, ...pod } = target.pod;
      return `---\n${JSON.stringify({ ...pod, metadata: { ...(metadata as object), namespace: 'shop' } })}\n`;
    });
    const mesh = join(cluster.folder, 'mesh.yaml');
    // Words that are no texts for readers of YAML 1.1.
    await writeFile(
      mesh,
      `defaultConfig: {proxyMetadata: {A: "on", B: "1_000", C: "12:30:45", D: "0x1F", E: "~", F: "y"}}
${readFileSync('fixtures/injection/templates/mesh-config.yaml', 'utf8')}`,
    );
    const template = 'logging=fixtures/injection/templates/logging.yaml.hbs';
    const args = `inject - --meshConfig ${mesh} --injectionTemplate ${template}`;
    const { code, out } = await run(args, texts.join(''));
    expect(code).toBe(0);
    const answer = await kubectl(['create', '--dry-run=server', '--validate=strict', '-o', 'json', '-f', '-'], out);
    // It prints one object after the other.
    const items = JSON.parse(`[${answer.replace(/^\}\n\{/gm, '},{')}]`) as readonly { readonly spec: JsonObject }[];
    expect(items.length).toBe(pods.length);
    const proxies = items.flatMap(({ spec }) => [spec.containers, spec.initContainers ?? []].flat() as JsonObject[]);
    const variables = proxies
      .filter(({ name }) => name === 'mesh-proxy')
      .map(({ env }) => env as readonly JsonObject[]);
    const values = Object.entries({ A: 'on', B: '1_000', C: '12:30:45', D: '0x1F', E: '~', F: 'y' });
    for (const env of variables) {
      // One pod has a ProxyConfig of its own, of which proxyMetadata is merged by key.
      expect(env).toEqual(expect.arrayContaining(values.map(([name, value]) => ({ name, value }))));
    }
    expect(variables.length).toBe(pods.length - 1);
  });
});
