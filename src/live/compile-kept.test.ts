import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { objects, serviceMesh } from '../cli/agent/testing/sample-mesh.ts';
import { type Compiler, createCompiler } from '../compiler/compile.ts';
import { defaultSettings } from '../config/defaults.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { keySetText, publicJwk } from '../jwks/testing/keys.ts';
import { startTestServer, type TestServer } from '../testing/http-server.ts';
import { ClosingSecrets } from './closing-secrets.ts';
import { compileKept, type KeptCompilation } from './compile-kept.ts';
import type { GoodInputs } from './good-versions.ts';
import { createKeySetGatherer } from './key-sets/gather.ts';
import { FetchedKeySets } from './key-sets/remote.ts';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined, debug: () => undefined };
const identity = { namespace: 'foo', name: 'httpbin', ip: undefined, domain: undefined };

/** A compiler that counts. */
function countedCompiler(): { readonly compiler: Compiler; readonly calls: string[] } {
  const calls: string[] = [];
  const compiler = createCompiler({ settings: defaultSettings });
  return {
    calls,
    compiler: {
      ...compiler,
      analyse: (...args) => {
        calls.push('analyse');
        return compiler.analyse(...args);
      },
      render: (...args) => {
        calls.push('render');
        return compiler.render(...args);
      },
    },
  };
}

describe('a proxy whose policies want keys that are fetched', () => {
  let server: TestServer;
  let keySets: FetchedKeySets;
  let calls: string[];
  let compile: (text: string) => Promise<KeptCompilation>;

  beforeEach(async () => {
    const text = keySetText(await publicJwk('fetched'));
    server = await startTestServer((_request, response) => response.end(text));
    keySets = new FetchedKeySets({ allowedHosts: ['127.0.0.1'], log: log as never });
    const counted = countedCompiler();
    calls = counted.calls;
    const compiling = {
      ...{ proxy: identity, settings: defaultSettings, compiler: counted.compiler, rootBefore: undefined },
      gatherer: createKeySetGatherer([], keySets),
      closing: new ClosingSecrets(identity.namespace, undefined),
    };
    let good: GoodInputs | undefined;
    compile = async (mesh) => {
      const kept = await compileKept([{ path: 'mesh.yaml', text: mesh }], new DiagnosticBag(), good, compiling);
      if (kept.value !== undefined) good = { files: kept.files, objects: kept.value.objects };
      return kept;
    };
  });
  afterEach(async () => {
    keySets.close();
    await server.close();
  });

  const tokens = (namespace: string, path: string, rest = ''): string => `apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: ${path}, namespace: ${namespace}}
spec: {${rest}jwtRules: [{issuer: ${path}, jwksUri: "http://127.0.0.1:${server.port}/${path}"}]}
`;
  const listenersOf = ({ value, errors }: KeptCompilation): string => {
    if (value === undefined) throw new Error(JSON.stringify(errors));
    return value.compilation.configs.flatMap(({ listeners }) => listeners.map(({ text }) => text)).join('\n');
  };
  const take = async (...policies: string[]): Promise<string> =>
    listenersOf(await compile(objects(serviceMesh, ...policies)));

  test('is analysed once and rendered once for a change, with the keys in it', async () => {
    expect(await take(tokens('foo', 'first'))).toContain('fetched');
    expect(calls.splice(0)).toEqual(['analyse', 'render']);
    await take(tokens('foo', 'first'), tokens('foo', 'second'));
    expect(calls).toEqual(['analyse', 'render']);
    expect(server.requests.map(({ url }) => url)).toEqual(['/first', '/second']);
  });

  test('asks for the keys of its own policies alone', async () => {
    const inline = `apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: inline, namespace: foo}
spec: {jwtRules: [{issuer: inline, jwks: '${keySetText(await publicJwk('inline'))}'}]}
`;
    const elsewhere = tokens('foo', 'other', 'selector: {matchLabels: {app: other}}, ');
    const listeners = await take(
      tokens('bar', 'abroad'),
      elsewhere,
      tokens('foo', 'own'),
      tokens('mesh-system', 'all'),
      inline,
    );
    for (const keys of ['fetched', 'inline']) expect(listeners).toContain(keys);
    expect(server.requests.map(({ url }) => url).sort()).toEqual(['/all', '/own']);
  });

  test('has the keys of a policy that is held, whose new version has an error', async () => {
    await take(tokens('foo', 'first'));
    const kept = await compile(objects(serviceMesh, tokens('foo', 'first').replace('issuer:', 'isuer:')));
    expect(kept.objects).toMatchObject([{ kind: 'RequestAuthentication', name: 'first' }]);
    expect(listenersOf(kept)).toContain('fetched');
    expect(server.requests.map(({ url }) => url)).toEqual(['/first']);
  });
});
