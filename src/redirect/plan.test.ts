import { describe, expect, test } from 'vitest';
import { planSteps } from './apply.ts';
import { redirectFlags, settle } from './flags.ts';
import { parseRequest } from './parse-config.ts';
import { planRedirect } from './plan.ts';
import { longFlags, readRuleCases } from './testing/rule-cases.ts';
import { parseUserDatabase } from './user-database.ts';

const host = { database: parseUserDatabase('', ''), families: ['IPv4', 'IPv6'] } as const;

function plan(flags: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const { request, problems } = parseRequest(settle(longFlags(flags, redirectFlags), environment), environment, host);
  expect(problems).toEqual([]);
  return planSteps(planRedirect(request.config), 5);
}

describe('planRedirect', () => {
  test.each(readRuleCases())('gives the rules of $name', ({ flags, environment, rules }) => {
    const restores = plan(flags, environment).filter(({ input }) => input !== undefined);
    expect(restores.map(({ argv }) => argv.join(' '))).toEqual([
      'iptables-restore --noflush --wait=5',
      'ip6tables-restore --noflush --wait=5',
    ]);
    expect(restores.map(({ input }) => input)).toEqual([rules.IPv4, rules.IPv6]);
  });
});
