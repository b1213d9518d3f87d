import { registry } from '../../diagnostics/registry.ts';
import { findRule } from '../rule-index.ts';

/** What one comment or one part of an annotation asks for. */
export interface Suppression {
  /** As written: a code or a number of a rule, or the code of a diagnostic. */
  readonly name: string;
  /** The code that the name stands for; undefined where it stands for none. */
  readonly code: string | undefined;
  /** Last day, `YYYY-MM-DD`, on which it holds. */
  readonly until: string | undefined;
  /** Empty where none is given. */
  readonly reason: string;
}

/** Reads `CODE: reason` or `CODE until YYYY-MM-DD: reason`; `own` are the codes of a user's rules. */
export function parseSuppression(text: string, own: ReadonlySet<string>): Suppression {
  const [, head = '', reason = ''] = /^([^:]*)(?::(.*))?$/s.exec(text.trim()) ?? [];
  const [name = '', word, until] = head.trim().split(/\s+/);
  return {
    name,
    code: own.has(name) ? name : codeOf(name),
    until: word === 'until' ? until : undefined,
    reason: reason.trim(),
  };
}

function codeOf(name: string): string | undefined {
  return findRule(name)?.code ?? (Object.hasOwn(registry, name) ? name : undefined);
}

/** Why a suppression is not in force; undefined when it is. `today` is a day, `YYYY-MM-DD`. */
export function faultOf({ name, code, until, reason }: Suppression, today: string): string | undefined {
  if (code === undefined) return `no rule has the code "${name}"`;
  if (reason === '') return `it gives no reason: write "${name}: why the finding is accepted"`;
  if (until === undefined) return undefined;
  if (!isDay(until)) return `"${until}" is not a date, expected YYYY-MM-DD`;
  return until < today ? `it expired on ${until}` : undefined;
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
}
