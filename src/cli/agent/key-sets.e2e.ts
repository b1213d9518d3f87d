import { describe, expect, type TestContext, test, vi } from 'vitest';
import { standInKid } from '../../compiler/lower/authentication/stand-in.ts';
import { keySetText, publicJwk } from '../../jwks/testing/keys.ts';
import { ProxyProgram } from './testing/proxy-program.ts';
import { serviceMesh } from './testing/sample-mesh.ts';

const tokens = `apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: tokens, namespace: foo}
spec: {jwtRules: [{issuer: "https://issuer.example", jwksUri: "http://127.0.0.1:8099/keys.jwks"}]}
`;

describe.concurrent('pilot-agent proxy', () => {
  /** A mesh whose tokens need a key that is to be fetched. */
  async function proxyWithTokens({ onTestFinished }: TestContext): Promise<ProxyProgram> {
    const proxy = await ProxyProgram.create(serviceMesh);
    onTestFinished(() => proxy.close());
    await proxy.write('mesh/tokens.yaml', tokens);
    await proxy.write('keys.jwks', keySetText(await publicJwk('fetched')));
    return proxy;
  }

  const keyServer = 'python3 -m http.server 8099 --bind 127.0.0.1 >/dev/null 2>&1';
  const untilListeners = (proxy: ProxyProgram, text: string): Promise<void> =>
    vi.waitFor(async () => expect(await proxy.read('listeners.json')).toContain(text), { timeout: 20_000 });

  test('refuses all tokens while their keys cannot be fetched, and takes the keys over once they can', async (context) => {
    const proxy = await proxyWithTokens(context);
    await proxy.write('mesh.yaml', 'jwksAllowedHosts: [127.0.0.1]\n');
    const prepare = `(sleep 5; exec ${keyServer}) &`;
    proxy.start({ args: ['--policies', 'mesh', '--meshConfig', 'mesh.yaml'], prepare });
    await proxy.logged('the keys of "https://issuer.example" are not at hand');
    await proxy.logged('state=running');
    await untilListeners(proxy, standInKid);
    await untilListeners(proxy, '\\"kid\\":\\"fetched\\"');
    await vi.waitFor(() => expect(proxy.output.match(/configuration in force/g)).toHaveLength(2), { timeout: 20_000 });
    expect(await proxy.read('listeners.json')).not.toContain(standInKid);
  });

  test('counts the fetches that failed and those that did not', async (context) => {
    const proxy = await proxyWithTokens(context);
    await proxy.write('mesh.yaml', 'jwksAllowedHosts: [127.0.0.1]\n');
    const prepare = `(sleep 5; exec ${keyServer}) &`;
    proxy.start({ args: ['--policies', 'mesh', '--meshConfig', 'mesh.yaml'], prepare });
    const fetches = (outcome: string): number => {
      const { body } = proxy.curl('http://127.0.0.1:15020/stats/prometheus');
      const [, count] = new RegExp(`^pilot_jwks_resolver_network_fetch_${outcome}_total (\\d+)$`, 'm').exec(body) ?? [];
      return Number(count);
    };
    await vi.waitFor(() => expect(fetches('success')).toBe(1), { timeout: 20_000 });
    expect(fetches('fail')).toBeGreaterThan(0);
    expect(proxy.curl('http://127.0.0.1:15020/stats/../stats/prometheus', '--path-as-is').status).toBe(404);
  });

  test('fetches from no private address that the mesh configuration does not allow, and writes log lines only', async (context) => {
    const proxy = await proxyWithTokens(context);
    const rules = Array.from({ length: 15 }, (_, i) => `{issuer: i${i}, jwksUri: "http://127.0.0.1:8099/${i}"}`);
    await proxy.write('mesh/more-tokens.yaml', tokens.replace('tokens,', 'more,').replace(/\[.*\]/, `[${rules}]`));
    proxy.start({ prepare: `${keyServer} &` });
    await proxy.logged(/are not at hand \(.*loopback/);
    await proxy.logged('state=running');
    expect(await proxy.read('listeners.json')).toContain(standInKid);
    expect(proxy.output).not.toMatch(/Warning: |trace-warnings/);
  });
});
