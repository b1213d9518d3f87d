import { encode } from 'dns-packet';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../testing/effort.ts';
import { readAnswer } from './record-reader.ts';

const question = { type: 'AAAA', name: 'a.example' } as const;
const message = encode({
  type: 'response',
  id: 1,
  questions: [question],
  answers: [
    { type: 'CNAME', name: 'A.example', ttl: 30, data: 'b.example' },
    { type: 'TXT', name: 'b.example', data: 'text' },
    { type: 'AAAA', name: 'b.example', ttl: 60, data: '2001:db8::1' },
    { type: 'A', name: 'b.example', ttl: 60, data: '192.0.2.1' },
  ],
});

describe('readAnswer', () => {
  test('reads other names and addresses, and counts what else there is', () => {
    const b = ['b', 'example'];
    expect(readAnswer(message)).toEqual({
      records: [
        { type: 'CNAME', owner: ['a', 'example'], ttl: 30, target: b },
        { type: 'address', owner: b, ttl: 60, address: '2001:db8:0:0:0:0:0:1' },
        { type: 'address', owner: b, ttl: 60, address: '192.0.2.1' },
      ],
      others: 1,
      authorityCount: 0,
    });
  });

  test('reads nothing of a message that is cut anywhere', () => {
    for (let length = 0; length < message.length; length++)
      expect(readAnswer(message.subarray(0, length))).toBeUndefined();
  });

  test('follows no pointer round in a ring', () => {
    const ring = encode({ type: 'response', id: 1, questions: [question] });
    ring.writeUInt16BE(0xc00c, 12);
    expect(readAnswer(ring)).toBeUndefined();
  });

  test('reads whatever bytes come without a crash', () => {
    const anyChange = fc.tuple(fc.nat(message.length - 1), fc.nat(255));
    fc.assert(
      fc.property(fc.array(anyChange, { maxLength: 8 }), (changes) => {
        const bytes = Buffer.from(message);
        for (const [at, octet] of changes) bytes[at] = octet;
        for (const { owner } of readAnswer(bytes)?.records ?? []) expect(owner.join('.').length).toBeLessThan(255);
      }),
      runs(),
    );
  });
});
