import { beforeEach, describe, expect, test } from 'vitest';
import type { ProxyOutcome } from './fleet-outcome.ts';
import { authorization, formOf, formsOf, GivenFleet, mesh, peers, workload } from './testing/given-fleet.ts';

describe.each([
  ['a fleet', false],
  ['a fleet that takes the place of another one before each version', true],
])('%s', (_name, isHandedOver) => {
  const first = { 'a.yaml': authorization('a/one', '/a'), 'b.yaml': authorization('b/one', '/b') };
  let fleet: GivenFleet;
  beforeEach(async () => {
    fleet = new GivenFleet(isHandedOver);
    expect(formsOf(await fleet.take(first))).toEqual({ a: '/a', b: '/b', c: '' });
  });
  const changed = async (texts: Readonly<Record<string, string>>) => formsOf(await fleet.take({ ...first, ...texts }));

  test('keeps the last valid version of an invalid object, reports it at the proxies that it may concern, and applies the other changes', async () => {
    const faulty = {
      'a.yaml': authorization('a/one', '/x', { action: 'DENI' }),
      'b.yaml': authorization('b/one', '/y'),
    };
    expect(await changed(faulty)).toEqual({ a: '/a | a/one a.yaml:1 as of v1', b: '/y', c: '' });
    expect(await changed(faulty)).toEqual({ a: '/a | a/one a.yaml:1 as of v1', b: '/y', c: '' });
    expect(await changed({ 'a.yaml': authorization('a/one', '/x') })).toEqual({ a: '/x', b: '/b', c: '' });
  });

  test('freezes only the proxies that a never valid object selects', async () => {
    const wrong = authorization('a/two', '/a2', { action: 'DENI' });
    const forms = await changed({ 'two.yaml': wrong, 'b.yaml': authorization('b/one', '/y') });
    expect(forms).toEqual({ a: 'frozen since v1: /a | a/two two.yaml:1', b: '/y', c: '' });
    const other = authorization('a/two', '/a2', { action: 'DENI', app: 'other' });
    expect(await changed({ 'two.yaml': other })).toEqual({ a: '/a', b: '/b', c: '' });
  });

  test('freezes all proxies for an invalid object of the root namespace, and for a document that cannot be parsed', async () => {
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

  test('applies changes again when the invalid object is deleted', async () => {
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

  test('reports all proxies as frozen for an error that belongs to no object', async () => {
    const { outcomes, diagnostics } = await fleet.take({ 'mesh.yaml': '' });
    expect(diagnostics.map(({ code }) => code)).toContain('emptied-file');
    expect([...outcomes.values()].map(formOf)).toHaveLength(3);
  });
});
