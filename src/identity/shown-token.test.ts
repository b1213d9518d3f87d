import { describe, expect, test } from 'vitest';
import { ExchangeError, type ExchangeFault } from '../sts/token-manager.ts';
import { shownToken } from './shown-token.ts';

const limits = { deadlineMs: 1_000, signal: new AbortController().signal };
const own = { token: 'own' };
const failing = (fault: ExchangeFault) => () => Promise.reject(new ExchangeError('the cloud says no', fault));

describe('shownToken', () => {
  test('is the own token where nothing exchanges it', async () => {
    expect(await shownToken({ provisionedFolder: undefined }, own, limits)).toBe(own);
  });

  test('is what the own token is exchanged for', async () => {
    const exchangeToken = (token: string): Promise<string> => Promise.resolve(`${token} of the cloud`);
    const authority = { exchangeToken, provisionedFolder: undefined };
    expect(await shownToken(authority, own, limits)).toEqual({ token: 'own of the cloud' });
    expect(await shownToken(authority, undefined, limits)).toBeUndefined();
    const problem = { problem: 'the token cannot be read' };
    expect(await shownToken(authority, problem, limits)).toBe(problem);
  });

  test.each([
    ['refused', 'credential'],
    ['unavailable', 'soon'],
    ['malformed', 'soon'],
  ] as const)('is never the own one when the exchange is %s: the remedy is "%s"', async (fault, remedy) => {
    const authority = { exchangeToken: failing(fault), provisionedFolder: undefined };
    await expect(shownToken(authority, own, limits)).rejects.toMatchObject({
      remedy,
      message: 'the token is not exchanged: the cloud says no',
    });
  });

  test('is none beside a client certificate, which may be enough', async () => {
    const authority = { exchangeToken: failing('refused'), provisionedFolder: '/certs' };
    expect(await shownToken(authority, own, limits)).toEqual({
      problem: 'the token is not exchanged: the cloud says no',
    });
  });
});
