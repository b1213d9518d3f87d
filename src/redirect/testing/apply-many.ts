import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { applyRedirect, planSteps } from '../apply.ts';
import { cleanRedirect } from '../clean.ts';
import { settle } from '../flags.ts';
import { parseRequest } from '../parse-config.ts';
import { planRedirect, type RedirectPlan } from '../plan.ts';
import { stateScript, withoutEmptyTables } from './filter-tools.ts';
import type { FlagTexts } from './generated-flags.ts';

/**
 * A program for the tests: runs in a network namespace, reads a list of flags from standard input, makes the rules of
 * each in place of the last ones, and prints what was there then. REFERENCE names a second namespace, in which the plan
 * is loaded by the packet filter's own tool.
 */
const requests = JSON.parse(readFileSync(0, 'utf8')) as readonly FlagTexts[];
const reference = process.env.REFERENCE ?? '';
const results = [];
for (const [i, { DNS_CAPTURE, ...flags }] of requests.entries()) {
  const environment = { DNS_CAPTURE };
  const host = { database: { users: new Map(), groups: new Map() }, families: ['IPv4', 'IPv6'] as const };
  const { request, problems } = parseRequest(settle(flags, environment), environment, host);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const plan = planRedirect(request.config);
  const outcomes = [await applyRedirect(plan), await applyRedirect(plan)];
  const applied = state([]);
  // Every third is cleaned up; the others are replaced.
  const isCleaned = i % 3 === 2 || i === requests.length - 1;
  if (isCleaned) await cleanRedirect();
  const cleaned = isCleaned ? state([]) : '';
  results.push({ outcomes, applied, cleaned, reference: load(plan) });
}
process.stdout.write(JSON.stringify(results));

function load(plan: RedirectPlan): string {
  const enter = ['nsenter', `--net=${reference}`];
  const undo: string[][] = [];
  for (const { argv, input } of planSteps(plan)) {
    run([...enter, ...argv], input);
    if (argv[0] === 'ip') undo.push(argv.map((word) => (word === 'add' ? 'del' : word)));
  }
  const loaded = state(enter);
  for (const argv of undo) run([...enter, ...argv.filter((word, i) => word !== 'metric' && argv[i - 1] !== 'metric')]);
  for (const save of ['iptables-save', 'ip6tables-save']) {
    const text = run([...enter, save]);
    run([...enter, save.replace('save', 'restore')], text.replace(/^(-A|:MESH).*\n/gm, ''));
  }
  return loaded;
}

function state(enter: readonly string[]): string {
  return withoutEmptyTables(run([...enter, 'sh', '-e'], stateScript));
}

function run([command = '', ...args]: readonly string[], input = ''): string {
  return execFileSync(command, args, { input, encoding: 'utf8', maxBuffer: 64 << 20 });
}
