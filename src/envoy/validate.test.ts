import { describe, expect, test } from 'vitest';
import { refusal } from './validate.ts';

const stamp = '[2026-01-01 00:00:00.000][1][critical][main] [source/server/config_validation/server.cc:76]';
const start = `${stamp} error initializing configuration '/tmp/x.json':`;
const exit = { code: 1, signal: null };

describe('refusal', () => {
  test.each([
    [
      'an unknown field',
      `${start} Protobuf message (type x reason near   1:7  (offset 6): no such field: 'a') has unknown fields\n`,
      "Protobuf message (type x reason near 1:7 (offset 6): no such field: 'a') has unknown fields",
    ],
    [
      'the configuration after a reason',
      `${start} Unable to parse JSON as proto (INVALID_ARGUMENT: near 1:2): {"key":"s3cret"}\n`,
      'Unable to parse JSON as proto (INVALID_ARGUMENT: near 1:2)',
    ],
    [
      'the message before a reason',
      `${start} goo.gle/debugstr  \nkey: "s3cret"\n: Proto constraint validation failed (A.B: must be set)\n`,
      'Proto constraint validation failed (A.B: must be set)',
    ],
    [
      'the message after a reason',
      `${start} Invalid duration: negative: goo.gle/debugproto \nseconds: -1\nkey: "s3cret"\n`,
      'Invalid duration: negative',
    ],
    [
      'a key',
      `${start} bad key -----BEGIN PRIVATE KEY-----\ns3cret\n-----END PRIVATE KEY----- here\n`,
      'bad key [PEM] here',
    ],
    ['later log lines', `${start} no listener\n${stamp} exiting\n`, 'no listener'],
    ['nothing', '', 'Envoy refused the configuration with exit code 1'],
  ])('gives the reason alone: %s', (_, errors, message) => {
    expect(refusal(errors, exit)).toBe(message);
  });

  test('names the signal when Envoy aborts', () => {
    expect(refusal('trace: s3cret', { code: null, signal: 'SIGABRT' })).toBe(
      'Envoy aborted (SIGABRT) while it read the configuration',
    );
  });
});
