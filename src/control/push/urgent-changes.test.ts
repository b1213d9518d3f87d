import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { denyPath, httpbinPod, namespace, objects } from '../../cli/agent/testing/sample-mesh.ts';
import { FilesRegistry } from '../registry/files.ts';
import type { FromCompiler } from './compile-messages.ts';
import { CompiledMesh } from './compiled-mesh.ts';
import { urgentMs } from './debounce.ts';

const service = (address: number): string => `apiVersion: v1
kind: Service
metadata: {name: httpbin, namespace: foo}
spec: {clusterIP: 10.96.0.${address}, ports: [{name: http, port: 80}]}
`;

/** Longer than anybody would wait who has taken access away. */
const debounce = { afterMs: 10_000, maxMs: 60_000 };

describe('a mesh with a long debounce', () => {
  let folder: string;
  let mesh: CompiledMesh;
  let told: FromCompiler[];
  let count: number;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'urgent-'));
    await writeFile(join(folder, 'mesh.yaml'), objects(namespace, httpbinPod()));
    [told, count] = [[], 0];
    // The clock of the debounce stands still unless it is moved: files are read, and the mesh is compiled, in no time.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    mesh = new CompiledMesh(
      {
        ...{ source: { type: 'folder', folder }, settings: { environment: {} } },
        trustDomain: 'cluster.local',
        debounce,
        gathersEndpoints: true,
      },
      undefined,
      {
        registry: new FilesRegistry(folder),
        tell: (message) => void told.push(message),
        keeper: undefined,
        keySets: { fetch: async () => undefined, find: () => ({ reason: 'there are none' }) },
      },
    );
    await mesh.restore(undefined);
    await mesh.look();
    await vi.advanceTimersByTimeAsync(1);
    await compiled();
  });
  afterEach(async () => {
    vi.useRealTimers();
    await rm(folder, { recursive: true });
  });

  const snapshots = (): number => told.filter(({ type }) => type === 'snapshot').length;
  /** A compilation that has begun ends by itself. */
  const compiled = async (): Promise<void> => {
    count += 1;
    for (let i = 0; i < 200_000 && snapshots() < count; i++) await new Promise((resolve) => setImmediate(resolve));
    expect(snapshots()).toBe(count);
  };
  const put = async (name: string, text: string): Promise<void> => {
    await writeFile(join(folder, name), text);
    await mesh.look();
  };
  /** Services change every 50 ms, for so long. */
  const pass = async (ms: number): Promise<void> => {
    for (let at = 0; at < ms; at += 50) {
      await put('service.yaml', service(at / 50));
      await vi.advanceTimersByTimeAsync(50);
    }
  };

  test.each([
    ['a rule that denies', denyPath('/secret')],
    ['a rule that does not parse', denyPath('/secret').replace('rules:', 'rules: [')],
    [
      'a mode of mutual TLS',
      'apiVersion: security.mesh.io/v1\nkind: PeerAuthentication\nmetadata: {name: p, namespace: foo}\nspec: {mtls: {mode: STRICT}}\n',
    ],
    [
      'a Gateway of the Gateway API, for which there may be policies',
      'apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {name: g}\nspec: {}\n',
    ],
    [
      'a ReferenceGrant',
      'apiVersion: gateway.networking.k8s.io/v1\nkind: ReferenceGrant\nmetadata: {name: g}\nspec: {}\n',
    ],
  ])(`compiles %s within ${urgentMs} ms, though other objects never stop to change`, async (_name, text) => {
    await pass(1_000);
    expect(snapshots()).toBe(count);
    await put('rule.yaml', text);
    await pass(urgentMs);
    await compiled();
    await rm(join(folder, 'rule.yaml'));
    await mesh.look();
    await pass(urgentMs);
    await compiled();
  });

  test('gathers all other changes for as long as is set', async () => {
    await pass(2_000);
    await vi.advanceTimersByTimeAsync(debounce.afterMs - 100);
    expect(snapshots()).toBe(count);
    await vi.advanceTimersByTimeAsync(200);
    await compiled();
  });
});
