import { type DiagnosticCode, registry } from '../diagnostics/registry.ts';
import { UsageError } from '../lib/usage-error.ts';
import { formatDiagnostic, formatNumber, formatNumberList } from '../lint/formats/numbers.ts';
import { formatRule, formatRuleList } from '../lint/formats/rules.ts';
import { allRules, findNumber, findRule, numbersOfPeer, rulesOfPeer } from '../lint/rule-index.ts';
import { ruleOf } from '../lint/select-rules.ts';
import { type ExitCode, exitCode } from './exit-codes.ts';
import type { CliIo } from './io.ts';

/** Options of `meshpol rules`, as the command line spells them. */
export interface RulesOptions {
  readonly from?: string;
}

/** Prints the rules, one of them or a code of the compiler in full, or what stands for a code of another tool. */
export async function runRules(name: string | undefined, { from }: RulesOptions, io: CliIo): Promise<ExitCode> {
  if (name !== undefined && from !== undefined) throw new UsageError('a code and --from exclude each other');
  if (name !== undefined) await io.writeOut(explain(name));
  else await io.writeOut(from === undefined ? formatRuleList(allRules) : listFor(from));
  return exitCode.done;
}

function explain(name: string): string {
  const number = findRule(name) === undefined ? findNumber(name) : undefined;
  if (number !== undefined) return formatNumber(number);
  const code = name.toLowerCase();
  return Object.hasOwn(registry, code) ? formatDiagnostic(code as DiagnosticCode) : formatRule(ruleOf(name));
}

function listFor(peer: string): string {
  const rules = rulesOfPeer(peer);
  const numbers = numbersOfPeer(peer);
  if (rules.length + numbers.length > 0) return formatRuleList(rules) + formatNumberList(numbers);
  throw new UsageError(`no rule stands for "${peer}": "meshpol rules" lists all of them`);
}
