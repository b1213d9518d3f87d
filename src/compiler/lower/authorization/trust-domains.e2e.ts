import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type InboundListeners, type InboundPort, startInboundListeners } from '../testing/inbound-listeners.ts';

const own = 'cluster.local';
const alias = 'old.example';
const foreign = 'other.example';
const named = 'ns/b/sa/x';
const neighbour = 'ns/c/sa/y';

/** Values of `principals`, in YAML's flow form, each naming one domain of the mesh, and whom they mean in both. */
const values: Readonly<Record<string, readonly [value: string, meansNeighbour: boolean]>> = {
  'exact, of the mesh': [`${own}/${named}`, false],
  'exact, of the alias': [`${alias}/${named}`, false],
  'prefix, of the mesh': [`"${own}/ns/b/*"`, false],
  'prefix, of the alias': [`"${alias}/ns/b/*"`, false],
  'prefix within the name of the mesh': ['"cluster*"', true],
  'prefix within the name of the alias': ['"old*"', true],
  'wildcard before the account': [`"*/${named}"`, false],
  'wildcard within the name of the mesh': [`"*local/${named}"`, false],
  'wildcard within the name of the alias': [`"*example/${named}"`, false],
  'wildcard for everybody': ['"*"', true],
};

const head = 'apiVersion: security.mesh.io/v1beta1\nmetadata: {name: p, namespace: a}';

const rule = (action: string, value: string): string =>
  `${head}\nkind: AuthorizationPolicy\nspec: {action: ${action}, rules: [{from: [{source: {principals: [${value}]}}]}]}`;

let inbound: InboundListeners;

beforeAll(async () => {
  const rules = Object.entries(values).flatMap(([name, [value]]) =>
    ['ALLOW', 'DENY'].map((action) => [`${action} ${name}`, rule(action, value)] as const),
  );
  const strict = `${head}\nkind: PeerAuthentication\nspec: {mtls: {mode: STRICT}}`;
  const settings = { trustDomainAliases: [alias] };
  inbound = await startInboundListeners({ ...Object.fromEntries(rules), STRICT: strict }, { settings });
});
afterAll(() => inbound?.close());

describe('a workload of a mesh whose trust domain has an alias', () => {
  test.each<[string, string | undefined, InboundPort, boolean]>([
    ['the mesh', own, 'http', true],
    ['the mesh', own, 'tcp', true],
    ['the alias', alias, 'http', true],
    ['the alias', alias, 'tcp', true],
    ['the alias', alias, 'undeclared', true],
    ['another domain', foreign, 'http', false],
    ['another domain', foreign, 'tcp', false],
    ['nobody', undefined, 'http', false],
    ['nobody', undefined, 'tcp', false],
  ])('under STRICT hears clients of %s (%s) on port %s: %s', async (_, trustDomain, port, isHeard) => {
    const client = trustDomain === undefined ? {} : { identity: named, trustDomain };
    const isServed =
      port === 'tcp'
        ? await inbound.echoes('STRICT', port, client)
        : (await inbound.ask('STRICT', port, client)) === 200;
    expect(isServed).toBe(isHeard);
  });

  describe.each(['ALLOW', 'DENY'])('with a principal in %s', (action) => {
    test.each(Object.entries(values))('%s: means the identity by both names of its domain', async (name, meaning) => {
      const [, meansNeighbour] = meaning;
      const gate = `${action} ${name}`;
      const served = (isMeant: boolean): number => (isMeant === (action === 'ALLOW') ? 200 : 403);
      for (const trustDomain of [own, alias]) {
        const seen = [
          await inbound.ask(gate, 'http', { identity: named, trustDomain }),
          await inbound.ask(gate, 'http', { identity: neighbour, trustDomain }),
          await inbound.echoes(gate, 'tcp', { identity: named, trustDomain }),
          await inbound.ask(gate, 'http', {}),
        ];
        expect([trustDomain, ...seen]).toEqual([
          trustDomain,
          served(true),
          served(meansNeighbour),
          action === 'ALLOW',
          served(false),
        ]);
      }
    });
  });
});
