import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { fixturePods } from '../../injection/testing/fixture-pods.ts';
import { run } from '../testing/run-meshpol.ts';

const pod = `apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop}
spec:
  containers:
    # the shop
    - {name: web, image: "shop-web:1.0.0"} # pinned
`;
const namespace = (labels: string): string => `apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: ${labels}}
---
`;

/** Names of all containers of the pod at a path of the only document. */
function containersAt(text: string, path: readonly string[] = []): string[] {
  const spec = [...path, 'spec'].reduce((at, step) => at[step], parse(text));
  return [...(spec.initContainers ?? []), ...spec.containers].map(({ name }: { name: string }) => name);
}

describe('meshpol inject', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'inject-'));
    writeFileSync(join(folder, 'mesh.yaml'), 'injection: {nativeSidecars: true}\n');
    writeFileSync(join(folder, 'log.hbs'), 'spec: {containers: [{name: log, image: {{json image}} }]}\n');
    writeFileSync(join(folder, 'bad.hbs'), 'spec: {{#if}\n');
    writeFileSync(join(folder, 'missing.hbs'), 'spec: {x: {{json nothing}} }\n');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('adds the proxy to a pod, whose comments and quotes stay', async () => {
    const { code, out, error } = await run('inject -', pod);
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(containersAt(out)).toEqual(['mesh-init', 'web', 'mesh-proxy']);
    expect(out).toContain('    # the shop\n    - {name: web, image: "shop-web:1.0.0"} # pinned\n');
  });

  test.each([
    ['apps/v1', 'Deployment', 'spec: {replicas: 2}', 0, /Deployment a is left as it is: it has no spec\.template\n/],
    ['batch/v1', 'CronJob', 'spec: {jobTemplate: ~}', 0, /CronJob a is left as it is: it has no spec\.jobTemplate\n/],
    ['v1', 'Pod', 'status: {}', 0, /Pod a is left as it is: it has no spec\n/],
    ['v1', 'Pod', 'spec: []', 1, /4:7: error: the pod can't get a proxy: spec is a list, expected an object/],
    [
      'apps/v1',
      'Deployment',
      'spec: {template: web}',
      1,
      /4:18: error: .*: spec\.template is a string, expected an obj/,
    ],
  ])('tells of a %s %s that has no pod: %s', async (apiVersion, kind, rest, expected, told) => {
    const object = `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: a}\n${rest}\n`;
    const { code, out, error } = await run('inject -', object);
    expect([code, out, error]).toEqual([expected, expected === 0 ? `---\n${object}` : '', expect.stringMatching(told)]);
  });

  test('prints every other document byte for byte', async () => {
    const other = '---\n# no pod\napiVersion: v1\nkind:   ConfigMap\nmetadata: {name: a}\ndata: {b:   "c"}\n';
    const crd = '---\napiVersion: example.org/v1\nkind: Pod\nmetadata: {name: not-ours}\nspec: {containers: x}\n';
    const { out } = await run('inject -', `${other}${crd}---\n${pod}`);
    expect(out.startsWith(`${other}${crd}---\n`)).toBe(true);
  });

  test.each([
    ['apps/v1', 'Deployment', ['spec', 'template']],
    ['apps/v1', 'ReplicaSet', ['spec', 'template']],
    ['apps/v1', 'DaemonSet', ['spec', 'template']],
    ['apps/v1', 'StatefulSet', ['spec', 'template']],
    ['batch/v1', 'Job', ['spec', 'template']],
    ['batch/v1', 'CronJob', ['spec', 'jobTemplate', 'spec', 'template']],
    ['v1', 'ReplicationController', ['spec', 'template']],
    ['v1', 'PodTemplate', ['template']],
  ])('adds it to the template of %s %s, and names the workload by that', async (apiVersion, kind, path) => {
    const template = path.reduceRight<object>((inner, step) => ({ [step]: inner }), {
      spec: { containers: [{ name: 'web', image: 'b' }] },
    });
    const object = JSON.stringify({ apiVersion, kind, metadata: { name: 'shop' }, ...template });
    const { code, out } = await run('inject -', object);
    expect(code).toBe(0);
    expect(containersAt(out, path)).toEqual(['mesh-init', 'web', 'mesh-proxy']);
    expect(out).toMatch(/MESH_META_WORKLOAD_NAME"?,?\s+"?value"?: "?shop/);
  });

  test('adds it to the items of lists in lists', async () => {
    const list = (items: string): string => `{apiVersion: v1, kind: List, items: [${items}]}`;
    const item = JSON.stringify(parse(pod));
    const { out } = await run('inject -', list(`${list(item)}, ${item}`));
    const { items } = parse(out);
    expect([items[0].items[0], items[1]].map((each) => each.spec.containers.length)).toEqual([2, 2]);
  });

  test('keeps the line ends of Windows', async () => {
    const { code, out } = await run('inject -', pod.replaceAll('\n', '\r\n'));
    expect([code, out.includes('mesh-proxy'), /[^\r]\n/.test(out)]).toEqual([0, true, false]);
  });

  test('says of an object of another kind that its pods stay as they are', async () => {
    const spec = '{template: {spec: {containers: [{name: web, image: a}]}}}';
    const rollout = `apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: web}\nspec: ${spec}\n`;
    const scaled = rollout.replace('Rollout', 'ScaledJob').replace(spec, `{jobTargetRef: ${spec}}`);
    const misspelt = rollout.replace('argoproj.io/v1alpha1', 'apps/v1').replace('Rollout', 'Deploymnt');
    const text = [rollout, scaled, misspelt, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n'].join('---\n');
    const { code, out, error } = await run('inject -', text);
    expect({ code, out }).toEqual({ code: 0, out: `---\n${text}` });
    const reason = (kind: string) =>
      `this command does not know ${kind}; a control plane decides about its pods when they are created`;
    expect(error.split('\n')).toEqual([
      `meshpol: Rollout web is left as it is: ${reason('Rollout of argoproj.io/v1alpha1')}`,
      `meshpol: ScaledJob web is left as it is: ${reason('ScaledJob of argoproj.io/v1alpha1')}`,
      `meshpol: Deploymnt web is left as it is: ${reason('Deploymnt of apps/v1')}`,
      '',
    ]);
    expect((await run('inject --uninject -', text)).error).toBe('');
  });

  test.each(['PodList', 'List'])('refuses an item of a %s that does not say its kind', async (kind) => {
    const item = pod
      .replace(/^apiVersion.*\nkind.*\n/, '')
      .replaceAll(/^/gm, '  ')
      .replace('  ', '- ');
    const { code, out, error } = await run('inject -', `apiVersion: v1\nkind: ${kind}\nitems:\n${item}`);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(error).toContain('-:4:3: error: missing field "apiVersion" in the object [missing-field]');
  });

  test.each([
    ['{mesh-injection: enabled}', '', true],
    ['{}', '', false],
    ['{mesh.io/rev: canary}', '', false],
    ['{mesh.io/rev: canary}', '--revision canary', true],
  ])(
    'decides by the labels %s of the namespace among the inputs with "%s": %s',
    async (labels, options, isInjected) => {
      const { code, out, error } = await run(`inject - ${options}`, namespace(labels) + pod);
      expect(code).toBe(0);
      expect(out.includes('mesh-proxy')).toBe(isInjected);
      expect(error).toMatch(isInjected ? /^$/ : /^meshpol: Pod shop\/web is left as it is: /);
      expect((await run(`inject - --quiet ${options}`, namespace(labels) + pod)).error).toBe('');
    },
  );

  test('takes out what it added, and adds the same again', async () => {
    const text = fixturePods()
      .filter(({ name }) => !/^(refused|templates|settings)\//.test(name))
      .map(({ target }) => `---\n${JSON.stringify(target.pod)}\n`)
      .join('');
    const injected = await run('inject -', text);
    expect(injected.code).toBe(0);
    const back = await run('inject --uninject -', injected.out);
    const valuesOf = (yaml: string): unknown[] => parseAllDocuments(yaml).map((document) => document.toJS());
    expect(valuesOf(back.out)).toEqual(valuesOf(text));
    expect((await run('inject -', injected.out)).out).toBe(injected.out);
  });

  test('writes texts so that other readers of YAML take them for texts', async () => {
    const { out } = await run('inject -', pod.replace('namespace: shop', 'namespace: shop, labels: {version: "1_0"}'));
    expect(out).toContain('service.mesh.io/canonical-revision: "1_0"');
  });

  test('keeps numbers and words as they are written, and lists below their keys', async () => {
    const more = '  a: [0644, 1e3, 0x1F, 12345678901234567890, .5, +5, yes, ~]\n  b:\n  tolerations:\n  - key: x\n';
    const { code, out } = await run('inject -', pod.replace('  containers:', `${more}  containers:`));
    expect(code).toBe(0);
    expect(out).toContain(more);
  });

  test('changes what an alias stands for in one place alone', async () => {
    const anchored = pod.replace('{name: web, namespace: shop}', '&m {name: web, namespace: shop}');
    const text = `${anchored}x: *m # as above\n`;
    const { code, out } = await run('inject -', text);
    expect(code).toBe(0);
    expect(parse(out)).toMatchObject({ x: { name: 'web', namespace: 'shop' }, metadata: { name: 'web' } });
    expect(parse(out).x.labels).toBeUndefined();
    expect(out).toContain('    # the shop\n');
  });

  test('prints nothing where one pod is refused, and says where it is', async () => {
    const bad = pod.replace('namespace: shop', 'namespace: shop, annotations: {sidecar.mesh.io/proxyCPU: much}');
    const { code, out, error } = await run('inject -', `${pod}---\n${bad}`);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(error).toContain('-:11:54: error: annotation "sidecar.mesh.io/proxyCPU" is "much", expected a quantity');
  });

  test('reads the mesh configuration and templates', async () => {
    const named = pod.replace(
      'namespace: shop',
      'namespace: shop, annotations: {inject.mesh.io/templates: "sidecar,log"}',
    );
    const { out } = await run(
      `inject - --meshConfig ${folder}/mesh.yaml --injectionTemplate log=${folder}/log.hbs`,
      named,
    );
    expect(containersAt(out)).toEqual(['mesh-init', 'mesh-proxy', 'web', 'log']);
  });

  test.each([
    ['inject', 2, /no inputs/],
    ['inject - --injectionTemplate log', 2, /Expected NAME=FILE/],
    ['inject - --injectionTemplate a=x --injectionTemplate a=y', 2, /"a" is given twice/],
    ['inject - --injectionTemplate a=/nowhere', 3, /cannot read the template "\/nowhere"/],
    ['inject - --injectionTemplate sidecar=FOLDER/bad.hbs', 1, /injection template "sidecar": Parse error on line 1/],
    ['inject - --injectionTemplate sidecar=FOLDER/missing.hbs', 1, /a value that it places is not there/],
    ['inject - --meshConfig /nowhere', 3, /cannot read the mesh configuration/],
    ['inject /nowhere', 3, /cannot read "\/nowhere"/],
  ])('%s: exit code %d', async (args, code, message) => {
    const answer = await run(args.replace('FOLDER', folder), pod);
    expect(answer).toMatchObject({ code, out: '', error: expect.stringMatching(message) });
  });
});
