import { beforeEach, describe, expect, test } from 'vitest';
import { createCompiler } from '../compiler/compile.ts';
import type { EnvoyConfig } from '../compiler/render/resource.ts';
import { defaultSettings } from '../config/defaults.ts';
import type { SourceFile } from '../source/document.ts';
import { Fleet } from './fleet.ts';
import type { FleetOutcome, ProxyOutcome } from './fleet-outcome.ts';
import { createKeySetGatherer } from './key-sets/gather.ts';

const workload = (namespace: string, address: string, rest = ''): string => `apiVersion: v1
kind: Pod
metadata: {name: web, namespace: ${namespace}, labels: {app: web}${rest}}
spec: {containers: [{name: app}, {name: mesh-proxy}]}
status: {podIP: ${address}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: ${namespace}}
spec: {selector: {app: web}, clusterIP: 10.96.0.${address.slice(-1)}, ports: [{name: http, port: 80}]}
`;
const authorization = (name: string, path: string, { action = 'DENY', app = '' } = {}): string => {
  const [namespace, own] = name.split('/');
  const selector = app === '' ? '' : `selector: {matchLabels: {app: ${app}}}, `;
  return `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: ${own}, namespace: ${namespace}}
spec: {${selector}action: ${action}, rules: [{to: [{operation: {paths: [${path}]}}]}]}
`;
};
const peers = (name: string, mode: string): string => {
  const [namespace, own] = name.split('/');
  return `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: ${own}, namespace: ${namespace}}
spec: {mtls: {mode: ${mode}}}
`;
};
const mesh = ['a', 'b', 'c'].map((namespace, i) => workload(namespace, `10.0.0.${i + 1}`)).join('---\n');

/** What a proxy refuses, by its paths; `*` when it lets nothing through. */
function denied(config: EnvoyConfig): readonly string[] {
  const text = config.listeners.map((listener) => listener.text).join();
  if (text.includes('virtualInbound-denied')) return ['*'];
  return [...new Set(text.match(/"exact": "\/[a-z0-9]+"/g) ?? [])].map((found) => found.slice(10, -1)).sort();
}

function formOf(outcome: ProxyOutcome): string {
  const paths = (config: EnvoyConfig): string => denied(config).join(' ');
  const faults = outcome.faults.map(({ object, file, line, heldSince }) => {
    const name = object === undefined ? '?' : `${object.namespace}/${object.name}`;
    return `${name} ${file}:${line}${heldSince === undefined ? '' : ` as of ${heldSince}`}`;
  });
  const why = [...new Set(faults)].sort().join(', ');
  if ('config' in outcome) return [paths(outcome.config), why].filter((it) => it !== '').join(' | ');
  return `frozen since ${outcome.since}: ${paths(outcome.frozen)} | ${why}`;
}

function formsOf({ outcomes }: FleetOutcome): Readonly<Record<string, string>> {
  return Object.fromEntries([...outcomes].sort().map(([key, outcome]) => [key.replace('/web', ''), formOf(outcome)]));
}

const newFleet = (): Fleet =>
  new Fleet({
    settings: defaultSettings,
    createCompiler: () => createCompiler({ settings: defaultSettings }),
    gatherer: createKeySetGatherer([]),
  });

/** A fleet that is given texts, of which each version is named after its number. */
class Given {
  #fleet = newFleet();
  readonly #isHandedOver: boolean;
  #count = 0;

  /** With `isHandedOver`, each version is taken by another fleet, which knows what the one before had in force. */
  constructor(isHandedOver: boolean) {
    this.#isHandedOver = isHandedOver;
  }

  async take(texts: Readonly<Record<string, string>>): Promise<FleetOutcome> {
    const files: SourceFile[] = Object.entries({ 'mesh.yaml': mesh, ...texts }).map(([path, text]) => ({ path, text }));
    // Another program's file.
    files.push({ path: 'values.yaml', text: '- text\n', isFound: true });
    const { state } = this.#fleet;
    if (this.#isHandedOver && state !== undefined) {
      this.#fleet = newFleet();
      await this.#fleet.restore(structuredClone(state));
    }
    return this.#fleet.take(files, `v${++this.#count}`);
  }
}

