import { describe, expect, test } from 'vitest';
import { callerProblem } from './caller.ts';

const problem = (rawHeaders: readonly string[], remoteAddress = '127.0.0.1') =>
  callerProblem({ remoteAddress, rawHeaders });

describe('callerProblem', () => {
  test.each(['localhost', 'LOCALHOST:15463', '127.0.0.1', '127.0.0.1:15463', '[::1]', '[::1]:15463'])(
    'is none for Host %s',
    (host) => expect(problem(['Host', host])).toBeUndefined(),
  );

  test.each<[string, readonly string[], RegExp]>([
    ['a name that leads to loopback', ['Host', 'evil.example:15463'], /Host must be/],
    ['a name that begins the same', ['host', 'localhost.evil.example'], /Host must be/],
    ['a name behind another', ['Host', '127.0.0.1:1@evil.example'], /Host must be/],
    ['loopback without brackets', ['Host', '::1'], /Host must be/],
    ['an address that Envoy calls from', ['Host', '127.0.0.6'], /Host must be/],
    ['no Host', [], /one Host/],
    ['two Hosts', ['Host', 'localhost', 'HOST', 'evil.example'], /one Host/],
    ['a page', ['Host', 'localhost', 'Origin', 'http://localhost'], /web pages/],
    ['a page that hides', ['Host', 'localhost', 'origin', 'null'], /web pages/],
    ['a header that is called like one', ['X', 'Host', 'host', 'x'], /Host must be/],
  ])('refuses %s', (_name, headers, text) => {
    expect(problem(headers)).toMatch(text);
  });

  test.each(['127.0.0.6', '::ffff:127.0.0.6', '::6'])('refuses what the proxy passes on from %s', (address) => {
    expect(problem(['Host', 'localhost'], address)).toMatch(/passes on/);
  });
});
