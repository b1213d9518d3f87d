import type { DiagnosticBag } from '../diagnostics/bag.ts';
import type { SourceSpan } from '../diagnostics/span.ts';
import type { ValueFault } from './check-value.ts';
import type { SourceLimits } from './limits.ts';
import type { SyntaxFault } from './load.ts';

/** Where faults go, and the limits that they name. */
export interface Reporting {
  readonly bag: DiagnosticBag;
  readonly limits: SourceLimits;
}

/** Reports a text that is no YAML; `from` is where its document begins in the file. */
export function reportSyntax(file: string, from: number, fault: SyntaxFault, { bag, limits }: Reporting): void {
  const start = from + fault.offset;
  const span: SourceSpan = { file, start, end: start + fault.length };
  if (fault.code === 'duplicate-key') bag.report(fault.code, span, { key: fault.detail });
  else if (fault.code === 'nesting-too-deep') bag.report(fault.code, span, { limit: String(limits.maxDepth) });
  else if (fault.code === 'tab-indentation') bag.report(fault.code, span, {});
  else bag.report(fault.code, span, { reason: fault.detail });
}

/** Reports a value that cannot be used. */
export function reportValue(fault: ValueFault, span: SourceSpan, { bag, limits }: Reporting): void {
  if (fault.code === 'alias-expansion') bag.report(fault.code, span, { limit: String(limits.maxAliasNodes) });
  else if (fault.code === 'nesting-too-deep') bag.report(fault.code, span, { limit: String(limits.maxDepth) });
  else if (fault.code === 'text-too-long') bag.report(fault.code, span, { limit: String(limits.maxTextLength) });
  else if (fault.code === 'non-finite-number') bag.report(fault.code, span, { number: fault.detail });
  else bag.report(fault.code, span, {});
}
