import { describe, expect, test } from 'vitest';
import { faultResource, faultText } from './proxy-faults.ts';

describe('faultText', () => {
  const text = `Pod/foo/app is invalid: ${'é'.repeat(20_000)}`;
  const { body } = faultResource({ name: 'Pod/foo/app', text });

  test('is what faultResource has written', () => {
    expect(faultText(body)).toBe(text);
  });

  test('is nothing where the message is cut off, or is none', () => {
    for (const end of [1, 5, 14, 16, body.length - 1]) expect(faultText(body.subarray(0, end))).not.toBe(text);
    expect(faultText(body.subarray(0, body.length - 1))).toBeUndefined();
    expect(faultText(Buffer.alloc(50, 0xff))).toBeUndefined();
    expect(faultText(new Uint8Array())).toBeUndefined();
  });
});
