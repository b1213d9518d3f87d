import type { WrittenRequest } from '../../config/policy-test.ts';
import type { AuthorizationRule } from '../../policy/authorization-policy.ts';
import { attributeOf, partFor } from './attributes.ts';
import { type DraftSurroundings, merged } from './surroundings.ts';

/** Requests of which one is to show something of a rule: the first that does is taken. */
export interface Draft {
  /** What it shows, in a few words: `methods POST`. */
  readonly shows: string;
  readonly side: 'inside' | 'outside';
  readonly requests: readonly WrittenRequest[];
}

interface Field {
  /** Which alternative of the rule it belongs to; a condition belongs to all. */
  readonly alternative: number | undefined;
  readonly part: 'from' | 'to' | 'when';
  readonly key: string;
  readonly values: readonly string[];
  readonly isNegative: boolean;
}

/** Requests that the rule matches, one for each value, and requests that a single field keeps from it. */
export function draftRequests(rule: AuthorizationRule, surroundings: DraftSurroundings): readonly Draft[] {
  const fields = fieldsOf(rule);
  const inside = fields.filter(({ isNegative }) => !isNegative);
  return [
    draft('all of it', 'inside', [baseOf(fields, undefined, surroundings)]),
    ...inside.flatMap((field) =>
      field.values.map((value) => {
        const base = baseOf(fields, field, surroundings);
        const parts = attributeOf(field.key, surroundings).matching(value);
        return draft(
          `${field.key} ${value}`,
          'inside',
          parts.map((part) => merged([base, part])),
        );
      }),
    ),
    ...fields.flatMap((field) => outsideOf(field, fields, surroundings)),
  ];

  function draft(shows: string, side: Draft['side'], bases: readonly WrittenRequest[]): Draft {
    const requests = bases.flatMap((base) => surroundings.clients.map((client) => merged([client, complete(base)])));
    return { shows, side, requests };
  }

  function complete(base: WrittenRequest): WrittenRequest {
    const { authorizer, claims } = surroundings;
    return {
      ...base,
      ...(authorizer !== undefined && { authorizer }),
      ...(base.claims !== undefined && { claims: { ...claims, ...base.claims } }),
    };
  }

  function outsideOf(field: Field, all: readonly Field[], around: DraftSurroundings): readonly Draft[] {
    const { matching, beside } = attributeOf(field.key, around);
    if (field.isNegative) {
      const base = baseOf(all, field, around);
      return field.values.map((value) =>
        draft(
          `not ${field.key} ${value}`,
          'outside',
          matching(value).map((part) => merged([base, part])),
        ),
      );
    }
    // Without its own part, as claims are joined.
    const rest = baseOf(
      all.filter((other) => other !== field),
      field,
      around,
    );
    const parts = beside(field.values);
    return [
      draft(
        `other ${field.key}`,
        'outside',
        parts.map((part) => merged([rest, part])),
      ),
    ];
  }
}

/** A request that all fields match, of the alternatives to which `of` belongs, as far as nothing but the client is missing. */
function baseOf(fields: readonly Field[], of: Field | undefined, surroundings: DraftSurroundings): WrittenRequest {
  const chosen = fields.filter(({ part, alternative }) => {
    const own = of?.part === part ? (of.alternative ?? 0) : 0;
    return alternative === undefined || alternative === own;
  });
  const partsOf = ({ key, values, isNegative }: Field): WrittenRequest => {
    const { matching, beside } = attributeOf(key, surroundings);
    const [first = {}] = isNegative ? beside(values) : matching(values[0] ?? '');
    return first;
  };
  const [target] = surroundings.targets;
  const negative = chosen.filter(({ isNegative }) => isNegative);
  const positive = chosen.filter(({ isNegative }) => !isNegative);
  return merged([target === undefined ? {} : partFor(target), ...[...negative, ...positive].map(partsOf)]);
}

function fieldsOf({ from = [], to = [], when = [] }: AuthorizationRule): readonly Field[] {
  const listed = (part: Field['part'], alternative: number | undefined, fields: object): readonly Field[] =>
    Object.entries(fields as Readonly<Record<string, readonly string[] | undefined>>).flatMap(([name, values = []]) => {
      const isNegative = name.startsWith('not');
      const key = isNegative ? name.charAt(3).toLowerCase() + name.slice(4) : name;
      return [{ part, alternative, key, values, isNegative }];
    });
  return [
    ...from.flatMap(({ source }, i) => listed('from', i, source)),
    ...to.flatMap(({ operation }, i) => listed('to', i, operation)),
    ...when.flatMap(({ key, ...lists }) => listed('when', undefined, lists).map((field) => ({ ...field, key }))),
  ];
}
