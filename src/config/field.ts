import { parseDuration } from '../lib/duration.ts';
import type { JsonValue } from '../source/document.ts';

/** A duration that the schema has checked, in milliseconds. */
export function milliseconds(value: JsonValue): number {
  return parseDuration(String(value)) ?? 0;
}

/** A list of texts that the schema has checked. */
export function strings(value: JsonValue): readonly string[] {
  return (value as readonly JsonValue[]).map(String);
}
