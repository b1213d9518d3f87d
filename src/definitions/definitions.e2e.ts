import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../testing/eventually.ts';
import { type Cluster, startCluster } from '../testing/kubernetes/cluster.ts';
import { untilServed } from '../testing/kubernetes/definitions.ts';
import { adminKubectl } from '../testing/kubernetes/kubectl.ts';
import { defineKind } from './define-kind.ts';
import { definedKinds } from './defined-kinds.ts';

const run = promisify(execFile);
const meshd = resolve(import.meta.dirname, '../../dist/meshd.js');

describe('meshd crds, on a real API server', () => {
  let cluster: Cluster;
  let kubectl: (line: string) => Promise<string>;

  beforeAll(async () => {
    cluster = await startCluster();
    const administrator = await adminKubectl(cluster);
    kubectl = (line) => administrator(line.split(' '));
    const { stdout } = await run(process.execPath, [meshd, 'crds'], { maxBuffer: 64 << 20 });
    writeFileSync(join(cluster.folder, 'crds.yaml'), stdout);
    await kubectl(`apply -f ${cluster.folder}/crds.yaml`);
    await Promise.all(definedKinds.map((kind) => untilServed(cluster.api, defineKind(kind))));
  });
  afterAll(() => cluster?.close());

  test('prints structural definitions, which a second apply does not change', async () => {
    const { items } = JSON.parse(await kubectl(`get crd -o json`)) as { readonly items: readonly Definition[] };
    expect(items).toHaveLength(definedKinds.length);
    for (const { status } of items) {
      const conditions = status.conditions.map((condition) => `${condition.type}=${condition.status}`).sort();
      expect(conditions).toEqual(['Established=True', 'NamesAccepted=True']);
      expect(status.storedVersions).toEqual(['v1']);
    }
    const again = await kubectl(`apply -f ${cluster.folder}/crds.yaml`);
    expect(again.trim().split('\n')).toEqual(
      definedKinds.map((kind) => `customresourcedefinition.apiextensions.k8s.io/${nameOf(kind)} unchanged`),
    );
  });

  test('prints the columns of a kind, the labels of its workloads with -o wide, and all kinds of the mesh by one name', async () => {
    await cluster.api.must('POST', '/apis/security.mesh.io/v1/namespaces/default/authorizationpolicies', {
      ...{ apiVersion: 'security.mesh.io/v1', kind: 'AuthorizationPolicy', metadata: { name: 'columns' } },
      spec: { action: 'DENY', selector: { matchLabels: { app: 'web' } }, rules: [{}] },
    });
    await cluster.api.must('PATCH', `${policies}/columns/status`, state, merge);
    const table = async (line: string) =>
      (await kubectl(line))
        .trim()
        .split('\n')
        .map((row) => row.split(/ {2,}/));
    expect(await table('get ap')).toEqual([
      ['NAME', 'ACTION', 'ACCEPTED', 'DISTRIBUTED', 'AGE'],
      ['columns', 'DENY', 'True', 'False', expect.stringMatching(/^\d+s$/)],
    ]);
    expect(await table('get authorizationpolicies -o wide')).toEqual([
      ['NAME', 'ACTION', 'SELECTOR', 'ACCEPTED', 'DISTRIBUTED', 'REASON', 'PROXIES', 'AGE'],
      ['columns', 'DENY', '{"app":"web"}', 'True', 'False', 'Valid', '2/3 proxies', expect.stringMatching(/^\d+s$/)],
    ]);
    expect(await kubectl('get mesh')).toContain('authorizationpolicy.security.mesh.io/columns');
    expect(await kubectl('get mesh-networking')).toBe('');
    expect(await kubectl('explain authorizationpolicy.spec.action')).toContain(
      'ALLOW: only requests that a rule matches are allowed.',
    );
  });

  test('stores an object of an older version as v1, and gives it back in each version', async () => {
    const object = { metadata: { name: 'old' }, spec: { mtls: { mode: 'STRICT' } } };
    await cluster.api.must('POST', '/apis/security.mesh.io/v1alpha3/namespaces/default/peerauthentications', {
      apiVersion: 'security.mesh.io/v1alpha3',
      kind: 'PeerAuthentication',
      ...object,
    });
    for (const version of ['v1alpha3', 'v1beta1', 'v1']) {
      const path = `/apis/security.mesh.io/${version}/namespaces/default/peerauthentications/old`;
      expect(await cluster.api.must('GET', path)).toMatchObject({
        ...{ apiVersion: `security.mesh.io/${version}`, spec: object.spec },
      });
    }
  });

  test('keeps the conditions of several writers apart, and accepts a status only through the subresource', async () => {
    const { api } = cluster;
    const path = `${policies}/state`;
    const policy = { apiVersion: 'security.mesh.io/v1', kind: 'AuthorizationPolicy' };
    await api.must('POST', policies, { ...policy, metadata: { name: 'state' }, spec: {}, ...state });
    expect((await api.must('GET', path)).status).toBeUndefined();
    const apply = (manager: string, type: string, status = 'True') =>
      api.must(
        'PATCH',
        `${path}/status?fieldManager=${manager}`,
        { ...policy, metadata: { name: 'state' }, status: { conditions: [{ type, status }] } },
        'application/apply-patch+yaml',
      );
    await apply('one', 'Accepted');
    await apply('other', 'Reviewed');
    await apply('one', 'Accepted', 'False');
    const { status, metadata } = await api.must('GET', path);
    expect(status.conditions).toEqual([
      { type: 'Accepted', status: 'False' },
      { type: 'Reviewed', status: 'True' },
    ]);
    expect(metadata.generation).toBe(1);
  });

  test('refuses a second writer of a selector with a conflict', async () => {
    const { api } = cluster;
    const rule = { apiVersion: 'networking.mesh.io/v1', kind: 'DestinationRule', metadata: { name: 'owned' } };
    const path = '/apis/networking.mesh.io/v1/namespaces/default/destinationrules/owned';
    const apply = (manager: string, matchLabels: object) =>
      api.ask(
        'PATCH',
        `${path}?fieldManager=${manager}`,
        { ...rule, spec: { host: 'web', workloadSelector: { matchLabels } } },
        'application/apply-patch+yaml',
      );
    expect((await apply('one', { app: 'web' })).status).toBe(201);
    const { status, body } = await apply('other', { version: '1' });
    expect([status, body.details.causes.map(({ field }: { readonly field: string }) => field)]).toEqual([
      409,
      ['.spec.workloadSelector'],
    ]);
  });

  test('drops an unknown field of a writer without validation, unless unknown fields are kept', async () => {
    const { api } = cluster;
    const write = async (name: string) => {
      const object = { apiVersion: 'security.mesh.io/v1', kind: 'AuthorizationPolicy', metadata: { name } };
      const spec = { rules: [{ whenn: [{ key: 'source.ip', values: ['10.0.0.1'] }] }] };
      return (await api.must('POST', policies, { ...object, spec })).spec.rules;
    };
    expect(await write('dropped')).toEqual([{}]);
    const before = await api.must('GET', policies);
    const { stdout } = await run(process.execPath, [meshd, 'crds', 'AuthorizationPolicy', '--keep-unknown-fields']);
    writeFileSync(join(cluster.folder, 'keeping.yaml'), stdout);
    await kubectl(`apply -f ${cluster.folder}/keeping.yaml`);
    let count = 0;
    // The server follows its definitions a moment later.
    await eventually(async () => expect((await write(`kept${count++}`))[0]).toHaveProperty('whenn'));
    // Definitions that differ change in place: no object goes with them.
    const after = await api.must('GET', policies);
    const uids = (list: typeof before): string[] => list.items.map(({ metadata }: typeof before) => metadata.uid);
    expect(uids(after)).toEqual(expect.arrayContaining(uids(before)));
  });
});

const policies = '/apis/security.mesh.io/v1/namespaces/default/authorizationpolicies';
const merge = 'application/merge-patch+json';

interface Definition {
  readonly status: {
    readonly conditions: readonly { readonly type: string; readonly status: string }[];
    readonly storedVersions: readonly string[];
  };
}

function nameOf({ plural, group }: { readonly plural: string; readonly group: string }): string {
  return `${plural}.${group}`;
}

const state = {
  status: {
    conditions: [
      { type: 'Accepted', status: 'True', reason: 'Valid' },
      { type: 'Distributed', status: 'False', reason: 'InProgress', message: '2/3 proxies' },
    ],
  },
};
