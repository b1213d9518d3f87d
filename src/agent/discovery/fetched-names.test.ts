import { describe, expect, test } from 'vitest';
import { nameResource, suffixesKey, suffixesResource } from '../../xds/name-resources.ts';
import { FetchedNames } from './fetched-names.ts';

const entry = (name: string, address: string) => ({
  ...{ name, namespace: 'shop', addresses: [address], isOfCluster: true, createdAt: 1 },
});
const web = nameResource('shop/web', entry('web.global', '10.0.0.1'));
const suffixes = suffixesResource(['global']);

/** Names, how often others were to be kept, and where a name leads to. */
function setUp() {
  let changes = 0;
  const names = new FetchedNames(() => {
    changes += 1;
  });
  const find = (name: string): unknown => {
    const found = names.zone?.find(name.split('.'), 'shop');
    return found?.type === 'known' ? found.name?.addresses : found?.type;
  };
  return { names, find, changed: () => changes };
}

describe('FetchedNames', () => {
  test('knows no name before it knows which ones the mesh alone has, and none after it does no more', () => {
    const { names, find } = setUp();
    expect(names.take({ resources: [web], removed: [] })).toBeUndefined();
    expect(find('web.global')).toBeUndefined();
    names.take({ resources: [suffixes], removed: [] });
    expect([find('web.global'), find('no.global'), find('web.example')]).toEqual([['10.0.0.1'], 'missing', 'foreign']);
    names.take({ resources: [], removed: [suffixesKey] });
    expect(find('web.global')).toBeUndefined();
  });

  test('takes changes, and tells of what is to be kept', () => {
    const { names, find, changed } = setUp();
    names.take({ resources: [suffixes, web], removed: [] });
    names.take({ resources: [nameResource('shop/web', entry('web.global', '10.0.0.2'))], removed: [] });
    expect([find('web.global'), changed()]).toEqual([['10.0.0.2'], 2]);
    names.take({ resources: [], removed: ['agent:sync'] });
    expect(changed()).toBe(2);
    names.take({ resources: [], removed: ['shop/web'] });
    expect([find('web.global'), changed(), Object.keys(names.versions)]).toEqual(['missing', 3, [suffixesKey]]);
  });

  test.each([
    ['shop/web', 'it is no name'],
    [suffixesKey, 'it names no suffix'],
  ])('refuses a response with a %s that cannot be read, and keeps what it has', (name, reason) => {
    const { names, find } = setUp();
    names.take({ resources: [suffixes, web], removed: [] });
    const broken = { name, version: 'x', body: Buffer.from([0x0a, 0x7f]) };
    expect(names.take({ resources: [broken], removed: ['shop/web'] })).toBe(`${name}: ${reason}`);
    expect(find('web.global')).toEqual(['10.0.0.1']);
    expect(names.restore([suffixes, broken])).toBe(`${name}: ${reason}`);
    expect([names.all, names.zone]).toEqual([[], undefined]);
  });
});
