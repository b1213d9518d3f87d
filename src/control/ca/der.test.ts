import { AlgorithmIdentifier } from '@peculiar/asn1-x509';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../testing/effort.ts';
import { DerError, parseAsn, parseDer } from './der.ts';

/** `SEQUENCE { OBJECT IDENTIFIER 2.5.29.17 }` */
const good = '300506 03551d11';
const bytesOf = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');

describe('parseDer', () => {
  test('accepts the request that each row of the table below changes in one place', () => {
    expect(parseDer(bytesOf(good), AlgorithmIdentifier).algorithm).toBe('2.5.29.17');
  });

  test.each([
    ['nothing', ''],
    ['a tag alone', '30'],
    ['a length that is longer than the bytes', '300606 03551d11'],
    ['an indefinite length', '308006 03551d11 0000'],
    ['a length that could be shorter', '308105 06 03551d11'],
    ['a length with a leading zero octet', '30820005 06 03551d11'],
    ['a length inside that could be shorter', '3006 068103 551d11'],
    ['bytes behind the value', `${good} ff`],
    ['a value behind the value', `${good} 0500`],
    ['a tag of more than one octet', '1f810100'],
    ['a set in place of a sequence', '310506 03551d11'],
    ['an arc with a leading zero', '300606 04551d8011'],
    ['another type', '020101'],
  ])('refuses %s', (_, hex) => {
    expect(() => parseDer(bytesOf(hex), AlgorithmIdentifier)).toThrow(DerError);
  });

  test('throws nothing but its own error, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.boolean(), (bytes, isInside) => {
        const wrapped = isInside ? Buffer.concat([Buffer.of(0x30, bytes.length), bytes]) : bytes;
        for (const parse of [parseDer, parseAsn]) {
          try {
            parse(wrapped, AlgorithmIdentifier);
          } catch (error) {
            expect(error).toBeInstanceOf(DerError);
          }
        }
      }),
      runs(),
    );
  });
});
