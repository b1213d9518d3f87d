import { UsageError } from '../lib/usage-error.ts';
import { formatRule, formatRuleList } from '../lint/formats/rules.ts';
import { allRules, rulesOfPeer } from '../lint/rule-index.ts';
import { ruleOf } from '../lint/select-rules.ts';
import { type ExitCode, exitCode } from './exit-codes.ts';
import type { CliIo } from './io.ts';

/** Options of `meshpol rules`, as the command line spells them. */
export interface RulesOptions {
  readonly from?: string;
}

/** Prints the rules, one of them in full, or those that stand for a code of another tool. */
export async function runRules(name: string | undefined, { from }: RulesOptions, io: CliIo): Promise<ExitCode> {
  if (name !== undefined && from !== undefined) throw new UsageError('a code and --from exclude each other');
  if (name !== undefined) await io.writeOut(formatRule(ruleOf(name)));
  else if (from === undefined) await io.writeOut(formatRuleList(allRules));
  else {
    const rules = rulesOfPeer(from);
    if (rules.length === 0) throw new UsageError(`no rule stands for "${from}": "meshpol rules" lists all of them`);
    await io.writeOut(formatRuleList(rules));
  }
  return exitCode.done;
}
