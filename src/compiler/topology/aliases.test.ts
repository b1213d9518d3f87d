import { describe, expect, test } from 'vitest';
import * as make from '../../testing/objects.ts';
import { resolve, web, webPod } from './testing/resolved.ts';

const alias = (name: string, externalName: string, annotations = {}) =>
  make.service({ name, annotations }, { type: 'ExternalName', externalName, ports: [{ port: 80 }] });
const target = 'web.shop.svc.cluster.local';

/** Hosts of the services, each with its other names. */
const named = (...objects: Parameters<typeof resolve>[0]) =>
  resolve(objects).services.map(({ host, aliases }) => [host, ...aliases.map((it) => it.host)]);

describe('services of type ExternalName', () => {
  test('are other names of a service that the mesh knows, which keeps its endpoints and their identities', () => {
    const { services } = resolve([web, webPod, alias('other/web', `${target.toUpperCase()}.`)]);
    expect(services.map(({ host, aliases }) => [host, aliases.map((it) => it.host)])).toEqual([
      [target, ['web.other.svc.cluster.local']],
    ]);
    expect(services[0]?.endpoints).toMatchObject([{ identity: 'spiffe://cluster.local/ns/shop/sa/web' }]);
  });

  test('lead through each other, to hosts of ServiceEntries too', () => {
    const entry = make.serviceEntry('b/api', { hosts: ['api.example.com'], resolution: 'DNS' });
    expect(named(entry, alias('a/x', 'y.b.svc.cluster.local'), alias('b/y', 'api.example.com'))).toEqual([
      ['api.example.com', 'x.a.svc.cluster.local', 'y.b.svc.cluster.local'],
    ]);
  });

  test('lead to no ServiceEntry of another namespace, which could take what is sent to them', () => {
    const entry = make.serviceEntry('far/api', { hosts: ['api.example.com'], resolution: 'DNS' });
    expect(named(entry, alias('a/x', 'api.example.com'))).toEqual([['api.example.com'], ['x.a.svc.cluster.local']]);
  });

  test('stay services of their own where nobody declares the host, their namespace does not see it, or it is a circle', () => {
    const hidden = make.service({ name: 'shop/web', annotations: { 'networking.mesh.io/exportTo': '.' } }, web.spec);
    expect(named(alias('a/x', 'api.example.com'))).toEqual([['x.a.svc.cluster.local']]);
    expect(named(hidden, alias('a/x', target)).flat().sort()).toEqual([target, 'x.a.svc.cluster.local']);
    expect(named(alias('a/x', 'y.a.svc.cluster.local'), alias('a/y', 'x.a.svc.cluster.local'))).toHaveLength(2);
  });
});