describe.each([
  ['a fleet', false],
  ['a fleet that takes the place of another one before each version', true],
])('%s', (_name, isHandedOver) => {
  const first = { 'a.yaml': authorization('a/one', '/a'), 'b.yaml': authorization('b/one', '/b') };
  let fleet: Given;
  beforeEach(async () => {
    fleet = new Given(isHandedOver);
    expect(formsOf(await fleet.take(first))).toEqual({ a: '/a', b: '/b', c: '' });
  });
  const changed = async (texts: Readonly<Record<string, string>>) => formsOf(await fleet.take({ ...first, ...texts }));

  test('holds a faulty version of an object, tells it to those that it may concern, and takes the other changes', async () => {
    const faulty = {
      'a.yaml': authorization('a/one', '/x', { action: 'DENI' }),
      'b.yaml': authorization('b/one', '/y'),
    };
    expect(await changed(faulty)).toEqual({ a: '/a | a/one a.yaml:1 as of v1', b: '/y', c: '' });
    expect(await changed(faulty)).toEqual({ a: '/a | a/one a.yaml:1 as of v1', b: '/y', c: '' });
    expect(await changed({ 'a.yaml': authorization('a/one', '/x') })).toEqual({ a: '/x', b: '/b', c: '' });
  });

  test('freezes those alone that an object selects that was never good', async () => {
    const wrong = authorization('a/two', '/a2', { action: 'DENI' });
    const forms = await changed({ 'two.yaml': wrong, 'b.yaml': authorization('b/one', '/y') });
    expect(forms).toEqual({ a: 'frozen since v1: /a | a/two two.yaml:1', b: '/y', c: '' });
    const other = authorization('a/two', '/a2', { action: 'DENI', app: 'other' });
    expect(await changed({ 'two.yaml': other })).toEqual({ a: '/a', b: '/b', c: '' });
  });

  test('freezes everybody for an object of the root namespace, and for what nobody can read', async () => {
    const root = await changed({ 'root.yaml': authorization('mesh-system/all', '/r', { action: 'DENI' }) });
    expect(Object.values(root).every((form) => form.startsWith('frozen since v1'))).toBe(true);
    const torn = await changed({ 'torn.yaml': 'kind: [AuthorizationPolicy' });
    expect(torn).toEqual({
      a: 'frozen since v1: /a | ? torn.yaml:1',
      b: 'frozen since v1: /b | ? torn.yaml:1',
      c: 'frozen since v1:  | ? torn.yaml:1',
    });
  });

  test('does not open what a policy closed that got another name and became faulty', async () => {
    const forms = await changed({ 'a.yaml': authorization('a/renamed', '/a', { action: 'DENI' }) });
    expect(forms).toEqual({ a: 'frozen since v1: /a | a/renamed a.yaml:1', b: '/b', c: '' });
  });

  test('lets a frozen proxy have what denies anew, beside what it denied, and nothing else of the policies', async () => {
    const wrong = { 'wrong.yaml': authorization('a/wrong', '/w', { action: 'DENI' }) };
    const added = { ...wrong, 'new.yaml': authorization('a/new', '/new') };
    expect(await changed(added)).toMatchObject({ a: 'frozen since v1: /a /new | a/wrong wrong.yaml:1' });
    const both = { ...wrong, 'a.yaml': authorization('a/one', '/other') };
    expect(await changed(both)).toMatchObject({ a: 'frozen since v1: /a /other | a/wrong wrong.yaml:1' });
    const { 'a.yaml': _gone, ...rest } = first;
    const deleted = await fleet.take({ ...rest, ...wrong });
    expect(formsOf(deleted)).toMatchObject({ a: 'frozen since v1: /a | a/wrong wrong.yaml:1' });
  });

  test('lets a frozen proxy have endpoints as they are now', async () => {
    const wrong = { 'wrong.yaml': authorization('a/wrong', '/w', { action: 'DENI' }) };
    const { outcomes } = await fleet.take({ ...first, ...wrong, 'd.yaml': workload('d', '10.0.0.4') });
    const outcome = outcomes.get('a/web');
    if (outcome === undefined || !('frozen' in outcome)) throw new Error('not frozen');
    expect(outcome.frozen.clusters.map(({ name }) => name)).toContain('outbound|80||web.d.svc.cluster.local');
  });

  test('keeps the policies of a frozen proxy that stood in a list, and holds one that becomes faulty in it', async () => {
    const list = (...objects: readonly string[]): string => {
      const items = objects.map((text) => `- ${text.trimEnd().replaceAll('\n', '\n  ')}\n`);
      return `apiVersion: v1\nkind: List\nitems:\n${items.join('')}`;
    };
    const two = [authorization('c/one', '/1'), authorization('c/two', '/2')] as const;
    expect(await changed({ 'list.yaml': list(...two) })).toMatchObject({ c: '/1 /2' });
    const wrong = { 'list.yaml': list(...two), 'wrong.yaml': authorization('c/wrong', '/w', { action: 'DENI' }) };
    for (let i = 0; i < 2; i++) {
      expect(await changed(wrong)).toMatchObject({ a: '/a', c: 'frozen since v2: /1 /2 | c/wrong wrong.yaml:1' });
    }
    const faulty = list(two[0], authorization('c/two', '/3', { action: 'DENI' }));
    expect(await changed({ 'list.yaml': faulty })).toMatchObject({ a: '/a', c: expect.stringMatching(/^\/1 \/2 \|/) });
  });

  test('goes on when the faulty object is deleted', async () => {
    await changed({ 'two.yaml': authorization('a/two', '/a2', { action: 'DENI' }) });
    expect(await changed({})).toEqual({ a: '/a', b: '/b', c: '' });
    await changed({ 'a.yaml': authorization('a/one', '/x', { action: 'DENI' }) });
    const { 'a.yaml': _gone, ...rest } = first;
    expect(formsOf(await fleet.take(rest))).toEqual({ a: '', b: '/b', c: '' });
  });

  test('gives a starting proxy what lets nothing through, and nobody else', async () => {
    const wrong = authorization('d/two', '/d', { action: 'DENI' });
    const forms = await changed({ 'd.yaml': workload('d', '10.0.0.4'), 'two.yaml': wrong });
    expect(forms).toEqual({ a: '/a', b: '/b', c: '', d: 'frozen since undefined: * | d/two two.yaml:1' });
    expect(await changed({ 'd.yaml': workload('d', '10.0.0.4'), 'two.yaml': wrong })).toEqual(forms);
    expect(await changed({ 'd.yaml': workload('d', '10.0.0.4') })).toEqual({ a: '/a', b: '/b', c: '', d: '' });
  });

  test('freezes whom one of two objects of one name may select, and keeps the one that was there', async () => {
    const copy = await changed({ 'copy.yaml': authorization('a/one', '/copy') });
    expect(copy).toMatchObject({ b: '/b', c: '' });
    expect(copy.a).toMatch(/^frozen since v1: \/a \| .*a\/one copy.yaml:1/);
    const twice = { 'd.yaml': authorization('c/new', '/1'), 'e.yaml': authorization('c/new', '/2') };
    expect(await changed(twice)).toEqual({
      ...{ a: '/a', b: '/b' },
      c: 'frozen since v2:  | c/new d.yaml:1, c/new e.yaml:1',
    });
  });

  test('holds a faulty PeerAuthentication; of a new one, nobody sends in plaintext to those that it selects', async () => {
    const toB = async (texts: Readonly<Record<string, string>>): Promise<string> => {
      const { outcomes } = await fleet.take({
        ...first,
        'mode.yaml': peers('mesh-system/default', 'DISABLE'),
        ...texts,
      });
      const outcome = outcomes.get('a/web');
      if (outcome === undefined || !('config' in outcome)) throw new Error('a is frozen');
      return String(outcome.config.clusters.find(({ name }) => name.endsWith('||web.b.svc.cluster.local'))?.text);
    };
    expect(await toB({})).not.toContain('tls_certificate_sds_secret_configs');
    expect(await toB({ 'peer.yaml': peers('b/default', 'STRICKT') })).toContain('tls_certificate_sds_secret_configs');
    const { outcomes } = await fleet.take({ ...first, 'peer.yaml': peers('b/default', 'STRICKT') });
    expect(formOf(outcomes.get('b/web') as ProxyOutcome)).toBe('frozen since v2: /b | b/default peer.yaml:1');
  });

  test('freezes who sees an unchanged VirtualService whose destination was deleted', async () => {
    const route = `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: to-d, namespace: a}
spec: {hosts: [d.test], exportTo: [.], http: [{route: [{destination: {host: web.d.svc.cluster.local}}]}]}
`;
    const before = { 'route.yaml': route, 'd.yaml': workload('d', '10.0.0.4') };
    expect(await changed(before)).toEqual({ a: '/a', b: '/b', c: '', d: '' });
    expect(await changed({ 'route.yaml': route, 'b.yaml': authorization('b/one', '/y') })).toEqual({
      a: 'frozen since v2: /a | a/to-d route.yaml:1',
      ...{ b: '/y', c: '' },
    });
  });

  test('freezes one proxy alone whose own workload cannot be configured', async () => {
    const annotated = (text: string): string =>
      workload('d', '10.0.0.4', `, annotations: {proxy.mesh.io/config: '${text}'}`).replace(
        '{name: mesh-proxy}',
        '{name: mesh-proxy, args: [proxy, router]}',
      );
    const good = annotated('gatewayTopology: {numTrustedProxies: 1}');
    const wrong = annotated('gatewayTopology: {numTrustedProxies: many}');
    const told = { code: 'invalid-proxy-config', span: { file: 'd.yaml' } };
    const starting = await fleet.take({ ...first, 'd.yaml': wrong });
    expect(starting.outcomes.get('d/web')).toMatchObject({ isDenying: true, faults: [{ errors: [told] }] });
    expect(formsOf(starting)).toMatchObject({ a: '/a', b: '/b', c: '' });
    expect(formsOf(await fleet.take({ ...first, 'd.yaml': good }))).toMatchObject({ a: '/a', d: '' });
    const running = await fleet.take({ ...first, 'd.yaml': wrong });
    expect(running.outcomes.get('d/web')).toMatchObject({
      isDenying: false,
      since: 'v3',
      faults: [{ errors: [told] }],
    });
  });

  test('says whose access rules may be others: whom a changed rule selected or selects, who has other labels, and who is frozen or was', async () => {
    const touchedBy = async (texts: Readonly<Record<string, string>>, all = mesh): Promise<string> => {
      const { touched } = await fleet.take({ ...first, 'mesh.yaml': all, ...texts });
      return touched === 'all' ? touched : [...touched].sort().join(' ').replaceAll('/web', '');
    };
    expect(await touchedBy({})).toBe('');
    // The same object in other words.
    expect(await touchedBy({ 'a.yaml': `# text\n${authorization('a/one', '/a')}` })).toBe('');
    expect(await touchedBy({ 'a.yaml': authorization('a/one', '/x') })).toBe('a');
    expect(
      await touchedBy({ 'a.yaml': authorization('a/one', '/x'), 'd.yaml': authorization('b/d', '/d', { app: 'x' }) }),
    ).toBe('');
    const labelled = mesh.replace('namespace: c, labels: {app: web', 'namespace: c, labels: {app: web, more: x');
    expect(await touchedBy({}, labelled)).toBe('a c');
    expect(await touchedBy({ 'e.yaml': authorization('mesh-system/all', '/e') }, labelled)).toBe('all');
    expect(await touchedBy({ 'e.yaml': authorization('mesh-system/all', '/f') }, labelled)).toBe('a b c');
    const wrong = {
      'e.yaml': authorization('mesh-system/all', '/f'),
      'w.yaml': authorization('b/w', '/w', { action: 'DENI' }),
    };
    expect(await touchedBy(wrong, labelled)).toBe('b');
    expect(await touchedBy({ 'e.yaml': wrong['e.yaml'] }, labelled)).toBe('b');
    expect(await touchedBy({ 'e.yaml': wrong['e.yaml'] }, labelled)).toBe('');
  });

  test('says of everything that nobody can blame an object for that all are frozen', async () => {
    const { outcomes, diagnostics } = await fleet.take({ 'mesh.yaml': '' });
    expect(diagnostics.map(({ code }) => code)).toContain('emptied-file');
    expect([...outcomes.values()].map(formOf)).toHaveLength(3);
  });
});

