import { describe, expect, test } from 'vitest';
import { selectProtocol } from './protocol-selection.ts';

describe('selectProtocol', () => {
  test.each([
    ['http', undefined, undefined, 80, 'http'],
    ['http-web', undefined, undefined, 80, 'http'],
    ['HTTP2-x', undefined, undefined, 80, 'http2'],
    ['httpfoo', undefined, undefined, 80, 'auto'],
    ['grpc-web-ui', undefined, undefined, 80, 'grpc-web'],
    ['grpc-x', undefined, undefined, 80, 'grpc'],
    ['https-x', undefined, undefined, 443, 'https'],
    ['http_proxy', undefined, undefined, 80, 'http'],
    ['mongo', undefined, undefined, 1, 'mongo'],
    ['', undefined, undefined, 80, 'auto'],
    ['constructor', undefined, undefined, 80, 'auto'],
    ['foo', undefined, undefined, 3306, 'tcp'],
    ['', undefined, undefined, 53, 'tcp'],
    ['http', undefined, 'UDP', 53, 'udp'],
    ['tcp-x', 'http', undefined, 80, 'http'],
    ['http', 'TCP', undefined, 80, 'tcp'],
    ['http', 'acme.org/own', undefined, 80, 'auto'],
    ['x', 'kubernetes.io/h2c', undefined, 80, 'http2'],
  ])('name "%s", protocol %s, transport %s, port %i is %s', (name, appProtocol, transport, number, expected) => {
    expect(selectProtocol({ name, appProtocol, transport, number })).toBe(expected);
  });
});
