import { describe, expect, test } from 'vitest';
import { KeySetError } from './fault.ts';
import { checkTarget, parseTargetUrl, type TargetRules } from './target.ts';

const signal = new AbortController().signal;

describe('parseTargetUrl', () => {
  test.each([
    ['ftp://keys.example.com/a', 'url-refused'],
    ['file:///etc/passwd', 'url-refused'],
    ['data:application/json,{"keys":[]}', 'url-refused'],
    ['keys.example.com/a', 'url-refused'],
    ['https://', 'url-refused'],
    ['https://user:secret@[bad/a?token=secret', 'url-refused'],
    ['https://user:secret@keys.example.com/a?token=secret', 'url-refused'],
  ])('refuses %s', (text, code) => {
    const error = faultOf(() => parseTargetUrl(text));
    expect(error.code).toBe(code);
    expect(error.message).not.toContain('secret');
  });

  test('keeps a query, and leaves it out of reasons', () => {
    expect(parseTargetUrl('https://keys.example.com/a?p=1').search).toBe('?p=1');
  });
});

describe('checkTarget', () => {
  test.each([
    ['http://2130706433/', '127.0.0.1'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['http://127.0.0.1./', '127.0.0.1'],
    ['http://[::1]/', '::1'],
    ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
    ['http://[64:ff9b::169.254.169.254]/', '64:ff9b::a9fe:a9fe'],
    ['http://0/', '0.0.0.0'],
  ])('refuses the address in %s without asking DNS', async (url, address) => {
    const rules = { allowedHosts: [], lookup: () => Promise.reject(new Error('asked')) };
    await expect(checkTarget(new URL(url), rules, signal)).rejects.toMatchObject({
      code: 'host-refused',
      message: expect.stringContaining(`"${address}"`),
    });
  });

  test('refuses a host when one address of its answer is private, whatever the others are', async () => {
    const check = checkTarget(new URL('https://keys.example.com'), answering('1.1.1.1', '10.0.0.1'), signal);
    await expect(check).rejects.toMatchObject({ code: 'host-refused' });
  });

  test('hands on all public addresses in the order of the answer', async () => {
    const check = await checkTarget(new URL('https://keys.example.com'), answering('2606:4700::1', '1.1.1.1'), signal);
    expect(check.addresses).toEqual(['2606:4700::1', '1.1.1.1']);
  });

  test.each([
    ['http://keys.internal/', ['keys.internal'], '10.0.0.1', true],
    ['http://KEYS.internal./', ['keys.Internal'], '127.0.0.1', true],
    ['http://keys.internal/', ['keys.internal'], '169.254.169.254', false],
    ['http://keys.internal/', ['keys.internal'], '169.254.1.1', false],
    ['http://keys.internal/', ['keys.internal'], '0.0.0.0', false],
    ['http://keys.internal/', ['keys.internal'], '100.100.100.200', false],
    ['http://keys.internal/', ['keys.internal', '169.254.1.1'], '169.254.1.1', true],
    ['http://[::1]:80/', ['0:0:0:0:0:0:0:1'], '', true],
    ['http://evil.example.com/', ['keys.internal'], '10.0.0.1', false],
    ['http://a.keys.internal/', ['keys.internal'], '10.0.0.1', false],
  ])('with %s, allowed %j, answer %s: passes is %s', async (url, allowedHosts, address, passes) => {
    const check = checkTarget(new URL(url), { ...answering(address), allowedHosts }, signal);
    if (passes) await expect(check).resolves.toBeDefined();
    else await expect(check).rejects.toMatchObject({ code: 'host-refused' });
  });

  test('says that a host is unknown for an empty answer and for a failed one', async () => {
    const failing = { allowedHosts: [], lookup: () => Promise.reject(new Error('ENOTFOUND')) };
    for (const rules of [answering(), failing]) {
      await expect(checkTarget(new URL('https://no.example.com'), rules, signal)).rejects.toMatchObject({
        code: 'host-unknown',
      });
    }
  });
});

function answering(...addresses: readonly string[]): TargetRules {
  return { allowedHosts: [], lookup: () => Promise.resolve(addresses) };
}

function faultOf(work: () => unknown): KeySetError {
  try {
    work();
  } catch (error) {
    if (error instanceof KeySetError) return error;
  }
  throw new Error('expected a KeySetError');
}
