import { randomBytes } from 'node:crypto';

/** A span: a step of a push with its start, end and attributes. */
export interface Span {
  /** 32 hex digits, which all spans of one trace have in common. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  /** Absent: it is the trace's first one. */
  readonly parentId?: string | undefined;
  readonly name: string;
  /** Unix milliseconds, with fractions. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** Why it failed; absent: it has not. */
  readonly problem?: string | undefined;
}

/** Receives finished spans. */
export type SpanSink = (span: Span) => void;

export function newTraceId(): string {
  return randomBytes(16).toString('hex');
}

export function newSpanId(): string {
  return randomBytes(8).toString('hex');
}
