import type { Span } from './span.ts';

type Value = string | number | boolean;

/**
 * Encodes spans as a request of OTLP over HTTP in JSON (opentelemetry/proto/collector/trace/v1/trace_service.proto): ids are
 * hexadecimal, enums are numbers, and 64-bit numbers are strings.
 */
export function otlpRequest(spans: readonly Span[], resource: Readonly<Record<string, string>>): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: 'meshd' }, spans: spans.map(spanJson) }],
      },
    ],
  });
}

const internal = 1;
const failed = 2;

function spanJson({ traceId, spanId, parentId, name, startMs, endMs, attributes, problem }: Span): object {
  return {
    traceId,
    spanId,
    ...(parentId !== undefined && { parentSpanId: parentId }),
    ...{ name, kind: internal, startTimeUnixNano: nanoseconds(startMs), endTimeUnixNano: nanoseconds(endMs) },
    attributes: attributesOf(attributes),
    ...(problem !== undefined && { status: { code: failed, message: problem } }),
  };
}

function attributesOf(values: Readonly<Record<string, Value>>): readonly object[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: valueJson(value) }));
}

function valueJson(value: Value): object {
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'string') return { stringValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1_000)) * 1_000n);
}
