import { describe, expect, test } from 'vitest';
import { HeaderLines } from '../model/header-lines.ts';
import { leaveConnection } from './leave-connection.ts';

type Lines = readonly (readonly [name: string, value: string])[];

const kept: Lines = [['x-team', 'a']];
const upgrade: Lines = [
  ['connection', 'Upgrade'],
  ['upgrade', 'WebSocket'],
];

describe('leaveConnection', () => {
  test.each<[Lines, Lines]>([
    [kept, kept],
    [[['connection', 'x-team'], ...kept], []],
    [[['connection', 'close'], ['keep-alive', '1'], ['transfer-encoding', 'chunked'], ...kept], kept],
    [
      [['te', 'gzip, trailers'], ...kept],
      [...kept, ['te', 'trailers']],
    ],
    [[['te', 'gzip'], ...kept], kept],
    [[['upgrade', 'foo'], ...kept], kept],
    [[['host', 'b'], ...kept], kept],
    [[['expect', '100-Continue'], ...kept], kept],
    [
      [['expect', 'a'], ...kept],
      [['expect', 'a'], ...kept],
    ],
    [
      [...upgrade, ...kept],
      [...upgrade, ...kept],
    ],
    [
      [['connection', 'x-team, Upgrade'], ['upgrade', 'websocket'], ['te', 'gzip'], ['keep-alive', '1'], ...kept],
      [['connection', 'x-team, Upgrade'], ['upgrade', 'websocket'], ['te', 'gzip'], ...kept],
    ],
    [[['connection', 'x-team, Upgrade'], ['upgrade', 'h2c'], ['http2-settings', '1'], ...kept], []],
    [
      [
        ['upgrade', 'h2c'],
        ['http2-settings', '1'],
      ],
      [['http2-settings', '1']],
    ],
  ])('leaves of %j only what filters see', (lines, expected) => {
    const headers = new HeaderLines(lines);
    expect(leaveConnection(headers, { upgrades: ['websocket'] })).toBe(true);
    expect(headers.freeze()).toEqual(expected);
  });

  test('refuses another protocol', () => {
    expect(leaveConnection(new HeaderLines(upgrade), { upgrades: [] })).toBe(false);
  });
});
