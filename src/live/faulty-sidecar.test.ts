import { describe, expect, test } from 'vitest';
import { objects, serviceMesh } from '../cli/agent/testing/sample-mesh.ts';
import { createCompiler } from '../compiler/compile.ts';
import { defaultSettings } from '../config/defaults.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { ClosingSecrets } from './closing-secrets.ts';
import { compileKept, type KeptCompilation } from './compile-kept.ts';
import type { GoodInputs } from './good-versions.ts';
import { createKeySetGatherer } from './key-sets/gather.ts';
import { FetchedKeySets } from './key-sets/remote.ts';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined, debug: () => undefined };
const proxy = { namespace: 'foo', name: 'httpbin', ip: undefined, domain: undefined };
const own = 'outbound|8000||httpbin.foo.svc.cluster.local';

const sidecar = (host: string, namespace = 'foo', name = 'default'): string => `apiVersion: networking.mesh.io/v1
kind: Sidecar
metadata: {name: ${name}, namespace: ${namespace}}
spec: {egress: [{hosts: ["${host}"]}]}
`;

/** Compiles call after call for one proxy, as its agent does. */
function kept(): (...sidecars: readonly string[]) => Promise<KeptCompilation> {
  const compiling = {
    ...{ proxy, settings: defaultSettings, compiler: createCompiler({ settings: defaultSettings }) },
    ...{
      rootBefore: undefined,
      gatherer: createKeySetGatherer([], new FetchedKeySets({ allowedHosts: [], log: log as never })),
    },
    closing: new ClosingSecrets(proxy.namespace, undefined),
  };
  let good: GoodInputs | undefined;
  return async (...sidecars) => {
    const files = [{ path: 'mesh.yaml', text: objects(serviceMesh, ...sidecars) }];
    const result = await compileKept(files, new DiagnosticBag(), good, compiling);
    if (result.value !== undefined) good = { files: result.files, objects: result.value.objects };
    return result;
  };
}

function clustersOf({ value }: KeptCompilation): readonly string[] | undefined {
  return value?.compilation.configs[0]?.clusters.map(({ name }) => name).filter((name) => name.startsWith('outbound'));
}

describe('a Sidecar that becomes invalid', () => {
  test('stays in its last valid version, so that nothing is opened and nothing is lost', async () => {
    const compile = kept();
    expect(clustersOf(await compile())).toContain(own);
    expect(clustersOf(await compile(sidecar('~/*')))).toEqual([]);
    const held = await compile(sidecar('no slash'));
    expect(clustersOf(held)).toEqual([]);
    expect(held.objects).toMatchObject([{ kind: 'Sidecar', namespace: 'foo', name: 'default' }]);
    expect(clustersOf(await compile(sidecar('./*')))).toContain(own);
  });

  test('and never was valid starts no proxy that it may hold for, and all others', async () => {
    expect(clustersOf(await kept()(sidecar('no slash')))).toBeUndefined();
    expect(clustersOf(await kept()(sidecar('no slash', 'mesh-system')))).toBeUndefined();
    expect(clustersOf(await kept()(sidecar('no slash', 'bar')))).toContain(own);
  });
});
