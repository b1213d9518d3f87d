import type { DiagnosticBag, ReportExtras } from './bag.ts';
import type { DiagnosticCode, HolesOf } from './registry.ts';
import type { SourceSpan } from './span.ts';

/** Reports a fault of a template's line once, however many resources and proxies that line wrote. */
export function reportOnce<C extends DiagnosticCode>(
  bag: DiagnosticBag,
  code: C,
  span: SourceSpan,
  holes: HolesOf<C>,
  extras: ReportExtras = {},
): void {
  const isTold = bag.all.some((told) => {
    return told.code === code && told.span?.file === span.file && told.span.start === span.start;
  });
  if (!isTold) bag.report(code, span, holes, extras);
}
