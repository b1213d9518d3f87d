import { hash } from 'node:crypto';
import type { SourceSpan } from '../../diagnostics/span.ts';
import { mergeMessages, pathInOverride } from '../../envoy/api/merge.ts';
import { parsePath } from '../../lib/json-path.ts';
import type { PolicyDocument } from '../source/document.ts';
import type { Resource } from './resource.ts';

/** Bootstraps of the user's, in Envoy's own form. */
export interface UserBootstrap {
  /** Takes the place of the rendered one. */
  readonly custom?: PolicyDocument | undefined;
  /** Laid over the rendered one, or over the custom one. */
  readonly override?: PolicyDocument | undefined;
}

const message = 'envoy.config.bootstrap.v3.Bootstrap';

/** The bootstrap that Envoy gets; faults in what the user wrote are told where the user wrote it. */
export function withUserBootstrap(rendered: Resource, { custom, override }: UserBootstrap): Resource {
  const base = custom === undefined ? rendered : replaced(rendered, custom.value, (path) => placeOf(custom, path));
  if (override === undefined) return base;
  const json = mergeMessages(message, base.json, override.value);
  return {
    ...replaced(base, json, (path) => {
      const own = pathInOverride(message, base.json, override.value, parsePath(path));
      if (own !== undefined) return placeOf(override, own);
      return base.placeInTemplate?.(path) ?? override.start;
    }),
    overridden: base.json,
  };
}

function replaced(
  { type, name, origins, reads }: Resource,
  json: Resource['json'],
  place: NonNullable<Resource['placeInTemplate']>,
): Resource {
  const text = JSON.stringify(json, null, 2);
  return { type, name, json, text, key: hash('sha256', text), origins, reads, placeInTemplate: place };
}

/** A field that is missing is told at the object that lacks it. */
function placeOf(document: PolicyDocument, path: string | readonly (string | number)[]): SourceSpan {
  const steps = typeof path === 'string' ? parsePath(path) : path;
  let here: unknown = document.value;
  let depth = 0;
  for (const step of steps) {
    if (typeof here !== 'object' || here === null || !(step in here)) break;
    here = (here as Readonly<Record<string | number, unknown>>)[step];
    depth += 1;
  }
  return document.spanOf(steps.slice(0, depth), depth < steps.length ? 'key' : 'value');
}