describe('a fleet with keys of token issuers', () => {
  const tokens = (namespace: string, issuer: string): string => `apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: tokens, namespace: ${namespace}}
spec: {jwtRules: [{issuer: "${issuer}", jwksUri: "https://${issuer}/keys"}]}
`;
  /** What each question asked for. */
  let asked: (string | undefined)[][];
  let keys: Readonly<Record<string, string>>;
  let fleet: Fleet;
  const remote = {
    fetch: async (rules: readonly { readonly issuer?: string }[]) => void asked.push(rules.map(({ issuer }) => issuer)),
    find: ({ issuer = '' }: { readonly issuer?: string }) => {
      const text = keys[issuer];
      return text === undefined ? { reason: 'nobody answers' } : { text };
    },
  };
  const take = async (texts: Readonly<Record<string, string>>, version: string): Promise<string> => {
    asked = [];
    const files = Object.entries(texts).map(([path, text]) => ({ path, text }));
    const outcome = (await fleet.take(files, version)).outcomes.get('a/web');
    if (outcome === undefined) return '';
    return ('config' in outcome ? outcome.config : outcome.frozen).listeners.map(({ text }) => text).join();
  };
  beforeEach(() => {
    keys = { one: '{"keys":[{"kid":"key-one"}]}', two: '{"keys":[{"kid":"key-two"}]}' };
    fleet = new Fleet({
      settings: defaultSettings,
      createCompiler: () => createCompiler({ settings: defaultSettings }),
      gatherer: createKeySetGatherer([], remote),
    });
  });

  test('lets withdrawn keys count no more, though nothing of the inputs can be used', async () => {
    expect(await take({ 'mesh.yaml': mesh, 'a.yaml': tokens('a', 'one') }, 'v1')).toContain('key-one');
    const emptied = { 'mesh.yaml': '', 'a.yaml': tokens('a', 'one') };
    expect(await take(emptied, 'v2')).toContain('key-one');
    keys = {};
    expect(await take(emptied, 'v2')).not.toContain('key-one');
  });

  test('asks for the keys of frozen proxies together with the others, so that nobody waits for them again', async () => {
    await take({ 'mesh.yaml': mesh, 'a.yaml': tokens('a', 'one') }, 'v1');
    const wrong = authorization('a/wrong', '/w', { action: 'DENI' });
    const frozen = { 'mesh.yaml': mesh, 'a.yaml': tokens('a', 'two'), 'wrong.yaml': wrong };
    expect(await take(frozen, 'v2')).toContain('key-one');
    expect(await take(frozen, 'v2')).toContain('key-one');
    expect(asked.map((issuers) => [...new Set(issuers)].sort())).toEqual([
      ['one', 'two'],
      ['one', 'two'],
    ]);
  });
});

