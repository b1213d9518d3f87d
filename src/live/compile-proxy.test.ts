import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { objects, serviceMesh } from '../cli/agent/testing/sample-mesh.ts';
import type { CompileProxy } from '../contracts/compile-result.ts';
import { createCompileProxy } from './compile-proxy.ts';
import { FetchedKeySets } from './key-sets/remote.ts';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined, debug: () => undefined };

const policy = (namespace: string, name = 'nothing', spec = '{}'): string => `apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: ${name}, namespace: ${namespace}}
spec: ${spec}
`;

describe('createCompileProxy', () => {
  let folder: string;
  let compile: CompileProxy;
  const keySets = new FetchedKeySets({ allowedHosts: [], log: log as never, onFetch: () => undefined });
  const write = (text: string): void => writeFileSync(join(folder, 'mesh.yaml'), objects(serviceMesh, text));
  const renew = (rootNamespace?: string, onFigures?: () => void): void => {
    ({ compile } = createCompileProxy({
      settings: { environment: {}, flags: { rootNamespace } },
      policies: [folder],
      watched: [],
      templateFile: undefined,
      identity: { namespace: 'foo', name: 'httpbin', ip: undefined, domain: undefined },
      role: 'sidecar',
      fallbackSecret: '',
      keySets,
      ...(onFigures && { onFigures }),
    }));
  };
  /** Rules of policies in force after the text was written, or what is wrong with it. */
  const take = async (text: string): Promise<readonly string[] | string> => {
    write(text);
    const result = await compile();
    if (!('files' in result)) return 'problems' in result ? result.problems.join('\n') : String(result.failure);
    result.accept?.();
    return [...new Set(result.files.listeners.text.match(/ns\[[\w-]+\]-policy\[[\w-]+\]/g))];
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'compile-proxy-'));
    renew();
  });
  afterEach(() => {
    keySets.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const some = '{action: DENY, rules: [{to: [{operation: {ports: ["8000"]}}]}]}';

  test('the first policy of a root namespace decides which one it is, and a change that alters that is refused', async () => {
    expect(await take('')).toEqual([]);
    expect(await take(policy('istio-system', 'a', some))).toEqual(['ns[istio-system]-policy[a]']);
    expect(await take(policy('mesh-system', 'a', some))).toMatch(
      /"istio-system" since the start.*root-namespace-changed/,
    );
    expect(await take(objects(policy('istio-system', 'a', some), policy('mesh-system', 'b', some)))).toMatch(
      /two-root-namespaces/,
    );
    expect(await take('')).toEqual([]);
    expect(await take(policy('mesh-system', 'a', some))).toMatch(/root-namespace-changed/);
    expect(await take(policy('istio-system', 'b', some))).toEqual(['ns[istio-system]-policy[b]']);
  });

  test('a configuration that is too long for one text is a fault of the inputs, of which the largest is named', async () => {
    // A text of 512 MiB would take minutes; V8 says this of it.
    renew(undefined, () => {
      throw new RangeError('Invalid string length');
    });
    expect(await take('')).toMatch(
      /^the configuration .* longer than the longest text .* \(512 MiB\): make .* fewer or simpler; the input: \S+mesh\.yaml \(\d+ B\)$/,
    );
  });

  test("policies without effect are reported for the proxy's own and the root namespace alone", async () => {
    write(
      objects(
        policy('elsewhere'),
        policy('mesh-system', 'nobody', '{selector: {matchLabels: {app: x}}}'),
        policy('foo', 'wbe', '{selector: {matchLabels: {app: x}}}'),
      ),
    );
    const result = await compile();
    const warnings = 'warnings' in result ? result.warnings.join('\n') : '';
    expect([...warnings.matchAll(/AuthorizationPolicy "([^"]+)"/g)].map(([, name]) => name).sort()).toEqual([
      'foo/wbe',
      'mesh-system/nobody',
    ]);
  });

  test('a route to a service that is not there stops no policy, and is warned of, but not as a change of a valid route', async () => {
    const route = (host: string): string => `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: to-store, namespace: foo}
spec: {hosts: [httpbin.foo.svc.cluster.local], http: [{route: [{destination: {host: ${host}}}]}]}
`;
    /** Clusters of the routes, and what is said of a destination. */
    const tell = async (host: string): Promise<readonly string[]> => {
      write(objects(route(host), policy('foo', 'a', some)));
      const result = await compile();
      if (!('files' in result)) return expect.fail(JSON.stringify(result));
      result.accept?.();
      const routes = [...result.files.routes.values()].map(({ text }) => text).join();
      const clusters = routes.match(/BlackHoleCluster|outbound\|8000[^"]*/g) ?? [];
      const told = [...result.warnings, result.held?.problem].join('\n');
      return [
        ...new Set(clusters),
        ...(told.match(/\d+(?=:\d+: \w+: no service has the host)|(?:missing|unknown)-dest\w+/g) ?? []),
      ];
    };
    const line = String(serviceMesh.split('\n').length + 4);
    expect(await tell('store')).toEqual(['BlackHoleCluster', line, 'missing-destination']);
    expect(await take(objects(route('store'), policy('foo', 'b', some)))).toEqual(['ns[foo]-policy[b]']);
    const own = 'outbound|8000||httpbin.foo.svc.cluster.local';
    expect(await tell('httpbin')).toEqual([own]);
    expect(await tell('htpbin')).toEqual([own, line, 'unknown-destination']);
  });

  test('a faulty policy of a namespace that may be the root is not taken for one of elsewhere', async () => {
    expect(await take(policy('istio-system', 'a', '{action: DENI}'))).toMatch(/unknown-enum-value/);
    renew('policies');
    expect(await take(policy('istio-system', 'a', '{action: DENI}'))).toEqual([]);
  });

  test.each(['Foo', '" foo"', 'foo.'])(
    'a faulty policy of the namespace %s, which is no name, is not taken for one of elsewhere',
    async (namespace) => {
      expect(await take('')).toEqual([]);
      expect(await take(policy(namespace, 'a', some))).toMatch(/invalid-name/);
    },
  );
});
