import { type DiagnosticCode, type HolesOf, registry, type Severity } from './registry.ts';
import type { SourceSpan } from './span.ts';

/** Another place that belongs to a diagnostic: the object that was overridden, the first definition. */
export interface RelatedPlace {
  readonly message: string;
  readonly span: SourceSpan;
}

/** One mistake of the user, reported once. It is a value; only environment errors are thrown. */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  readonly severity: Severity;
  readonly message: string;
  readonly span?: SourceSpan;
  readonly hint?: string;
  readonly related: readonly RelatedPlace[];
  /** The inputs say nothing of what is missing, nor of anything of its kind there: who reads a part of a mesh knows no better. */
  readonly isUnseen?: true;
  /** What is missing is made by the cluster: no files that people write have it. */
  readonly isOfCluster?: true;
}

export interface ReportExtras {
  readonly hint?: string | undefined;
  readonly related?: readonly RelatedPlace[];
  readonly isUnseen?: boolean;
  readonly isOfCluster?: boolean;
}

/** A message quotes what it found, which may have millions of characters. */
const longestMessage = 2_000;

function cut(message: string): string {
  return message.length > longestMessage ? `${message.slice(0, longestMessage)}…` : message;
}

/** Collects what every stage has to say. */
export class DiagnosticBag {
  readonly #diagnostics: Diagnostic[] = [];

  /** Adds a diagnostic; `span` is undefined for what has no place in a file (a flag, an empty input). */
  report<C extends DiagnosticCode>(
    code: C,
    span: SourceSpan | undefined,
    holes: HolesOf<C>,
    extras: ReportExtras = {},
  ): void {
    const entry = registry[code] as { severity: Severity; message: (holes: unknown) => string; hint?: string };
    const hint = extras.hint ?? entry.hint;
    const diagnostic: Diagnostic = {
      code,
      severity: entry.severity,
      message: cut(entry.message(holes)),
      ...(span === undefined ? {} : { span }),
      ...(hint === undefined ? {} : { hint }),
      related: extras.related ?? [],
      ...(extras.isUnseen && { isUnseen: true }),
      ...(extras.isOfCluster && { isOfCluster: true }),
    };
    this.#diagnostics.push(diagnostic);
  }

  /** Takes over what another bag holds (a stage that ran apart). */
  addAll(diagnostics: Iterable<Diagnostic>): void {
    for (const diagnostic of diagnostics) this.#diagnostics.push(diagnostic);
  }

  get hasErrors(): boolean {
    return this.#diagnostics.some((diagnostic) => diagnostic.severity === 'error');
  }

  /** In the order of reporting; `format` sorts. */
  get all(): readonly Diagnostic[] {
    return this.#diagnostics;
  }
}
