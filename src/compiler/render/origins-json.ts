import { formatPath } from '../../diagnostics/json-path.ts';
import { type LineColumn, lineAndColumn, lineStarts, type SourceSpan } from '../../diagnostics/span.ts';
import type { PolicyOrigin } from '../ir/origin.ts';
import type { JsonObject, SourceFile } from '../source/document.ts';
import type { EnvoyConfig, Resource } from './resource.ts';

/** Finds the line and column of a span; undefined when its file is not known. */
export type Locate = (span: SourceSpan) => LineColumn | undefined;

/** Looks places up in these files; the lines of a file are counted once. */
export function createLocator(files: readonly SourceFile[]): Locate {
  const texts = new Map(files.map((file) => [file.path, file.text]));
  const starts = new Map<string, number[]>();
  return ({ file, start }) => {
    let lines = starts.get(file);
    if (lines === undefined) {
      const text = texts.get(file);
      if (text === undefined) return undefined;
      lines = lineStarts(text);
      starts.set(file, lines);
    }
    return lineAndColumn(lines, start);
  };
}

/**
 * Content of one proxy's `origins.json`: for each resource the fragments that objects decided, by JSON path, with the
 * deciding field and where it stands. Here, and not before, lines are looked up.
 */
export function originsJson(config: EnvoyConfig, locate: Locate): JsonObject {
  return {
    listeners: resourcesJson(config.listeners, locate),
    routes: resourcesJson(config.routes, locate),
    clusters: resourcesJson(config.clusters, locate),
  };
}

function resourcesJson(resources: readonly Resource[], locate: Locate): JsonObject {
  const entries = resources
    .filter(({ origins }) => origins.length > 0)
    .map((resource): [string, JsonObject[]] => [
      resource.name,
      resource.origins.map(({ path, decidedBy, overrode }) => ({
        path,
        decidedBy: decidedBy.map((origin) => originJson(origin, locate)),
        overrode: overrode.map((origin) => originJson(origin, locate)),
      })),
    ]);
  return Object.fromEntries(entries);
}

/** Origins are shared by many fragments and proxies: one look-up each. */
const known = new WeakMap<Locate, WeakMap<PolicyOrigin, JsonObject>>();

function originJson(origin: PolicyOrigin, locate: Locate): JsonObject {
  const cache = known.get(locate) ?? new WeakMap<PolicyOrigin, JsonObject>();
  known.set(locate, cache);
  let json = cache.get(origin);
  if (json === undefined) {
    const { kind, namespace, name, field, at } = origin;
    const span = at.spanOf(field);
    json = { kind, namespace, name, field: formatPath(field), file: span.file, ...locate(span) };
    cache.set(origin, json);
  }
  return json;
}
