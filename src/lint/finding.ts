import type { RelatedPlace } from '../diagnostics/bag.ts';
import type { Severity } from '../diagnostics/registry.ts';
import type { JsonPath, SourceSpan } from '../diagnostics/span.ts';

/** Text that takes the place of a span; empty text takes the span away. */
export interface TextEdit {
  readonly span: SourceSpan;
  readonly text: string;
}

/** A change of the text after which the finding is gone, and which is safe to make without asking. */
export interface Fix {
  /** What it does, as an imperative sentence. */
  readonly title: string;
  readonly edits: readonly TextEdit[];
}

/** The field that a finding is about, by name and not by position: it survives lines that move. */
export interface Subject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly path: JsonPath;
}

/** One fault of the input, told once; of a rule, or of what the compiler says of the input anyway. */
export interface Finding {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  /** Why it matters; diagnostics of the compiler say it in their message. */
  readonly why?: string;
  readonly hint?: string;
  readonly span?: SourceSpan;
  readonly related: readonly RelatedPlace[];
  readonly subject?: Subject;
  readonly fix?: Fix;
}

/** A rule that could not look, and at how many objects. */
export interface NotChecked {
  readonly code: string;
  readonly count: number;
}
