import { randomBytes } from 'node:crypto';

/** A stretch of time, and what happened in it. */
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

/** Where spans go. */
export type SpanSink = (span: Span) => void;

export function newTraceId(): string {
  return randomBytes(16).toString('hex');
}

export function newSpanId(): string {
  return randomBytes(8).toString('hex');
}
