import { beforeEach, describe, expect, test } from 'vitest';
import { type ConfigurationList, configurationTypes } from '../../xds/aggregated-service.ts';
import type { DeltaAsk } from '../../xds/client-codec.ts';
import { contentVersion } from '../../xds/resource.ts';
import { ResourceStore } from '../../xds/resource-store.ts';
import { secretTypeUrl } from '../../xds/secret-service.ts';
import { setType } from '../../xds/whole-sets.ts';
import { configurationLists } from './configuration.ts';
import { Conversation } from './conversation.ts';

const node = { id: 'me', envoyVersion: '' };
const typeOf = (list: ConfigurationList): string => configurationTypes[list].typeUrl;

describe('Conversation', () => {
  let said: DeltaAsk[];
  let wanted: { readonly endpoints: Set<string>; readonly routes: Set<string> };
  let has: Readonly<Record<ConfigurationList, ResourceStore>>;
  let conversation: Conversation;
  let secrets: readonly string[];

  beforeEach(() => {
    said = [];
    secrets = [];
    wanted = { endpoints: new Set(), routes: new Set() };
    const store = (list: ConfigurationList) => [list, new ResourceStore(configurationTypes[list])];
    has = Object.fromEntries(configurationLists.map(store));
    conversation = new Conversation({
      ...{ view: (list) => has[list].view, secrets: { begin: () => secrets }, wanted },
      send: (ask) => void said.push(ask),
    });
  });
  const hold = (...names: readonly string[]): void => {
    for (const list of configurationLists) has[list].replace(names.map((name) => entry(name)));
  };
  const entry = (name: string) => ({ name, version: contentVersion(name), body: Buffer.from(name) });
  const compared = (...differing: readonly ConfigurationList[]): void => {
    said.length = 0;
    const answer = { typeUrl: setType, systemVersion: '', nonce: '1', resources: [] };
    conversation.compared({ ...answer, removed: differing.map(typeOf) });
  };
  const sync = { typeUrl: typeOf('endpoints'), subscribe: ['agent:sync'] };
  const taken = { typeUrl: setType, nonce: '1' };
  const versions = { a: contentVersion('a'), b: contentVersion('b') };

  test('subscribes to everything if it has nothing', () => {
    conversation.begin(node, true);
    expect(said).toEqual([
      { typeUrl: typeOf('clusters'), subscribe: ['*'], initialVersions: {}, node },
      { typeUrl: typeOf('listeners'), subscribe: ['*'], initialVersions: {} },
      { ...sync, initialVersions: {} },
    ]);
  });

  test('begins with four digests, and sends nothing else if they are equal', () => {
    hold('a', 'b');
    conversation.begin(node, true);
    const initialVersions = Object.fromEntries(configurationLists.map((list) => [typeOf(list), has[list].view.digest]));
    expect(said).toEqual([{ typeUrl: setType, node, initialVersions }]);
    expect(conversation.isCompared).toBe(false);
    compared();
    expect(said).toEqual([taken, sync]);
    expect(conversation.isCompared).toBe(true);
  });

  test('subscribes to secrets without a version, before it reports that everything was answered', () => {
    secrets = ['kubernetes://shop'];
    conversation.begin(node, true);
    const asked = { typeUrl: secretTypeUrl, subscribe: secrets };
    expect(said.map((ask) => ask.typeUrl)).toEqual([
      typeOf('clusters'),
      typeOf('listeners'),
      secretTypeUrl,
      sync.typeUrl,
    ]);
    expect(said[2]).toEqual(asked);
    hold('a');
    said.length = 0;
    conversation.begin(node, true);
    expect(said.slice(1)).toEqual([asked]);
  });

  test('sends names and versions of the sets that differ, and of these alone', () => {
    hold('a', 'b');
    conversation.begin(node, true);
    compared('listeners', 'routes');
    expect(said).toEqual([
      taken,
      { typeUrl: typeOf('listeners'), subscribe: ['*'], initialVersions: versions },
      { typeUrl: typeOf('routes'), subscribe: [], initialVersions: versions },
      sync,
    ]);
  });

  test("holds back Envoy's subscriptions until the sets are compared", () => {
    hold('a');
    wanted.routes.add('early');
    conversation.begin(node, true);
    // As the connection to the control plane does.
    wanted.routes.add('late');
    conversation.ask({ typeUrl: typeOf('routes'), subscribe: ['late'] });
    wanted.endpoints.delete('a');
    has.endpoints.replace([]);
    conversation.ask({ typeUrl: typeOf('endpoints'), unsubscribe: ['a'] });
    conversation.sync();
    expect(said).toHaveLength(1);
    compared('endpoints');
    expect(said).toEqual([
      taken,
      { typeUrl: typeOf('routes'), subscribe: ['early'] },
      { typeUrl: typeOf('routes'), subscribe: ['late'] },
      { ...sync, initialVersions: {} },
    ]);
  });

  test('sends names and versions if the control plane does not know digests', () => {
    hold('a', 'b');
    wanted.endpoints.add('c');
    conversation.begin(node, false);
    expect(said.map(({ subscribe }) => subscribe)).toEqual([['*'], ['*'], [], ['c', 'agent:sync']]);
    expect(said.map(({ initialVersions }) => initialVersions)).toEqual([versions, versions, versions, versions]);
    expect([...wanted.routes]).toEqual(['a', 'b']);
  });
});
