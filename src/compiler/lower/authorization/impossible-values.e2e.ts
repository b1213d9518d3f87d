import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultSettings } from '../../../config/defaults.ts';
import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { AuthorizationRule } from '../../../policy/authorization-policy.ts';
import { checkImpossibleValues } from '../../../schema/rules/impossible-values.ts';
import * as make from '../../../testing/objects.ts';
import { checkPaths } from '../../merge/path-checks.ts';
import type { InboundGates } from '../testing/inbound-gate.ts';
import { startRuleGates } from './testing/rule-gates.ts';

let gates: InboundGates;

/** Gates that nobody guards, by how they normalize paths. */
const levels = ['NONE', 'BASE', 'MERGE_SLASHES', 'DECODE_AND_MERGE_SLASHES'] as const;

beforeAll(async () => {
  const open = Object.fromEntries(levels.map((level) => [level, '']));
  const settings = Object.fromEntries(levels.map((level) => [level, { pathNormalization: level }]));
  const connection = '[{when: [{key: "request.headers[connection]", values: ["*"]}]}]';
  gates = await startRuleGates({ 'with connection': [['DENY', connection]] }, '', open, settings);
});
afterAll(() => gates?.close());

describe('a value is called impossible', () => {
  const isImpossible = (rule: AuthorizationRule): boolean => {
    let isReported = false;
    checkImpossibleValues(make.authorizationPolicy('a/p', { action: 'DENY', rules: [rule] }), () => {
      isReported = true;
    });
    return isReported;
  };
  const visible = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i));

  test.each(levels)('under %s for no path that a request arrives with', async (level) => {
    const parts = ['', '.', '..', '%2e', '.%2E', '%2f', '%5c', '\\', 'a', '%61', '..;', '%00', 'b%2Fc'];
    const pairs = parts.flatMap((a) => parts.map((b) => [`/${a}/${b}`, `/x${a}${b}/`, `/x/${a}/${b}/y`])).flat();
    const bag = new DiagnosticBag();
    const answers = await Promise.all(pairs.map((path) => gates.send(level, { path })));
    const paths = [...new Set(answers.flatMap(({ seen }) => seen?.url ?? []))];
    expect(paths.length).toBeGreaterThan(50);
    const policy = make.authorizationPolicy('a/p', { action: 'DENY', rules: [{ to: [{ operation: { paths } }] }] });
    checkPaths([policy], { ...defaultSettings, pathNormalization: level }, bag);
    expect(bag.all.map(({ message }) => message)).toEqual([]);
  });

  test('for the hosts that Envoy refuses, and for no others', async () => {
    const hosts = visible.map((character) => `a${character}b`).filter((host) => !host.includes('*'));
    for (const host of hosts) {
      const status = await gates.sendRaw('NONE', `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      expect([host, isImpossible({ to: [{ operation: { hosts: [host] } }] })]).toEqual([host, status === 400]);
    }
  });

  test('of "connection" for those that no request for an upgrade has, and for no others', async () => {
    const lines = [
      'Upgrade',
      'upgrade',
      'keep-alive, Upgrade',
      'x, UPGRADE, close',
      'close',
      'upgrade;q=1',
      'x-upgrade',
    ];
    for (const line of lines) {
      const head = `GET / HTTP/1.1\r\nHost: a\r\nConnection: ${line}\r\nUpgrade: websocket\r\n\r\n`;
      // The gate denies requests that have the header.
      const isSeen = (await gates.sendRaw('with connection', head)) === 403;
      const rule = (value: string): AuthorizationRule => ({
        when: [{ key: 'request.headers[connection]', values: [value] }],
      });
      expect([line, isImpossible(rule(line))]).toEqual([line, !isSeen]);
      for (const value of ['*', `${line.slice(0, 2)}*`, `*${line.slice(-2)}`])
        expect(isImpossible(rule(value))).toBe(false);
    }
  });

  test('for the names of headers that Envoy refuses or takes off, and for no others', async () => {
    // With a colon the name ends there.
    const names = visible.map((character) => `x${character}y`).filter((name) => name !== 'x:y');
    for (const name of names) {
      const status = await gates.sendRaw('NONE', `GET / HTTP/1.1\r\nHost: a\r\n${name}: v\r\n\r\n`);
      const isRefused = status === 400;
      expect([name, isImpossible({ when: [{ key: `request.headers[${name}]`, values: ['v'] }] })]).toEqual([
        name,
        isRefused,
      ]);
    }
    for (const name of ['keep-alive', 'proxy-connection', 'te', 'proxy-authorization']) {
      const { seen } = await gates.send('NONE', { headers: [[name, 'trailers']] });
      const isGone = seen?.headers[name] === undefined;
      expect([name, isImpossible({ when: [{ key: `request.headers[${name}]`, values: ['v'] }] })]).toEqual([
        name,
        isGone,
      ]);
    }
  });
});
