import { registry } from '../../diagnostics/registry.ts';
import { findRule } from '../rule-index.ts';

/** What one comment or one part of an annotation asks for. */
export interface Suppression {
  /** As written: a code or a number of a rule, or the code of a diagnostic. */
  readonly name: string;
  /** The code that the name stands for; undefined where it stands for none. */
  readonly code: string | undefined;
  /** What stands between the name and the colon: `until YYYY-MM-DD`, the last day on which it holds, or nothing. */
  readonly term: string;
  /** Empty where none is given. */
  readonly reason: string;
}

/** Reads `CODE: reason` or `CODE until YYYY-MM-DD: reason`; `own` are the codes of a user's rules. */
export function parseSuppression(text: string, own: ReadonlySet<string>): Suppression {
  const [, head = '', reason = ''] = /^([^:]*)(?::(.*))?$/s.exec(text.trim()) ?? [];
  const [name = '', ...term] = head.trim().split(/\s+/);
  return {
    name,
    code: own.has(name) ? name : codeOf(name),
    term: term.join(' '),
    reason: reason.trim(),
  };
}

function codeOf(name: string): string | undefined {
  return findRule(name)?.code ?? (Object.hasOwn(registry, name) ? name : undefined);
}

/** Why a suppression is not in force; undefined when it is. `today` is a day, `YYYY-MM-DD`. */
export function faultOf({ name, code, term, reason }: Suppression, today: string): string | undefined {
  if (code === undefined) return `no rule has the code "${name}"`;
  if (reason === '') return `it gives no reason: write "${name}: why the finding is accepted"`;
  if (term === '') return dayInReason(name, reason);
  const until = /^until (\S+)$/.exec(term)?.[1];
  if (until === undefined) return `"${term}" is not understood, expected "until YYYY-MM-DD"`;
  if (!isDay(until)) return `"${until}" is not a date, expected YYYY-MM-DD`;
  return until < today ? `it expired on ${until}` : undefined;
}

/** A day there ends nothing, and readers believe that it does. */
function dayInReason(name: string, reason: string): string | undefined {
  const day = /\buntil (\d{4}-\d{2}-\d{2})\b/i.exec(reason)?.[1];
  return day && `its last day is in the reason: write "${name} until ${day}: " before the reason`;
}

function isDay(text: string): boolean {
  // A day that a month does not have would be one of the next month.
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
