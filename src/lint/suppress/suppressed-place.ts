import type { SourceSpan } from '../../diagnostics/span.ts';
import type { Subject } from '../finding.ts';
import type { Suppression } from './suppression.ts';

/** A suppression, where it stands, and what it is for. */
export interface PlacedSuppression {
  readonly suppression: Suppression;
  readonly span: SourceSpan;
  /** A line (`lineKey`) or an object (`objectKey`). */
  readonly target: string;
}

/** What suppressions of a line name; lines count from 1. */
export function lineKey(file: string, line: number): string {
  return `line ${line} ${file}`;
}

/** What suppressions of an object name. */
export function objectKey({ kind, namespace, name }: Pick<Subject, 'kind' | 'namespace' | 'name'>): string {
  return `object ${kind}/${namespace}/${name}`;
}
