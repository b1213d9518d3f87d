import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../testing/effort.ts';
import { grantType, jwtType } from './names.ts';
import { workloadToken } from './testing/test-cloud.ts';
import { parseTokenRequest } from './token-request.ts';

const token = workloadToken();
const nowMs = Date.now();
const good = { grant_type: grantType, subject_token: token, subject_token_type: jwtType };
const parse = (text: string | Buffer) => parseTokenRequest(Buffer.from(text), nowMs);
const form = (changes: Readonly<Record<string, string>> = {}): string =>
  new URLSearchParams({ ...good, ...changes }).toString();
const claims = (text: string): string => `e30.${Buffer.from(text).toString('base64url')}.c2ln`;

describe('parseTokenRequest', () => {
  test('reads what RFC 8693 names, and carries no more than the plug-in uses', () => {
    const more = {
      scope: 'a b',
      audience: 'x',
      resource: 'y',
      requested_token_type: 'z',
      actor_token: 'a',
      actor_token_type: 't',
    };
    const { request } = parse(form(more));
    expect(request).toEqual({
      grantType,
      subjectToken: token,
      subjectTokenType: jwtType,
      scope: 'a b',
      audience: 'x',
      resource: 'y',
    });
  });

  test('takes an empty parameter for one that is absent', () => {
    expect(parse(form({ scope: '' })).request?.scope).toBe('');
    expect(parse(`${form()}&&resource`).request?.resource).toBe('');
  });

  test.each<[string, string | Buffer, string | RegExp]>([
    ['an empty body', '', 'grant_type is missing'],
    ['another grant', form({ grant_type: 'password' }), /^grant_type is "password", and must be "urn:/],
    ['no token', form({ subject_token: '' }), 'subject_token is missing'],
    ['no type', form({ subject_token_type: '' }), 'subject_token_type is missing'],
    ['a type in its place', form({ subject_token_type: `${jwtType}x` }), /^subject_token_type is /],
    ['an access token', form({ subject_token_type: 'urn:ietf:params:oauth:token-type:access_token' }), /must be/],
    ['a repeated token', `${form()}&subject_token=${token}`, '"subject_token" is given more than once'],
    ['a repeated parameter that is empty', `${form()}&scope=&scope=`, '"scope" is given more than once'],
    ['a repeated parameter behind percent signs', `${form()}&%67rant_type=x`, '"grant_type" is given more than once'],
    ['a percent sign alone', `${form()}&scope=%zz`, /percent sign/],
    ['bytes of no text', Buffer.from([0xff, 0xfe]), 'the body is not UTF-8'],
    ['a percent sequence of no text', `${form()}&scope=%ff`, /percent sign/],
    ['many parameters', Array.from({ length: 65 }, (_, i) => `p${i}=1`).join('&'), /more than 64/],
    ['words', form({ subject_token: 'junk' }), 'subject_token is no JSON web token'],
    ['a token without a signature', form({ subject_token: 'e30.e30.' }), 'subject_token is no JSON web token'],
    ['claims that are a list', form({ subject_token: claims('[1]') }), 'subject_token is no JSON web token'],
    ['claims that are no JSON', form({ subject_token: claims('{') }), 'subject_token is no JSON web token'],
    ['a line break', form({ subject_token: `${token}\n` }), 'subject_token is no JSON web token'],
    ['a dead token', form({ subject_token: workloadToken({ exp: nowMs / 1_000 - 61 }) }), 'subject_token has expired'],
  ])('refuses %s', (_name, body, problem) => {
    const { problem: told = '', request } = parse(body);
    expect(request).toBeUndefined();
    if (typeof problem === 'string') expect(told).toBe(problem);
    else expect(told).toMatch(problem);
  });

  test('quotes no token that stands where something else belongs', () => {
    for (const name of ['grant_type', 'subject_token_type']) {
      expect(parse(form({ [name]: token })).problem).toMatch(/is "\[redacted\]"/);
    }
    expect(parse(`${token}=1&${token}=1`).problem).toBe('"[redacted]" is given more than once');
  });

  test('takes no bytes for a request but those that a form of these parameters is made of', () => {
    const pairOf = (name: string, value: string) =>
      fc.constantFrom(value, value, value, '', '%', `${value}+`).map((text): [string, string] => [name, text]);
    const extra = fc.tuple(
      fc.constantFrom('scope', 'audience', 'subject_token', 'é', '%'),
      fc.string({ unit: 'binary' }),
    );
    const pairs = fc.tuple(
      fc.tuple(...Object.entries(good).map(([name, value]) => pairOf(name, value))),
      fc.array(extra, { maxLength: 2 }),
      fc.boolean(),
    );
    const texts = pairs.map(([known, extras, isEncoded]) =>
      [...known, ...extras]
        .map(([name, value]) => `${name}=${isEncoded ? encodeURIComponent(value) : value}`)
        .join('&'),
    );
    const bytes = fc.uint8Array({ maxLength: 200 }).map((body) => Buffer.from(body));
    fc.assert(
      fc.property(fc.oneof({ weight: 9, arbitrary: texts.map((text) => Buffer.from(text)) }, bytes), (body) => {
        const { request, problem = '' } = parse(body);
        expect(problem).not.toContain(token);
        if (request === undefined) return;
        const read = new URLSearchParams(body.toString());
        expect(read.getAll('subject_token').filter(Boolean)).toEqual([request.subjectToken]);
        expect(read.get('scope') ?? '').toBe(request.scope);
      }),
      runs(200),
    );
  });

  test('takes a token that died a moment ago: clocks differ', () => {
    expect(parse(form({ subject_token: workloadToken({ exp: nowMs / 1_000 - 30 }) })).problem).toBeUndefined();
  });
});
