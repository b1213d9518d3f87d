import { nearest } from '../../lib/nearest.ts';
import { type Check, nameJsonType } from './report.ts';
import { enumRule } from './rules.ts';
import { absentOf, applyRule, type ValueCheck } from './scalar.ts';
import type { EnumSchema } from './schema.ts';

/** An enum by name, or by number as protobuf's open enums allow. Names are exact: Envoy alone would take lower case too. */
export function enumCheck(schema: EnumSchema, rules: object | undefined): ValueCheck {
  const values = new Map(Object.entries(schema.values));
  const disallowed = new Set(
    Object.entries(schema.valuesOptions ?? {})
      .filter(([, options]) => options['(envoy.annotations.disallowed_by_default_enum)'])
      .map(([name]) => values.get(name)),
  );
  const rule = enumRule(rules, new Set(values.values()));
  const check: Check = (value, report) => {
    const number = typeof value === 'string' ? values.get(value) : value;
    if (number === undefined) {
      const name = nearest(String(value), values.keys());
      const hint = name === undefined ? `one of ${[...values.keys()].join(', ')}` : `did you mean "${name}"?`;
      report.add('unknown-enum-value', `unknown value "${value}"`, hint);
    } else if (typeof number !== 'number') {
      report.add('wrong-type', `found ${nameJsonType(value)}, expected the name of a value`);
    } else if (number !== (number | 0)) {
      report.add('bad-value', `${number} is no number of an enum`);
    } else if (disallowed.has(number)) {
      report.add('disallowed', 'this deprecated value is refused by Envoy');
    } else {
      applyRule(rule, number, report);
    }
  };
  return { check, ...absentOf(rule, 0) };
}
