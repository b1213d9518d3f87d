import { KeySetError, quoted } from './fault.ts';

/** The JSON object in a text; `what` names the text in the reason. */
export function parseObject(text: string, what: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text: the cause is left out on purpose.
    throw new KeySetError('answer-invalid', `${what} is not JSON`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new KeySetError('answer-invalid', `${what} is not a JSON object, but ${quoted(typeNameOf(value))}`);
  }
  return value as Readonly<Record<string, unknown>>;
}

function typeNameOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}
