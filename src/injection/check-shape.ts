import { containerAlias } from '../policy/alias.ts';
import type { JsonObject, JsonValue } from '../source/document.ts';
import { isObject } from './pod.ts';

/**
 * What is not of the form of a pod, as far as injection reads it, a line each: a server has checked a pod before, a file
 * and a template nobody. Fields that injection does not read are not looked at.
 */
export function checkShape({ metadata, spec }: JsonObject): readonly string[] {
  const problems: string[] = [];
  const object = (value: JsonValue | undefined, at: string): JsonObject => {
    if (isThere(value) && !isObject(value)) problems.push(`${at} is ${found(value)}, expected an object`);
    return isObject(value) ? value : {};
  };
  const texts = (value: JsonValue | undefined, at: string): void => {
    for (const [key, text] of Object.entries(object(value, at)))
      if (typeof text !== 'string') problems.push(`${at}["${key}"] is ${found(text)}, expected a text`);
  };
  const text = (value: JsonValue | undefined, at: string): void => {
    if (isThere(value) && typeof value !== 'string') problems.push(`${at} is ${found(value)}, expected a text`);
  };
  const owners = (value: JsonValue | undefined): void => {
    if (!isThere(value)) return;
    if (!isListOfObjects(value)) problems.push('metadata.ownerReferences is no list of objects');
    else
      for (const [i, owner] of (value as readonly JsonObject[]).entries())
        for (const field of ['apiVersion', 'kind', 'name'])
          if (typeof owner[field] !== 'string') problems.push(`metadata.ownerReferences[${i}] has no ${field}`);
  };
  const named = (value: JsonValue | undefined, at: string): readonly JsonObject[] => {
    if (!isThere(value)) return [];
    if (!Array.isArray(value)) {
      problems.push(`${at} is ${found(value)}, expected a list`);
      return [];
    }
    return (value as readonly JsonValue[]).flatMap((item, i) => {
      if (isObject(item) && typeof item.name === 'string' && item.name !== '') return [item];
      problems.push(`${at}[${i}] has no name`);
      return [];
    });
  };
  const container = (item: JsonObject, at: string): void => {
    named(item.env, `${at}.env`);
    if (isThere(item.ports) && !isListOfObjects(item.ports)) problems.push(`${at}.ports is no list of objects`);
    if (isThere(item.volumeMounts) && !isListOfObjects(item.volumeMounts))
      problems.push(`${at}.volumeMounts is no list of objects`);
    for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) object(item[probe], `${at}.${probe}`);
    object(item.securityContext, `${at}.securityContext`);
    object(item.lifecycle, `${at}.lifecycle`);
  };

  const { name, generateName, labels, annotations, ownerReferences } = object(metadata, 'metadata');
  text(name, 'metadata.name');
  text(generateName, 'metadata.generateName');
  texts(labels, 'metadata.labels');
  texts(annotations, 'metadata.annotations');
  owners(ownerReferences);
  if (!isThere(spec)) problems.push('it has no spec');
  const { containers, initContainers, volumes, securityContext } = object(spec, 'spec');
  object(securityContext, 'spec.securityContext');
  named(volumes, 'spec.volumes');
  const names: string[] = [];
  for (const [list, value] of Object.entries({ containers, initContainers })) {
    const items = named(value, `spec.${list}`);
    for (const [i, item] of items.entries()) container(item, `spec.${list}[${i}]`);
    // Istio's name of the proxy is another name of ours.
    names.push(...items.map(({ name }) => containerAlias(name as string)));
  }
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) problems.push(`spec has two containers "${twice}"`);
  return problems;
}

/** A field that is empty counts as one that is absent, as for a server. */
function isThere(value: JsonValue | undefined): value is JsonValue {
  return value !== undefined && value !== null;
}

function isListOfObjects(value: JsonValue): boolean {
  return Array.isArray(value) && (value as readonly JsonValue[]).every(isObject);
}

/** What stands where something else is expected, in words. */
export function found(value: JsonValue): string {
  if (value === null) return 'empty';
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