describe('a fleet with Secrets of gateways', () => {
  const edge = `apiVersion: v1
kind: Pod
metadata: {name: edge, namespace: a, labels: {app: edge}}
spec: {containers: [{name: mesh-proxy, args: [proxy, router]}]}
status: {podIP: 10.0.0.9}
---
apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: edge, namespace: a}
spec:
  selector: {app: edge}
  servers:
  - {port: {number: 8443, name: https, protocol: HTTPS}, hosts: [shop.example.com], tls: {mode: SIMPLE, credentialName: shop}}
  - {port: {number: 8080, name: http, protocol: HTTP}, hosts: [shop.example.com]}
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: edge, namespace: a}
spec: {hosts: [shop.example.com], gateways: [edge], http: [{directResponse: {status: 200}}]}
`;
  const pem = (label: string): string => `-----BEGIN ${label}-----\nAAAA\n-----END ${label}-----\n`;
  const secret = (label: string): string => {
    const [certificate, key] = [pem('CERTIFICATE'), pem(label)].map(btoa);
    const head = 'apiVersion: v1\nkind: Secret\nmetadata: {name: shop, namespace: a}\n';
    return `${head}data: {tls.crt: ${certificate}, tls.key: ${key}}\n`;
  };
  const good = secret('PRIVATE KEY');
  const locked = secret('ENCRYPTED PRIVATE KEY');

  const outcomeOf = async (...versions: readonly string[]) => {
    const fleet = newFleet();
    let outcome: FleetOutcome | undefined;
    for (const [i, text] of versions.entries())
      outcome = await fleet.take(
        [
          { path: 'mesh.yaml', text: edge },
          { path: 'shop.yaml', text },
        ],
        `v${i}`,
      );
    const proxy = outcome?.outcomes.get('a/edge');
    const config = proxy && ('config' in proxy ? proxy.config : proxy.frozen);
    const kept = fleet.objects.find(({ kind }) => kind === 'Secret')?.document.value;
    return {
      isFrozen: proxy !== undefined && 'frozen' in proxy,
      listeners: config?.listeners.map(({ name }) => name).filter((name) => name.includes('8')),
      faults: proxy?.faults.map(({ object }) => object?.kind),
      isLocked: JSON.stringify(kept).includes(btoa(pem('ENCRYPTED PRIVATE KEY'))),
    };
  };

  test('closes only the server of one that was never good, and the gateway is not frozen', async () => {
    const [closed, open] = [await outcomeOf(locked), await outcomeOf(good)];
    expect(closed).toEqual({ ...open, isLocked: true });
    expect(open).toMatchObject({ isFrozen: false, faults: [], isLocked: false });
    expect(open.listeners).toHaveLength(2);
  });

  test('holds the last good version of one that turns bad, and takes the next good one', async () => {
    expect(await outcomeOf(good, locked)).toMatchObject({ isFrozen: false, faults: ['Secret'], isLocked: false });
    expect(await outcomeOf(locked, good)).toMatchObject({ isFrozen: false, faults: [], isLocked: false });
  });
});
