import protobuf from 'protobufjs';
import { describe, expect, test } from 'vitest';
import {
  decodeCertificateRequest,
  decodeCertificateResponse,
  encodeCertificateRequest,
  encodeCertificateResponse,
} from './ca-protocol.ts';

/** The messages as a generic protobuf library knows them. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message Value { oneof kind { double number_value = 2; string string_value = 3; bool bool_value = 4; } }
  message Struct { map<string, Value> fields = 1; }
  message Request { string csr = 1; string subject_id = 2; int64 validity_duration = 3; Struct metadata = 4; }
  message Response { repeated string cert_chain = 1; }
`);
const Request = root.lookupType('Request');
const Response = root.lookupType('Response');

describe('the wire form of the certificate service', () => {
  test.each([0n, 1n, 86_400n, -1n, 2n ** 62n, -(2n ** 63n)])('carries a validity of %s seconds', (validitySeconds) => {
    const request = { csr: 'x', validitySeconds, metadata: new Map() };
    expect(decodeCertificateRequest(encodeCertificateRequest(request))).toEqual(request);
  });

  test('writes requests that a generic library reads', () => {
    const bytes = encodeCertificateRequest({ csr: 'ä', validitySeconds: 86_400n, metadata: new Map([['a', 'b']]) });
    const read = Request.toObject(Request.decode(bytes), { longs: String });
    expect(read).toMatchObject({ csr: 'ä', validityDuration: '86400' });
    expect(read.metadata.fields).toEqual({ a: { stringValue: 'b' } });
  });

  test('reads what a generic library writes, keys of values that are no text too', () => {
    const metadata = { fields: { signer: { stringValue: 's' }, number: { numberValue: 1 } } };
    const bytes = Request.encode({ csr: 'c', subjectId: 'old', validityDuration: 5, metadata }).finish();
    expect(decodeCertificateRequest(bytes)).toEqual({
      csr: 'c',
      validitySeconds: 5n,
      metadata: new Map([
        ['signer', 's'],
        ['number', undefined],
      ]),
    });
  });

  test('carries the chain of a response, as a generic library does', () => {
    const response = { certificateChain: ['leaf', '', 'roots'] };
    const bytes = encodeCertificateResponse(response);
    expect(Response.toObject(Response.decode(bytes))).toEqual({ certChain: ['leaf', '', 'roots'] });
    expect(decodeCertificateResponse(bytes)).toEqual(response);
  });

  test.each(['0a05', '18ff', '1a', '07'])('refuses bytes that are no message: %s', (hex) => {
    expect(() => decodeCertificateRequest(Buffer.from(hex, 'hex'))).toThrow();
  });
});
