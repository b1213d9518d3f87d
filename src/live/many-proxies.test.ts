import { beforeEach, describe, expect, test } from 'vitest';
import { type Compiler, createCompiler } from '../compiler/compile.ts';
import { defaultSettings } from '../config/defaults.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { ClosingSecrets } from './closing-secrets.ts';
import { type Compiling, compileKept, type KeptCompilation } from './compile-kept.ts';
import type { GoodInputs } from './good-versions.ts';
import { createKeySetGatherer } from './key-sets/gather.ts';

const workload = (namespace: string, address: string): string => `---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: ${namespace}, labels: {app: web}}
spec: {containers: [{name: app}, {name: mesh-proxy}]}
status: {podIP: ${address}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: ${namespace}}
spec: {selector: {app: web}, clusterIP: None, ports: [{name: http, port: 80}]}
`;
const deny = (namespace: string, path: string, rest = ''): string => `---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: closed, namespace: ${namespace}}
spec: {action: DENY, rules: [{to: [{operation: {paths: [${path}]}}]}]${rest}}
`;
const mesh = ['a', 'b', 'c'].map((namespace, i) => workload(namespace, `10.0.0.${i + 1}`)).join('');

/** Whoever serves many proxies: it has texts, hands out resources, and keeps nothing else. */
class ControlPlane {
  readonly #compiler: Compiler = createCompiler({ settings: defaultSettings });
  readonly #fetched: (readonly (string | undefined)[])[] = [];
  #good: GoodInputs | undefined;
  #inForce: ReadonlyMap<string, readonly string[]> = new Map();

  /** The issuers whose keys were to be at hand, a list a change. */
  get fetched(): readonly (readonly (string | undefined)[])[] {
    return this.#fetched;
  }

  async take(...texts: readonly string[]): Promise<KeptCompilation> {
    const files = texts.map((text, i) => ({ path: `${i}.yaml`, text }));
    const remote = {
      fetch: async (rules: readonly { readonly issuer?: string }[]) => {
        this.#fetched.push(rules.map(({ issuer }) => issuer));
      },
      find: () => ({ reason: 'nobody fetches' }),
    };
    const compiling: Compiling = {
      ...{
        proxy: 'all',
        settings: defaultSettings,
        compiler: this.#compiler,
        rootBefore: undefined,
        closing: new ClosingSecrets(undefined),
      },
      gatherer: createKeySetGatherer([], remote),
    };
    const kept = await compileKept(files, new DiagnosticBag(), this.#good, compiling);
    if (kept.value !== undefined) this.#good = { files: kept.files, objects: kept.value.objects };
    return kept;
  }

  /** Which proxies of a compilation have resources that were not sent to them before, each with those resources. */
  push({ value }: KeptCompilation): Record<string, readonly string[]> {
    const before = this.#inForce;
    const now = new Map(
      value?.compilation.configs.map((it) => [it.namespace, [...it.listeners, ...it.clusters, ...it.routes]]),
    );
    this.#inForce = new Map([...now].map(([proxy, resources]) => [proxy, resources.map(({ text }) => text)]));
    const fresh = [...now].map(([proxy, resources]) => {
      const names = resources.filter(({ text }) => !before.get(proxy)?.includes(text)).map(({ name }) => name);
      return [proxy, names] as const;
    });
    return Object.fromEntries(fresh.filter(([, names]) => names.length > 0));
  }
}

describe('compiling again for all proxies of a mesh', () => {
  let plane: ControlPlane;
  beforeEach(async () => {
    plane = new ControlPlane();
    expect(Object.keys(plane.push(await plane.take(mesh, deny('a', '/a'), deny('b', '/b'))))).toEqual(['a', 'b', 'c']);
  });

  test('gives those resources alone anew that a change touches', async () => {
    const kept = await plane.take(mesh, deny('a', '/other'), deny('b', '/b'));
    expect(plane.push(kept)).toEqual({ a: ['virtualInbound'] });
    expect(plane.push(await plane.take(mesh, deny('a', '/other'), deny('b', '/b')))).toEqual({});
  });

  test('keeps an invalid object of any namespace at its last valid version, and applies the other changes', async () => {
    const kept = await plane.take(mesh, deny('a', '/a', ', nonsense: 1'), deny('b', '/changed'));
    expect(kept.objects).toMatchObject([{ kind: 'AuthorizationPolicy', namespace: 'a', name: 'closed' }]);
    expect(kept.errors.map(({ code }) => code)).toEqual(['unknown-field']);
    expect(plane.push(kept)).toEqual({ b: ['virtualInbound'] });
    const mended = await plane.take(mesh, deny('a', '/mended'), deny('b', '/changed'));
    expect(mended.objects).toEqual([]);
    expect(plane.push(mended)).toEqual({ a: ['virtualInbound'] });
  });

  test('has the keys of every policy in force fetched once', async () => {
    const tokens = (namespace: string, issuer: string) => `---
apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: tokens, namespace: ${namespace}}
spec: {jwtRules: [{issuer: ${issuer}, jwksUri: "https://k.test/${issuer}"}]}
`;
    await plane.take(mesh, tokens('mesh-system', 'all'), tokens('b', 'b'), tokens('nobody', 'nobody'));
    expect(plane.fetched.at(-1)).toEqual(['all', 'b']);
  });
});
