import type { RedirectPlan } from './plan.ts';
import { formatStep, type Step } from './step.ts';

/** Prints a step as commands for people: one for each rule, with its purpose; the same effect, but not in one piece. */
export function formatCommands({ rules }: RedirectPlan): (step: Step) => string {
  const purposes = new Map(
    [...rules.values()].flat().map(({ table, args, purpose }) => [`${table} ${args.join(' ')}`, purpose]),
  );
  return (step) => {
    if (step.input === undefined) return formatStep(step);
    const tool = step.argv[0]?.replace(/-restore$/, '') ?? '';
    let table = '';
    const lines: string[] = [];
    for (const line of step.input.trimEnd().split('\n')) {
      if (line.startsWith('*')) table = line.slice(1);
      else if (line !== 'COMMIT') lines.push(`${tool} -t ${table} ${line}${purposeOf(line, table, purposes)}\n`);
    }
    return lines.join('');
  };
}

function purposeOf(line: string, table: string, purposes: ReadonlyMap<string, string>): string {
  const args = line.replace(/^-A \S+ |^-I \S+ \d+ /, '');
  const purpose = purposes.get(`${table} ${args}`);
  return purpose === undefined ? '' : `  # ${purpose}`;
}
