import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { startTestServer, type TestServer } from '../../testing/http-server.ts';
import { createTokenMint } from '../testing/token-mint.ts';
import { openTokenIssuer } from './token-issuer.ts';

const { keySet } = createTokenMint();

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer(
    (request, response) => {
      const base = `http://127.0.0.1:${server.port}`;
      const document = { issuer: base, jwks_uri: `http://127.0.0.2:${server.port}/keys` };
      response.end(request.url === '/keys' ? keySet : JSON.stringify(document));
    },
    { address: '0.0.0.0' },
  );
});
afterEach(() => server.close());

describe('openTokenIssuer', () => {
  /** How many keys an issuer at 127.0.0.1 has whose keys are at 127.0.0.2. */
  const keysWith = async (allowedHosts: readonly string[], later = allowedHosts): Promise<number> => {
    const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
    const issuer = `http://127.0.0.1:${server.port}`;
    const keys = openTokenIssuer({ issuer, allowedHosts, roots: undefined, log });
    try {
      if (later !== allowedHosts) {
        await keys.keys(false);
        keys.trust({ allowedHosts: later });
        await eventually(async () => expect(await keys.keys(false)).not.toEqual([]));
      }
      return (await keys.keys(false)).length;
    } finally {
      keys.close();
    }
  };

  test('asks an issuer with a private address, because the operator named it', async () => {
    await keysWith([]);
    expect(server.requests.map(({ url }) => url)).toContain('/.well-known/openid-configuration');
  });

  test('fetches keys from another private host only if it is allowed', async () => {
    expect(await keysWith([])).toBe(0);
    expect(await keysWith(['elsewhere'])).toBe(0);
    expect(await keysWith(['elsewhere', '127.0.0.2'])).toBe(1);
    expect(await keysWith([], ['127.0.0.2'])).toBe(1);
  });
});
