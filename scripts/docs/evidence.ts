import { readFileSync } from 'node:fs';

/**
 * What shows that a line of the specification holds. A line without a test is open. A note beside a test says which part
 * does not hold, and why: it begins with one of `reasons`. A note alone says what there is instead.
 */
export interface Evidence {
  /** One or several, in the form that `parseTestReference` reads. */
  readonly test?: string | readonly string[];
  readonly note?: string;
}

/** Why a part of a line does not hold: Envoy cannot do it, or it was decided otherwise. */
export const reasons = ['limit of Envoy: ', 'ruling: '] as const;

/** The note of a line that the program refuses by name; a test holds that it does. */
export const refusedByName = 'refused by name until it is supported';

/** Names, types and defaults of the specification. */
export interface Specification {
  readonly objects: readonly {
    readonly kind: string;
    readonly apiVersion: string;
    readonly fields: readonly { readonly path: string; readonly type: string; readonly values?: readonly string[] }[];
  }[];
  readonly commands: readonly { readonly name: string; readonly flags: readonly Flag[] }[];
  readonly commonFlags: readonly Flag[];
  readonly variables: readonly { readonly name: string; readonly type: string; readonly default: string }[];
  readonly metrics: readonly { readonly name: string; readonly type: string }[];
  readonly rules: readonly { readonly id: string; readonly text: string }[];
  readonly outcomes: readonly { readonly id: string; readonly policy: string }[];
  readonly errors: readonly { readonly id: string; readonly condition: string; readonly result: string }[];
  readonly constants: readonly { readonly id: string; readonly value: string | number }[];
}

export interface Flag {
  readonly name: string;
  readonly short?: string;
  readonly type?: string;
  readonly default: string;
}

export function readSpecification(): Specification {
  return JSON.parse(readFileSync('fixtures/specification.json', 'utf8')) as Specification;
}

/** By the identifiers that `identifiers` gives. */
export function readEvidence(): Readonly<Record<string, Evidence>> {
  return JSON.parse(readFileSync('fixtures/conformance.json', 'utf8')) as Record<string, Evidence>;
}

/** Something that is known to be missing beside the lines of the specification, and the room that it belongs to. */
export interface OpenWork {
  readonly what: string;
  readonly where: string;
}

export function readOpenWork(): readonly OpenWork[] {
  return JSON.parse(readFileSync('fixtures/open-work.json', 'utf8')) as readonly OpenWork[];
}

/** One identifier a line of the specification: `variable/CA_ADDR`, `field/Gateway/spec.servers[].hosts`. */
export function identifiers(specification: Specification): string[] {
  return [
    ...specification.objects.flatMap(({ kind, fields }) => fields.map(({ path }) => `field/${kind}/${path}`)),
    ...specification.rules.map(({ id }) => `rule/${id}`),
    ...specification.outcomes.map(({ id }) => `outcome/${id}`),
    ...specification.errors.map(({ id }) => `error/${id}`),
    ...specification.commands.flatMap(({ name, flags }) => [
      `command/${name}`,
      ...flags.map((flag) => `flag/${name} ${flag.name}`),
    ]),
    ...specification.commonFlags.map(({ name }) => `flag/${name}`),
    ...specification.variables.map(({ name }) => `variable/${name}`),
    ...specification.metrics.map(({ name }) => `metric/${name}`),
    ...specification.constants.map(({ id }) => `constant/${id}`),
  ];
}

/** The tests of a line, none for an open one. */
export function testsOf(evidence: Evidence | undefined): readonly string[] {
  return [evidence?.test ?? []].flat();
}
