import { describe, expect, test } from 'vitest';
import { bodyOf, field, servedObject } from '../../../testing/configuration-server.ts';
import { objectEnvelope } from '../../../xds/configuration-object.ts';
import { StreamedObjects } from './streamed-objects.ts';
import { streamedTypes } from './streamed-types.ts';

const type = streamedTypes.find(({ kind }) => kind === 'AuthorizationPolicy')!;
const policy = (name: string, spec: object = { action: 'DENY', rules: [{}] }, version = '1') => ({
  ...{ name, version, type: objectEnvelope },
  body: servedObject(name, spec, version).body,
});
const response = (resources: readonly ReturnType<typeof policy>[], removed: readonly string[] = []) => ({
  ...{ typeUrl: type.typeUrl, nonce: '1', version: '1', resources, removed },
});
const namesOf = (objects: StreamedObjects) =>
  objects.files.map(({ path }) => path.replace('xds://a:1/AuthorizationPolicy/', ''));

describe('StreamedObjects', () => {
  test('are all that the server has, and in the incremental form what changes of it', () => {
    const [whole, changes] = [new StreamedObjects(type, 'xds://a:1/'), new StreamedObjects(type, 'xds://a:1/')];
    expect(whole.take(response([policy('x/a'), policy('x/b')]), false)).toBeUndefined();
    whole.take(response([policy('x/b')]), false);
    expect(namesOf(whole)).toEqual(['x/b.yaml']);
    changes.take(response([policy('x/a'), policy('x/b')]), true);
    changes.take(response([policy('x/c', undefined, '2')], ['x/a']), true);
    expect(namesOf(changes)).toEqual(['x/b.yaml', 'x/c.yaml']);
    expect(changes.versions).toEqual({ 'x/b': '1', 'x/c': '2' });
  });

  test('keep an object whose text is the same as the same file', () => {
    const objects = new StreamedObjects(type, 'xds://a:1/');
    objects.take(response([policy('x/a')]), false);
    const [before] = objects.files;
    objects.take(response([policy('x/a', undefined, '1')]), false);
    expect(objects.files[0]).toBe(before);
  });

  test('name what is invalid, and hold it, so that its last valid version stays and nothing is left out', () => {
    const objects = new StreamedObjects(type, 'xds://a:1/');
    const problem = objects.take(response([policy('x/good'), policy('x/bad', { action: 'DENI' })]), false);
    expect(problem).toMatch(/^x\/bad: .*"DENI"/);
    expect(namesOf(objects)).toEqual(['x/good.yaml', 'x/bad.yaml']);
  });

  test('name a policy for a Gateway that meshd refuses afterwards, as it does not read the Gateway API', () => {
    const targetRefs = [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }];
    const bound = response([policy('x/bound', { action: 'DENY', targetRefs, rules: [{}] })]);
    expect(new StreamedObjects(type, 'xds://a:1/').take(bound, false)).toBeUndefined();
    const problem = new StreamedObjects(type, 'xds://a:1/', { skipsGatewayApi: true }).take(bound, false);
    expect(problem).toMatch(/^x\/bound: .*PILOT_ENABLED_SERVICE_APIS/);
  });

  test('hold an object whose body cannot be read, as one that is invalid', () => {
    const objects = new StreamedObjects(type, 'xds://a:1/');
    const body = Buffer.concat([
      field(1, field(1, 'x/a')),
      field(2, bodyOf('istio.security.v1beta1.AuthorizationPolicy', Buffer.alloc(0))),
    ]);
    const problem = objects.take(response([{ ...policy('x/a'), body }]), false);
    expect(problem).toMatch(/^x\/a: its body is of the type .*AuthorizationPolicy", expected/);
    expect(objects.files[0]?.text).toContain('cannot be read');
  });

  test.each([
    [
      'of another envelope',
      { ...policy('x/a'), type: 'type.googleapis.com/other' },
      /of the type "type.googleapis.com\/other"/,
    ],
    [
      'with an object of another name',
      { ...policy('x/a'), name: 'x/b' },
      /the resource "x\/b" has an object of the name "x\/a"/,
    ],
    ['without a name', { ...policy(''), name: '' }, /no name/],
  ])('take nothing of a response with a resource %s', (_, resource, message) => {
    const objects = new StreamedObjects(type, 'xds://a:1/');
    objects.take(response([policy('x/before')]), true);
    expect(() => objects.take(response([policy('x/new'), resource]), true)).toThrow(message);
    expect(namesOf(objects)).toEqual(['x/before.yaml']);
  });

  test('tell of five invalid objects at most', () => {
    const objects = new StreamedObjects(type, 'xds://a:1/');
    const bad = Array.from({ length: 8 }, (_, i) => policy(`x/p${i}`, { action: 'DENI' }));
    expect(objects.take(response(bad), false)).toMatch(/^x\/p0: .*x\/p4: .*; and 3 more$/);
  });
});
