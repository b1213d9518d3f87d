import type { JsonObject } from '../../source/document.ts';
import type { PatchOperation } from '../patch.ts';

// biome-ignore lint/suspicious/noExplicitAny: JSON of any form
type Json = any;

/** Applies a JSON Patch by the letter of RFC 6902; throws where an operation has no place. */
export function applyPatch(value: JsonObject, operations: readonly PatchOperation[]): JsonObject {
  const root: Json = { value: structuredClone(value) };
  for (const operation of operations) {
    const steps = operation.path
      .split('/')
      .slice(1)
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = steps.pop();
    if (last === undefined) throw new Error('the whole document is no place of ours');
    const holder = steps.reduce((here: Json, step) => {
      if (!Object.hasOwn(here, step)) throw new Error(`${operation.path}: there is no "${step}"`);
      return here[step];
    }, root.value);
    if (operation.op !== 'add' && !Object.hasOwn(holder, last)) throw new Error(`${operation.path} is not there`);
    if (operation.op === 'remove') {
      if (Array.isArray(holder)) holder.splice(Number(last), 1);
      else delete holder[last];
    } else if (operation.op === 'add' && Array.isArray(holder)) {
      if (Number(last) > holder.length) throw new Error(`${operation.path} is beyond the end`);
      holder.splice(Number(last), 0, structuredClone(operation.value));
    } else {
      Object.defineProperty(holder, last, {
        ...{ value: structuredClone(operation.value), enumerable: true, writable: true, configurable: true },
      });
    }
  }
  return root.value;
}
