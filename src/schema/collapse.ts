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
      .map((error) => `${error.instancePath}/${suggestedField(error) ?? onlyField(error)}`),
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

/** The field that there is, where there is but one and it is absent: an unknown field stands in its place. */
export function onlyField(error: SchemaError): string | undefined {
  const [field, ...others] = knownFields(error);
  return others.length === 0 && field !== undefined && !Object.hasOwn(error.data as object, field) ? field : undefined;
}

/** Whether what holds the object, by its own field in `holder`, is where an unknown field belongs. */
export function belongsBeside(holder: string, name: string): boolean {
  return outerFields[holder]?.includes(name) ?? false;
}

const ofRoutes = ['route', 'redirect', 'rewrite', 'timeout', 'retries', 'fault', 'mirror', 'corsPolicy'];
/** Fields beside a list, which its entries have not. */
const outerFields: Readonly<Record<string, readonly string[]>> = {
  from: ['to', 'when'],
  to: ['from', 'when'],
  when: ['from', 'to'],
  match: ofRoutes,
  route: ['match', ...ofRoutes],
};

/** Fields of the object that an unknown field stands in, in the order of the schema. */
export function knownFields(error: SchemaError): string[] {
  return Object.keys((error.parentSchema?.properties ?? {}) as object).filter((name) => !name.includes('_'));
}

/**
 * The known field that has a field of this name. An unknown field may be indented too little, and belong below that
 * one.
 */
export function fieldHolding(error: SchemaError, name: string): string | undefined {
  const properties = (error.parentSchema?.properties ?? {}) as Readonly<
    Record<string, { readonly properties?: object }>
  >;
  return Object.keys(properties).find((field) => Object.hasOwn(properties[field]?.properties ?? {}, name));
}
