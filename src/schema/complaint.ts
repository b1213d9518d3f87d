import type { JsonValue } from '../source/document.ts';
import type { SchemaError } from './validator.ts';

/**
 * Adds a complaint to a generated validator's list; `isPart` when it is about a keyword that one of ours (`x-…`) is
 * made of, and so repeats what that one says.
 */
export function complain(
  errors: SchemaError[] | null,
  instancePath: string,
  keyword: string,
  params: SchemaError['params'],
  parentSchema: SchemaError['parentSchema'],
  data: JsonValue,
  propertyName?: string,
  isPart = false,
): SchemaError[] {
  const error: SchemaError = { instancePath, keyword, params, parentSchema, data, propertyName, isPart };
  if (errors === null) return [error];
  errors.push(error);
  return errors;
}
