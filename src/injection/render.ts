import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { JsonObject } from '../source/document.ts';
import { parse } from '../source/parse.ts';
import { checkShape } from './check-shape.ts';
import { mergePartial } from './merge.ts';
import { type InjectionTemplates, oneLine } from './templates.ts';
import type { InjectionView } from './view.ts';

/**
 * The partial pod that templates make of a view, the later over the earlier; undefined, with errors in the bag, where
 * one of them makes none.
 */
export function renderTemplates(
  names: readonly string[],
  view: InjectionView,
  templates: InjectionTemplates,
  bag: DiagnosticBag,
): JsonObject | undefined {
  let merged: JsonObject = {};
  for (const name of names) {
    if (!templates.names.includes(name)) {
      bag.report('unknown-injection-template', undefined, { name, names: templates.names.join(', ') });
      return undefined;
    }
    const partial = renderOne(name, view, templates);
    if (typeof partial === 'string') {
      bag.report('injection-template', undefined, { name, reason: partial });
      return undefined;
    }
    merged = mergePartial(merged, partial);
  }
  return merged;
}

/** The partial pod, or what is wrong with the template. */
function renderOne(name: string, view: InjectionView, templates: InjectionTemplates): JsonObject | string {
  const read = (text: string): JsonObject | string => readPartial(name, text);
  const outlined = rendered(() => templates.outline(name, view));
  if (typeof outlined === 'string') return outlined;
  let partial: JsonObject | string | undefined = outlined && templates.outlines.fill(outlined, read);
  if (partial === undefined) {
    const made = rendered(() => ({ text: templates.render(name, view) }));
    partial = typeof made === 'string' ? made : read(made.text);
  }
  if (typeof partial === 'string') return partial;
  return checkShape({ ...partial, spec: partial.spec ?? {} })[0] ?? uniqueVariables(partial);
}

/** What a template makes, or what is wrong with it. */
function rendered<T extends object | undefined>(render: () => T): T | string {
  try {
    return render();
  } catch (error) {
    return oneLine((error as Error).message);
  }
}

/** The partial pod of a text, or what is wrong with it. */
function readPartial(name: string, text: string): JsonObject | string {
  const bag = new DiagnosticBag();
  const [document, second] = parse([{ path: name, text }], bag);
  const fault = bag.all.find(({ severity }) => severity === 'error');
  if (fault !== undefined) return `what it makes is no YAML: ${fault.message}`;
  if (document === undefined) return 'it makes nothing';
  if (second !== undefined) return 'it makes more than one document';
  const unknown = Object.keys(document.value).find((key) => key !== 'metadata' && key !== 'spec');
  if (unknown !== undefined) return `it makes "${unknown}", expected "metadata" and "spec" of a pod`;
  return document.value;
}

/** Of variables with one name the last counts: one of `proxyMetadata` takes the place of ours. */
function uniqueVariables(partial: JsonObject): JsonObject {
  const spec = (partial.spec ?? {}) as JsonObject;
  const lists = (['initContainers', 'containers'] as const).flatMap((list) => {
    const containers = spec[list];
    if (!Array.isArray(containers)) return [];
    return [[list, (containers as readonly JsonObject[]).map(withUniqueVariables)] as const];
  });
  return { ...partial, spec: { ...spec, ...Object.fromEntries(lists) } };
}

function withUniqueVariables(container: JsonObject): JsonObject {
  const { env } = container;
  if (!Array.isArray(env)) return container;
  const byName = new Map((env as readonly JsonObject[]).map((variable) => [variable?.name, variable]));
  return { ...container, env: [...byName.values()] };
}
