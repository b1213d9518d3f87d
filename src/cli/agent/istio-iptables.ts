import type { Log } from '../../agent/log/log.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { applyRedirect, planSteps } from '../../redirect/apply.ts';
import { redirectFlags, settle } from '../../redirect/flags.ts';
import { formatCommands } from '../../redirect/format-commands.ts';
import { readLists } from '../../redirect/list-file.ts';
import { parseRequest, type RedirectRequest } from '../../redirect/parse-config.ts';
import { planRedirect, type RedirectPlan } from '../../redirect/plan.ts';
import { readHost } from '../../redirect/read-host.ts';
import { formatStep } from '../../redirect/step.ts';
import { formatVerdict, validateRedirect } from '../../redirect/validate.ts';
import { exitCode } from '../exit-codes.ts';
import { processIo } from '../io.ts';
import { type LogFlags, logOf } from './log-options.ts';
import type { ProgramContext } from './program-context.ts';

/** Runs `pilot-agent istio-iptables`: all that is asked for is understood before anything runs. */
export async function runSetUp(options: object, { environment, signals }: ProgramContext): Promise<number> {
  const log = logOf(options as LogFlags);
  const given = settle(givenTexts(options as Readonly<Record<string, unknown>>), environment);
  const { settings, problems: unread } = await readLists(given);
  const { request, problems: wrong, warnings } = parseRequest(settings, environment, await readHost());
  const problems = [...unread, ...wrong];
  if (problems.length > 0) throw new UsageError(problems.join('\npilot-agent: '));
  const plan = planRedirect(request.config);
  if (request.isDryRun) {
    await processIo().writeOut(dryRun(plan, request, warnings));
    return exitCode.done;
  }
  for (const warning of warnings) log.warn(warning);
  if (!request.skipsRules) {
    const outcome = await applyRedirect(plan, { ...sayTo(log), stop: signals.stop });
    log.info(outcomes[outcome]);
  }
  return request.validates ? validate(request, log, signals.stop) : exitCode.done;
}

const outcomes = {
  'in place': 'the rules are in place already, nothing was changed',
  applied: 'the rules are in place',
  replaced: 'the rules are in place of the earlier ones',
} as const;

/** Commands go to the log at level info, the rules that they read at level debug. */
export function sayTo(log: Log): { readonly say: (text: string) => void; readonly warn: (text: string) => void } {
  return {
    say: (text) => {
      const [command = '', ...input] = text.trimEnd().split('\n');
      log.info(command.replace(/ <<'END'$/, ''));
      for (const line of input) if (line !== 'END') log.debug(line);
    },
    warn: (text) => log.warn(text),
  };
}

/** A script for a shell: what would run in a network namespace that has nothing of ours. */
function dryRun(plan: RedirectPlan, request: RedirectRequest, warnings: readonly string[]): string {
  const steps = request.skipsRules ? [] : planSteps(plan);
  const format = request.printsRestoreFormat ? formatStep : formatCommands(plan);
  const { probePort, probeTimeoutMs } = request;
  const probe = request.validates ? `# then a probe to port ${probePort}, for at most ${probeTimeoutMs} ms\n` : '';
  return [...warnings.map((warning) => `# warning: ${warning}\n`), ...steps.map(format), probe].join('');
}

async function validate(request: RedirectRequest, log: Log, signal: AbortSignal): Promise<number> {
  const { config, probePort, probeTimeoutMs: timeoutMs } = request;
  const verdict = await validateRedirect(config, { probePort, timeoutMs, signal });
  const isPassed = verdict.failed === undefined;
  for (const line of formatVerdict(verdict).trimEnd().split('\n')) isPassed ? log.info(line) : log.error(line);
  return isPassed ? exitCode.done : exitCode.notRedirected;
}

/** Options as the flags' texts; the parser names them in camel case. */
export function givenTexts(options: Readonly<Record<string, unknown>>): Readonly<Record<string, string | undefined>> {
  const texts = redirectFlags.map(({ name }) => {
    const value = options[name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())];
    return [name, value === undefined ? undefined : String(value)] as const;
  });
  return Object.fromEntries(texts);
}
