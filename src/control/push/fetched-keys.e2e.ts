import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { denyPath, httpbinPod, namespace, objects } from '../../cli/agent/testing/sample-mesh.ts';
import { standInKid } from '../../compiler/lower/authentication/stand-in.ts';
import { keySetText, publicJwk } from '../../jwks/testing/keys.ts';
import { eventually } from '../../testing/eventually.ts';
import { startTestServer, type TestServer } from '../../testing/http-server.ts';
import { type RawStream, ServingBench, textOf } from '../testing/serving-bench.ts';

describe('meshd, with keys of token issuers that are fetched', () => {
  let bench: ServingBench;
  let issuer: TestServer;
  /** Undefined: the issuer does not answer. */
  let keySet: string | undefined;
  beforeEach(async () => {
    keySet = keySetText(await publicJwk('key-one'));
    issuer = await startTestServer((_request, response) => {
      if (keySet !== undefined) response.end(keySet);
    });
    bench = await ServingBench.create();
    await bench.put('mesh.yaml', objects(namespace, httpbinPod()));
    await bench.put('tokens.yaml', tokens('tokens', '/keys'));
    await allow('127.0.0.1');
  });
  afterEach(async () => {
    await bench.close();
    await issuer.close();
  });

  const tokens = (name: string, path: string): string => `apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: ${name}, namespace: foo}
spec: {jwtRules: [{issuer: "https://${name}.example", jwksUri: "http://127.0.0.1:${issuer.port}${path}"}]}
`;
  const allow = (host: string): Promise<void> =>
    writeFile(bench.path('mesh-config.yaml'), `jwksAllowedHosts: [${host}]\n`);
  const start = async (keyRefreshMs: number): Promise<RawStream> => {
    const settings = { environment: {}, meshConfig: { path: bench.path('mesh-config.yaml'), isRequired: true } };
    await bench.start({ compile: { settings }, jwksAllowedHosts: ['127.0.0.1'], keyRefreshMs });
    const stream = bench.open(await bench.identity('foo/httpbin'));
    stream.subscribe('listeners');
    return stream;
  };
  const last = (stream: RawStream): string => textOf(stream.seen.at(-1));
  const shows = (stream: RawStream, expected: string | RegExp): Promise<void> =>
    eventually(() => expect(last(stream)).toMatch(expected));

  test('serves fetched keys, new ones as soon as they are published, and none once they are withdrawn', async () => {
    const stream = await start(50);
    await shows(stream, 'key-one');
    keySet = keySetText(await publicJwk('key-two'));
    await shows(stream, 'key-two');
    const fetched = await bench.metric('pilot_jwks_resolver_network_fetch_success_total');
    expect(Number(fetched)).toBeGreaterThan(1);
    expect(last(stream)).not.toContain('key-one');
    // What the folder says cannot be used as a whole: keys that are withdrawn let nobody through all the same.
    await bench.put('mesh.yaml', '');
    await eventually(() => expect(bench.logged('error')).toContain('mesh.yaml'));
    keySet = '{"keys": []}';
    await shows(stream, standInKid);
    expect(last(stream)).not.toContain('key-two');
  });

  test('serves no keys from a host that the mesh configuration no longer allows', async () => {
    const stream = await start(60_000);
    await shows(stream, 'key-one');
    await allow('elsewhere');
    await shows(stream, standInKid);
    expect(Number(await bench.metric('pilot_jwks_resolver_network_fetch_fail_total'))).toBeGreaterThan(0);
  });

  test('lets no change wait for an issuer that does not answer', async () => {
    const stream = await start(60_000);
    await shows(stream, 'key-one');
    keySet = undefined;
    await bench.put('more.yaml', tokens('hanging', '/other'));
    await bench.put('deny.yaml', denyPath('/private'));
    const began = performance.now();
    await shows(stream, '/private');
    // An issuer is waited for five seconds.
    expect(performance.now() - began).toBeLessThan(4_500);
    expect(last(stream)).toContain('key-one');
    expect(issuer.requests.map(({ url }) => url)).toContain('/other');
  });
});
