import { readFile, writeFile } from 'node:fs/promises';
import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { startTestServer } from '../../testing/http-server.ts';
import { ControlBench } from '../testing/control-bench.ts';
import { createTestRequest } from '../testing/signing-requests.ts';
import { createTokenMint, type TokenMint } from '../testing/token-mint.ts';

let bench: ControlBench;
beforeEach(async () => {
  bench = await ControlBench.create();
});
afterEach(() => bench.close());

const said = (message: string): Promise<void> =>
  eventually(() => expect(bench.lines.map((line) => line.message)).toContain(message), { interval: 20 });

describe('keys of tokens', () => {
  const ask = async (mint: TokenMint, kid?: string): Promise<string> => {
    const root = await readFile(bench.path('ca/self-signed-root.pem'), 'utf8');
    const token = await mint.mint('foo/httpbin', kid === undefined ? {} : { kid });
    return status[(await bench.call(root, { csr: (await createTestRequest()).csr, token })).code]!;
  };

  test('in a file take effect as soon as they are written, as a JWKS or as PEM; an invalid file changes nothing', async () => {
    await bench.start();
    const [second, third] = [createTokenMint(bench.mint.issuer, 'second'), createTokenMint(bench.mint.issuer, 'third')];
    expect([await ask(bench.mint), await ask(second)]).toEqual(['OK', 'UNAUTHENTICATED']);
    await writeFile(bench.path('keys.json'), second.keySet);
    await eventually(async () => expect(await ask(second)).toBe('OK'));
    expect(await ask(bench.mint)).toBe('UNAUTHENTICATED');
    await writeFile(bench.path('keys.json'), 'broken');
    await said('the keys of tokens stay as they were');
    expect(await ask(second)).toBe('OK');
    await writeFile(bench.path('keys.json'), String(third.publicKey.export({ format: 'pem', type: 'spki' })));
    await eventually(async () => expect(await ask(third)).toBe('OK'));
  });

  test('of an issuer that does not answer cause UNAVAILABLE, not a refusal of the caller', async () => {
    await bench.start((config) => ({
      ...config,
      authority: {
        ...config.authority!,
        tokens: { ...config.authority!.tokens!, issuer: 'http://127.0.0.1:1', keyFile: undefined },
      },
    }));
    expect(await ask(createTokenMint('http://127.0.0.1:1'))).toBe('UNAVAILABLE');
    const reasons = bench.audit().map(({ fields }) => fields.reason);
    expect(reasons).toEqual(['there are no keys to verify tokens with']);
  });

  test('of an issuer are found by discovery, and fetched again when a token names another key', async () => {
    let keySet = '';
    let asked = 0;
    const server = await startTestServer((request, response) => {
      if (request.url === '/keys') asked++;
      response.end(request.url === '/keys' ? keySet : JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` }));
    });
    const issuer = `http://127.0.0.1:${server.port}`;
    const [first, second] = [createTokenMint(issuer), createTokenMint(issuer, 'second')];
    keySet = first.keySet;
    await bench.start((config) => ({
      ...config,
      authority: { ...config.authority!, tokens: { ...config.authority!.tokens!, issuer, keyFile: undefined } },
    }));
    expect([await ask(first), await ask(first)]).toEqual(['OK', 'OK']);
    expect(asked).toBe(1);
    keySet = second.keySet;
    expect(await ask(second)).toBe('OK');
    expect([asked, await ask(first), asked]).toEqual([2, 'UNAUTHENTICATED', 2]);
    await server.close();
    expect(await ask(second)).toBe('OK');
  });
});
