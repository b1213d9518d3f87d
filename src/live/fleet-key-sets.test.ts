import { beforeEach, describe, expect, test } from 'vitest';
import { createCompiler } from '../compiler/compile.ts';
import { defaultSettings } from '../config/defaults.ts';
import { Fleet } from './fleet.ts';
import { createKeySetGatherer } from './key-sets/gather.ts';
import { authorization, mesh } from './testing/given-fleet.ts';

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
