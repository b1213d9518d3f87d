import { nearest } from '../lib/nearest.ts';
import type { SchemaError } from './validator.ts';

/**
 * Leaves one complaint a mistake: the type before everything else about a value, a misspelt field before the absence of
 * the field that was meant.
 */
export function collapse(errors: readonly SchemaError[]): SchemaError[] {
  const own = errors.filter(({ keyword, isPart }) => keyword !== 'propertyNames' && !isPart);
  const placesOf = (keyword: string): ReadonlySet<string> =>
    new Set(own.filter((error) => error.keyword === keyword).map(({ instancePath }) => instancePath));
  const wrongTypes = placesOf('type');
  const unknownFields = placesOf('additionalProperties');
  const misspelt = new Set(
    own
      .filter(({ keyword }) => keyword === 'additionalProperties')
      .map((error) => `${error.instancePath}/${suggestedField(error)}`),
  );
  return own.filter(({ keyword, instancePath, params }) => {
    if (keyword === 'type') return true;
    if (wrongTypes.has(instancePath)) return false;
    if (keyword === 'required') return !misspelt.has(`${instancePath}/${params.missingProperty}`);
    if (keyword === 'x-at-least-one') return !unknownFields.has(instancePath);
    return true;
  });
}

/** The field that an unknown one was probably meant to be. */
export function suggestedField(error: SchemaError): string | undefined {
  return nearest(String(error.params.additionalProperty), knownFields(error));
}

/** Fields of the object that an unknown field stands in, in the order of the schema. */
export function knownFields(error: SchemaError): string[] {
  return Object.keys((error.parentSchema?.properties ?? {}) as object).filter((name) => !name.includes('_'));
}

/** The known field whose own fields have the name: an unknown field may only stand too far out. */
export function fieldHolding(error: SchemaError, name: string): string | undefined {
  const properties = (error.parentSchema?.properties ?? {}) as Readonly<
    Record<string, { readonly properties?: object }>
  >;
  return Object.keys(properties).find((field) => Object.hasOwn(properties[field]?.properties ?? {}, name));
}
