import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type Cluster, startCluster } from '../testing/kubernetes/cluster.ts';
import { adminKubectl, type Kubectl } from '../testing/kubernetes/kubectl.ts';
import { builtProgram } from '../testing/kubernetes/programs.ts';

const run = promisify(execFile);
const meshd = resolve(import.meta.dirname, '../../dist/meshd.js');
const maxBuffer = 64 << 20;
const manifest = async (...flags: string[]): Promise<string> =>
  (await run(process.execPath, [meshd, 'manifest', ...flags], { maxBuffer })).stdout;

interface Installed {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}
interface Generation {
  readonly metadata: { readonly uid: string; readonly generation?: number };
}
const objectsOf = (text: string): Installed[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as Installed | null)
    .filter((object) => object !== null)
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
const keyOf = ({ kind, metadata }: Installed): string => `${kind} ${metadata.name}`;

describe('meshd manifest, on a real API server', () => {
  let cluster: Cluster;
  let kubectl: Kubectl;

  beforeAll(async () => {
    cluster = await startCluster();
    kubectl = await adminKubectl(cluster);
  });
  afterAll(() => cluster?.close());

  test('is taken whole, changes nothing the second time, and stands beside another revision', async () => {
    const text = await manifest();
    const lines = (output: string): string[] => output.trim().split('\n');
    const created = lines(await kubectl(['apply', '-f', '-'], text));
    expect(created).toHaveLength(objectsOf(text).length);
    expect(created.filter((line) => !line.endsWith(' created'))).toEqual([]);
    // kubectl tells of changes where a server adds defaults; objects tell of them by their generation.
    const generations = async () => {
      const { items } = JSON.parse(await kubectl(['get', '-f', '-', '-o', 'json'], text));
      return items.map(({ metadata }: Generation) => [metadata.uid, metadata.generation]);
    };
    const before = await generations();
    await kubectl(['apply', '-f', '-'], text);
    expect(await generations()).toEqual(before);
    const canary = lines(await kubectl(['apply', '-f', '-'], await manifest('--revision', 'canary', '--no-crds')));
    expect(canary.filter((line) => !line.endsWith(' created'))).toEqual(['namespace/mesh-system unchanged']);
  });

  test('is what the chart gives, rendered by helm with the same values', async () => {
    const helm = await builtProgram('helm');
    const chart = join(cluster.folder, 'chart');
    const flags = ['--image', 'registry.example.com/meshd:1', '--replicas', '3', '--revision', 'canary'];
    await manifest(...flags, '--helm', chart);
    const render = async (...more: string[]): Promise<Installed[]> => {
      const args = [
        'template',
        'meshd',
        chart,
        '--namespace',
        'mesh',
        '--include-crds',
        '--kube-version',
        '1.30.0',
        ...more,
      ];
      return objectsOf((await run(helm, args, { maxBuffer, env: { HOME: cluster.folder } })).stdout);
    };
    const without = (objects: Installed[]): Installed[] => objects.filter(({ kind }) => kind !== 'Namespace');
    expect(await render()).toEqual(without(objectsOf(await manifest(...flags, '--namespace', 'mesh'))));
    const values = ['revision=default', 'image=meshd:2', 'replicas=1', 'meshConfig=trustDomain: example.com'];
    expect(await render(...values.flatMap((value) => ['--set', value]))).toEqual(
      without(objectsOf(await manifest('--namespace', 'mesh', '--image', 'meshd:2', '--replicas', '1'))).map(
        (object) =>
          object.kind === 'ConfigMap' ? { ...object, data: { mesh: 'trustDomain: example.com\n' } } : object,
      ),
    );
  });
});
