import { decode, encode } from 'dns-packet';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../testing/effort.ts';
import { failureOf, isAnswerTo, parseQuery, type Query, shorten } from './message.ts';

const edns = (udpPayloadSize: number): never =>
  ({ type: 'OPT', name: '.', udpPayloadSize, flags: 0, options: [], extendedRcode: 0, ednsVersion: 0 }) as never;

function queryFor(name: string, udpSize?: number): Query {
  const additionals = udpSize === undefined ? [] : [edns(udpSize)];
  const query = parseQuery(encode({ type: 'query', id: 7, questions: [{ type: 'A', name }], additionals }));
  if (query === undefined || Buffer.isBuffer(query)) throw new Error('no query');
  return query;
}

describe('parseQuery', () => {
  test.each([
    ['Example.COM', undefined, ['example', 'com'], 512],
    ['', undefined, [], 512],
    ['a.b', 100, ['a', 'b'], 512],
    ['a.b', 4_096, ['a', 'b'], 4_096],
    // Letters beyond A to Z are other letters.
    ['É.B', undefined, ['Ã\u0089', 'b'], 512],
  ])('reads name and size of a query for "%s" (EDNS %s)', (name, udpSize, labels, expected) => {
    const query = queryFor(name, udpSize);
    expect({ labels: query.labels, udpSize: query.udpSize, hasEdns: query.hasEdns }).toEqual({
      labels,
      udpSize: expected,
      hasEdns: udpSize !== undefined,
    });
  });

  test('takes a dot within a label for a letter', () => {
    const query = Buffer.from(queryFor('axb.example').bytes);
    query[14] = '.'.charCodeAt(0);
    expect((parseQuery(query) as Query).labels).toEqual(['a.b', 'example']);
  });

  test.each([
    ['an answer', encode({ type: 'response', id: 7, questions: [{ type: 'A', name: 'a' }] })],
    ['less than a header', Buffer.alloc(11)],
  ])('leaves %s unanswered', (_, bytes) => {
    expect(parseQuery(bytes)).toBeUndefined();
  });

  test('takes whatever comes, and answers with the same id or not at all', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), fc.boolean(), (noise, isQuery) => {
        const bytes = Buffer.from(noise);
        if (isQuery && bytes.length >= 12) bytes.set([0, 0, 0, 1, 0, 0], 2);
        const parsed = parseQuery(bytes);
        if (Buffer.isBuffer(parsed)) expect(parsed.readUInt16BE(0)).toBe(bytes.readUInt16BE(0));
        else if (parsed !== undefined) expect(parsed.questionEnd).toBeLessThanOrEqual(bytes.length);
      }),
      runs(),
    );
  });
});

describe('failureOf', () => {
  test.each([undefined, 1_232])('is SERVFAIL with the question, and EDNS for who has it (%s)', (udpSize) => {
    const answer = { rcode: '', ...decode(failureOf(queryFor('a.example', udpSize))) };
    expect([answer.id, answer.rcode, answer.flag_qr, answer.flag_ra]).toEqual([7, 'SERVFAIL', true, true]);
    expect(answer.questions?.[0]).toMatchObject({ name: 'a.example', type: 'A' });
    expect(answer.additionals?.map(({ type }) => type)).toEqual(udpSize === undefined ? [] : ['OPT']);
  });
});

describe('isAnswerTo', () => {
  const asked = queryFor('a.example');
  const answer = (id: number, name: string, flags = 0, type: 'A' | 'AAAA' = 'A'): Buffer =>
    encode({ type: 'response', id, flags, questions: name === '' ? [] : [{ type, name }] });
  test.each([
    ['the question', answer(9, 'a.example'), true],
    ['the question in other letters', answer(9, 'A.Example'), true],
    ['another id', answer(8, 'a.example'), false],
    ['another name', answer(9, 'b.example'), false],
    ['a longer name', answer(9, 'a.example.com'), false],
    ['another type', answer(9, 'a.example', 0, 'AAAA'), false],
    ['no question', answer(9, ''), false],
    ['a question that could not be read', answer(9, '', 1), true],
    ['a query', encode({ type: 'query', id: 9, questions: [{ type: 'A', name: 'a.example' }] }), false],
    ['nothing', Buffer.alloc(0), false],
  ])('tells of %s', (_, message, expected) => {
    expect(isAnswerTo(message, 9, asked)).toBe(expected);
  });
});

describe('shorten', () => {
  const long = (additionals: never[]): Buffer =>
    encode({
      type: 'response',
      id: 7,
      questions: [{ type: 'NULL', name: 'a.example' }],
      answers: [{ type: 'NULL', name: 'a.example', data: Buffer.alloc(2_000) }],
      additionals,
    });

  test('leaves what is short enough as it is', () => {
    const answer = long([]);
    expect(shorten(answer, answer.length)).toBe(answer);
  });

  test.each([
    [[], []],
    [[edns(1_232)], ['OPT']],
  ])('leaves question and EDNS, and marks the answer as cut', (additionals, types) => {
    const cut = decode(shorten(long(additionals), 512));
    expect([cut.id, cut.flag_tc, cut.answers]).toEqual([7, true, []]);
    expect(cut.questions?.[0]?.name).toBe('a.example');
    expect(cut.additionals?.map(({ type }) => type)).toEqual(types);
  });

  test('takes whatever comes, and gives no more than the limit', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 513, maxLength: 1_000 }), (noise) => {
        const bytes = Buffer.from(noise);
        bytes.set([0x80, 0, 0, 1], 2);
        expect(shorten(bytes, 512).length).toBeLessThanOrEqual(512);
      }),
      runs(),
    );
  });
});
