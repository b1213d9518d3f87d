import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DerError, der, oid, readChildren, readDer, tag, time } from './der.ts';

describe('readDer', () => {
  test.each([
    ['nothing', ''],
    ['a tag alone', '30'],
    ['a length that is longer than the bytes', '300301'],
    ['an indefinite length', '3080020101 0000'],
    ['a length that could be shorter', '30810402010100'],
    ['a length with a leading zero octet', '3082000402010100'],
    ['bytes behind the value', '020101ff'],
    ['a tag of more than one octet', '1f810100'],
  ])('refuses %s', (_, hex) => {
    expect(() => readDer(Buffer.from(hex.replaceAll(' ', ''), 'hex'))).toThrow(DerError);
  });

  test('reads what der writes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 4 }), (parts) => {
        const written = der(tag.sequence, ...parts.map((part) => der(tag.octetString, part)));
        expect(readChildren(readDer(written)).map(({ content }) => [...content])).toEqual(
          parts.map((part) => [...part]),
        );
      }),
    );
  });

  test('throws nothing but its own error, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        try {
          readChildren(readDer(Buffer.from(bytes)));
        } catch (error) {
          expect(error).toBeInstanceOf(DerError);
        }
      }),
    );
  });
});

test.each([
  ['1.2.840.113549.1.1.11', '06092a864886f70d01010b'],
  ['2.5.29.17', '0603551d11'],
])('oid writes %s', (dotted, hex) => {
  expect(oid(dotted).toString('hex')).toBe(hex);
});

test.each([
  ['2049-12-31T23:59:59.900Z', tag.utcTime, '491231235959Z'],
  ['2050-01-01T00:00:00Z', tag.generalizedTime, '20500101000000Z'],
])('time writes %s by the rule of RFC 5280', (text, expectedTag, expected) => {
  const value = readDer(time(Date.parse(text)));
  expect([value.tag, value.content.toString()]).toEqual([expectedTag, expected]);
});
