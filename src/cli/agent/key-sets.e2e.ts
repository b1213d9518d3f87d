import { chmod } from 'node:fs/promises';
import { describe, expect, type TestContext, test } from 'vitest';
import { standInKid } from '../../compiler/lower/authentication/stand-in.ts';
import { keySetText, publicJwk } from '../../jwks/testing/keys.ts';
import { eventually } from '../../testing/eventually.ts';
import { ProxyProgram } from './testing/proxy-program.ts';
import { denyPath, serviceMesh } from './testing/sample-mesh.ts';

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
    eventually(async () => expect(await proxy.read('listeners.json')).toContain(text));

  test('refuses all tokens while their keys cannot be fetched, and takes the keys over once they can', async (context) => {
    const proxy = await proxyWithTokens(context);
    await proxy.write('mesh.yaml', 'jwksAllowedHosts: [127.0.0.1]\n');
    const prepare = `(until [ -e go ]; do sleep 0.1; done; exec ${keyServer}) &`;
    proxy.start({ args: ['--policies', 'mesh', '--meshConfig', 'mesh.yaml'], prepare });
    await proxy.logged('the keys of issuer "https://issuer.example" are not available');
    await proxy.logged('state=running');
    await untilListeners(proxy, standInKid);
    await proxy.write('go', '');
    await untilListeners(proxy, '\\"kid\\":\\"fetched\\"');
    await eventually(() => expect(proxy.output.match(/configuration in force/g)).toHaveLength(2));
    expect(await proxy.read('listeners.json')).not.toContain(standInKid);
  });

  /** More than the agent's own thread compiles once Envoy runs. */
  const large = `# ${'x'.repeat(100)}\n`.repeat(200);

  test.for<[string, string, string]>([
    ['', '', ''],
    ['; large inputs, which another thread compiles, and another mesh configuration', large, 'trustDomain: other\n'],
  ])('takes new keys over while the inputs are refused as a whole%s', async ([, more, otherSettings], context) => {
    const proxy = await proxyWithTokens(context);
    await proxy.write('mesh/topology.yaml', serviceMesh + more);
    await proxy.write('mesh.yaml', 'jwksAllowedHosts: [127.0.0.1]\n');
    const prepare = `(until [ -e go ]; do sleep 0.1; done; exec ${keyServer}) &`;
    proxy.start({ args: ['--policies', 'mesh', '--meshConfig', 'mesh.yaml'], prepare });
    await proxy.logged('state=running');
    await untilListeners(proxy, standInKid);
    await proxy.write('mesh.yaml', `jwksAllowedHosts: [127.0.0.1]\n${otherSettings}`);
    await proxy.write('mesh/new.yaml', denyPath('/private').replace('DENY', 'DENI'));
    await proxy.logged(/the change is not taken.*DENI/);
    await proxy.write('go', '');
    await proxy.logged('the last valid one with the new keys of token issuers');
    const listeners = await proxy.read('listeners.json');
    expect(listeners).toContain('\\"kid\\":\\"fetched\\"');
    expect(listeners).not.toContain('/private');
    await proxy.write('mesh/new.yaml', denyPath('/private'));
    await untilListeners(proxy, '/private');
  });

  test('counts the fetches that failed and those that did not', async (context) => {
    const proxy = await proxyWithTokens(context);
    await proxy.write('mesh.yaml', 'jwksAllowedHosts: [127.0.0.1]\n');
    const prepare = `(until [ -e go ]; do sleep 0.1; done; exec ${keyServer}) &`;
    proxy.start({ args: ['--policies', 'mesh', '--meshConfig', 'mesh.yaml'], prepare });
    const fetches = (outcome: string): number => {
      const { body } = proxy.curl('http://127.0.0.1:15020/stats/prometheus');
      const [, count] = new RegExp(`^pilot_jwks_resolver_network_fetch_${outcome}_total (\\d+)$`, 'm').exec(body) ?? [];
      return Number(count);
    };
    await eventually(() => expect(fetches('fail')).toBeGreaterThan(0));
    await proxy.write('go', '');
    await eventually(() => expect(fetches('success')).toBe(1));
    expect(fetches('fail')).toBeGreaterThan(0);
    expect(proxy.curl('http://127.0.0.1:15020/stats/../stats/prometheus', '--path-as-is').status).toBe(404);
  });

  test('fetches from those private addresses alone that the mesh configuration allows now, and writes log lines only', async (context) => {
    const proxy = await proxyWithTokens(context);
    const rules = Array.from({ length: 15 }, (_, i) => `{issuer: i${i}, jwksUri: "http://127.0.0.1:8099/${i}"}`);
    await proxy.write('mesh/more-tokens.yaml', tokens.replace('tokens,', 'more,').replace(/\[.*\]/, `[${rules}]`));
    await proxy.write('mesh.yaml', 'jwksAllowedHosts: []\n');
    proxy.start({ args: ['--policies', 'mesh', '--meshConfig', 'mesh.yaml'], prepare: `${keyServer} &` });
    await proxy.logged(/are not available \(.*loopback/);
    await proxy.logged('state=running');
    expect(await proxy.read('listeners.json')).toContain(standInKid);
    await proxy.write('mesh.yaml', 'jwksAllowedHosts: [127.0.0.1]\n');
    await untilListeners(proxy, '\\"kid\\":\\"fetched\\"');
    await proxy.write('mesh.yaml', 'jwksAllowedHosts: []\n');
    await proxy.logged(/the keys of an issuer are gone.*loopback/);
    const fetched = async (): Promise<boolean> => (await proxy.read('listeners.json')).includes('fetched');
    await eventually(async () => expect(await fetched()).toBe(false));
    expect(proxy.output).not.toMatch(/Warning: |trace-warnings/);
  });

  test('leaves an issuer on its last valid keys when Envoy refuses new ones, and lets other changes through', async (context) => {
    const proxy = await proxyWithTokens(context);
    const inline = (keySet: string): string =>
      `${tokens.replace('name: tokens', 'name: inline').replace(/issuer: .*}\]/, `issuer: "inline", jwks: '${keySet}'}]`)}`;
    await proxy.write('mesh/inline.yaml', inline(keySetText(await publicJwk('inline-good'))));
    await proxy.write('mesh.yaml', 'jwksAllowedHosts: [127.0.0.1]\n');
    // An Envoy with a fault of its own: it takes no key whose name is "poison".
    const envoy = `#!/bin/sh
for word; do [ "$before" = -c ] && config=$word; before=$word; done
case " $* " in *" --mode validate "*)
  if grep -q 'poison' "$config"; then echo "error initializing configuration '$config': invalid local jwks" >&2; exit 1; fi
esac
exec ${process.cwd()}/.tools/bin/envoy "$@"
`;
    await proxy.write('envoy', envoy);
    await chmod(`${proxy.folder}/envoy`, 0o755);
    proxy.start({
      args: ['--policies', 'mesh', '--meshConfig', 'mesh.yaml', '--proxyBinary', `${proxy.folder}/envoy`],
      prepare: `${keyServer} &`,
    });
    await proxy.logged('state=running');
    await untilListeners(proxy, 'fetched');
    await proxy.write('mesh/inline.yaml', inline(keySetText(await publicJwk('poison'))));
    await proxy.logged('Envoy refuses the key set');
    await proxy.write('mesh/deny.yaml', denyPath('/private'));
    await untilListeners(proxy, '/private');
    await proxy.logged(/configuration in force.*deny|configuration in force.*AuthorizationPolicy/);
    const listeners = await proxy.read('listeners.json');
    expect(listeners).toContain('inline-good');
    expect(listeners).toContain('fetched');
    expect(listeners).not.toContain('poison');
  });
});
