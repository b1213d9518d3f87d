import { UsageError } from '../../lib/usage-error.ts';
import { cleanRedirect, planFullCleanup } from '../../redirect/clean.ts';
import { settle } from '../../redirect/flags.ts';
import { formatStep } from '../../redirect/step.ts';
import { exitCode } from '../exit-codes.ts';
import { processIo } from '../io.ts';
import { givenTexts, sayTo } from './istio-iptables.ts';
import { type LogFlags, logOf } from './log-options.ts';
import type { ProgramContext } from './program-context.ts';

/** Runs `pilot-agent istio-clean-iptables`. 1 when something of ours had to stay. */
export async function runCleanUp(options: object, { environment, signals }: ProgramContext): Promise<number> {
  const log = logOf(options as LogFlags);
  const { source, text } = settle(givenTexts(options as Readonly<Record<string, unknown>>), environment)['dry-run'];
  if (!/^(1|t|T|TRUE|true|True|0|f|F|FALSE|false|False)$/.test(text)) {
    throw new UsageError(`${source}: "${text}" is neither true nor false`);
  }
  if (/^(1|t)/i.test(text)) {
    await processIo().writeOut(dryRun());
    return exitCode.done;
  }
  const { removed, left } = await cleanRedirect({ ...sayTo(log), stop: signals.stop });
  for (const line of removed) log.info(`removed: ${line}`);
  for (const line of left) log.error(`still there: ${line}`);
  if (removed.length + left.length === 0) log.info('there is nothing of ours to remove');
  return left.length === 0 ? exitCode.done : exitCode.no;
}

function dryRun(): string {
  const introduction = [
    'what is there is read with iptables-save, ip6tables-save and ip; of the following,',
    'the lines that apply to it would run, with one -D for each rule of ours in a built-in chain,',
    'and with the marks and routing tables that are found',
  ];
  return [...introduction.map((line) => `# ${line}\n`), ...planFullCleanup().map(formatStep)].join('');
}
