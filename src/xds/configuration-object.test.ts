import { describe, expect, test } from 'vitest';
import { bodyOf, field, servedObject } from '../testing/configuration-server.ts';
import { readConfigurationObject } from './configuration-object.ts';

describe('readConfigurationObject', () => {
  test('reads name, labels and content of an object', () => {
    const spec = { hosts: ['a.global'], ports: [{ number: 80, name: 'http' }] };
    expect(readConfigurationObject(servedObject('shop/a', spec, '7').body)).toMatchObject({
      ...{ name: 'shop/a', labels: { app: 'web' }, annotations: {}, spec, problem: undefined },
    });
  });

  test('takes a slash before the namespace away, and reads when the object was made', () => {
    const time = Buffer.from([0x08, 0x80, 0x94, 0xeb, 0xdc, 0x03]);
    const { name, createdAt } = readConfigurationObject(field(1, Buffer.concat([field(1, '/shop/a'), field(2, time)])));
    expect([name, createdAt]).toEqual(['shop/a', '2001-09-09T01:46:40Z']);
  });

  test.each([
    [
      'of a type that is not known',
      bodyOf('istio.networking.v1alpha3.ServiceEntry', Buffer.from([1])),
      /of the type "type.*ServiceEntry", expected/,
    ],
    ['that is no Struct', bodyOf('google.protobuf.Struct', Buffer.from([0x0a, 0x05, 1])), /no google.protobuf.Struct/],
  ])('says of a body %s that it cannot be read', (_, body, problem) => {
    const object = readConfigurationObject(Buffer.concat([field(1, field(1, 'shop/a')), field(2, body)]));
    expect(object).toMatchObject({ name: 'shop/a', spec: undefined, problem: expect.stringMatching(problem) });
  });

  test.each([
    ['has a field that is not known', Buffer.concat([field(1, field(1, 'shop/a')), field(9, 'x')])],
    ['is cut off', servedObject('shop/a', {}, '7').body.subarray(0, -1)],
    ['is no message', Buffer.from([0xff, 0xff])],
  ])('throws where the message %s', (_, bytes) => {
    expect(() => readConfigurationObject(bytes)).toThrow();
  });
});
