import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { objects, serviceMesh } from '../cli/agent/testing/sample-mesh.ts';
import { lower } from '../compiler/lower/lower.ts';
import { merge } from '../compiler/merge/merge.ts';
import type { CompileProxy } from '../contracts/compile-result.ts';
import { keySetText, publicJwk } from '../jwks/testing/keys.ts';
import { startTestServer, type TestServer } from '../testing/http-server.ts';
import { createCompileProxy } from './compile-proxy.ts';
import { FetchedKeySets } from './key-sets/remote.ts';

vi.mock('../compiler/merge/merge.ts', { spy: true });
vi.mock('../compiler/lower/lower.ts', { spy: true });

const log = { info: () => undefined, warn: () => undefined, error: () => undefined, debug: () => undefined };

describe('a proxy whose policies want keys that are fetched', () => {
  let folder: string;
  let server: TestServer;
  let keySets: FetchedKeySets;
  let compile: CompileProxy;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'compile-kept-'));
    const text = keySetText(await publicJwk('fetched'));
    server = await startTestServer((_request, response) => response.end(text));
    keySets = new FetchedKeySets({ allowedHosts: ['127.0.0.1'], log: log as never });
    compile = createCompileProxy({
      settings: { environment: {} },
      policies: [folder],
      watched: [],
      templateFile: undefined,
      identity: { namespace: 'foo', name: 'httpbin', ip: undefined, domain: undefined },
      role: 'sidecar',
      fallbackSecret: '',
      keySets,
    });
    vi.mocked(merge).mockClear();
    vi.mocked(lower).mockClear();
  });
  afterEach(async () => {
    keySets.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const tokens = (namespace: string, path: string, rest = ''): string => `apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: ${path}, namespace: ${namespace}}
spec: {${rest}jwtRules: [{issuer: ${path}, jwksUri: "http://127.0.0.1:${server.port}/${path}"}]}
`;
  /** Text of the listeners, or what is wrong. */
  const take = async (...policies: string[]): Promise<string> => {
    writeFileSync(join(folder, 'mesh.yaml'), objects(serviceMesh, ...policies));
    const result = await compile();
    if (!('files' in result)) throw new Error(JSON.stringify(result));
    result.accept?.();
    return result.files.listeners.text;
  };

  test('is analysed once and rendered once for a change, with the keys in it', async () => {
    expect(await take(tokens('foo', 'first'))).toContain('fetched');
    expect(vi.mocked(merge)).toHaveBeenCalledTimes(1);
    expect(vi.mocked(lower)).toHaveBeenCalledTimes(1);
    await take(tokens('foo', 'first'), tokens('foo', 'second'));
    expect(vi.mocked(merge)).toHaveBeenCalledTimes(2);
    expect(vi.mocked(lower)).toHaveBeenCalledTimes(2);
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
    writeFileSync(join(folder, 'mesh.yaml'), objects(serviceMesh, tokens('foo', 'first').replace('issuer:', 'isuer:')));
    const result = await compile();
    if (!('files' in result)) throw new Error(JSON.stringify(result));
    expect(result.held?.objects).toMatchObject([{ kind: 'RequestAuthentication', name: 'first' }]);
    expect(result.files.listeners.text).toContain('fetched');
    expect(server.requests.map(({ url }) => url)).toEqual(['/first']);
  });
});
