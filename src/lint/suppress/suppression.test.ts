import { describe, expect, test } from 'vitest';
import { faultOf, parseSuppression } from './suppression.ts';

const faultIn = (text: string): string | undefined => faultOf(parseSuppression(text, new Set()), '2026-06-30');

describe('a suppression', () => {
  test.each([
    'allow-every-request: a page for everybody',
    'MP304 until 2026-06-30: moves soon',
    'MP304  until  2026-06-30 : until 2026-05-01 it was another page',
    'MP304: open until the launch',
  ])('is in force: %s', (text) => expect(faultIn(text)).toBeUndefined());

  test.each([
    ['MP304 until 2026-06-29: moves soon', 'it expired on 2026-06-29'],
    ['MP304 unitl 2020-01-01: moves soon', '"unitl 2020-01-01" is not understood, expected "until YYYY-MM-DD"'],
    ['MP304 until: moves soon', '"until" is not understood'],
    ['MP304 until 2027-01-01 or later: moves soon', '"until 2027-01-01 or later" is not understood'],
    ['MP304 until 2026-13-01: moves soon', '"2026-13-01" is not a date'],
    ['MP304 until 2027-02-31: moves soon', '"2027-02-31" is not a date'],
    ['MP304: ok until 2020-01-01', 'its last day is in the reason: write "MP304 until 2020-01-01: "'],
    ['MP304 everybody may come', 'it gives no reason'],
    ['MP304 until 2027-01-01', 'it gives no reason'],
    ['MP999: for everybody', 'no rule has the code "MP999"'],
  ])('is none, and says why: %s', (text, fault) => expect(faultIn(text)).toContain(fault));
});
