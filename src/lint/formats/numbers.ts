import { type DiagnosticCode, registry } from '../../diagnostics/registry.ts';
import type { NumberWithoutRule } from '../numbers/entry.ts';
import { sentence } from './rules.ts';

/** One line a number: who says it, or why nobody does. */
export function formatNumberList(numbers: readonly NumberWithoutRule[]): string {
  return numbers.map((number) => `${number.id}  ${number.title}: ${whoSays(number)}\n`).join('');
}

/** `the compiler reports it (unknown-field)`. */
export function whoSays(number: NumberWithoutRule): string {
  return 'saidBy' in number
    ? `the compiler reports it (${number.saidBy.join(', ')})`
    : `left out, because ${number.leftOut}`;
}

/** All that there is to know of a number without a rule. */
export function formatNumber(number: NumberWithoutRule): string {
  const { id, title, peers = [] } = number;
  const codes = 'saidBy' in number ? number.saidBy.map((code) => `\n${formatDiagnostic(code)}`).join('') : '';
  return `${[id, ...peers].join(', ')}\n\n${sentence(title)}\n\n${sentence(whoSays(number))}\n${codes}`;
}

/** A code of the compiler: its severity, its message with the names of what fills it in, and what to do. */
export function formatDiagnostic(code: DiagnosticCode): string {
  const { severity, hint } = registry[code] as { readonly severity: string; readonly hint?: string };
  const names = new Proxy({}, { get: (_, name) => `<${String(name)}>` });
  const message = (registry[code].message as (holes: object) => string)(names);
  return `${code} (${severity} of the compiler)\n\n  ${message}\n${hint === undefined ? '' : `\nWhat to do: ${sentence(hint)}\n`}`;
}
