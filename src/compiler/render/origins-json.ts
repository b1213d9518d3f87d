import {
  type DecidingField,
  type FragmentFields,
  type OriginsByName,
  type OriginsFile,
  originsFormat,
} from '../../contracts/origins-file.ts';
import { formatPath } from '../../diagnostics/json-path.ts';
import { type LineColumn, lineAndColumn, lineStarts, type SourceSpan } from '../../diagnostics/span.ts';
import type { SourceFile } from '../../source/document.ts';
import type { PolicyOrigin } from '../ir/origin.ts';
import type { EnvoyConfig, FragmentOrigin, Resource } from './resource.ts';

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
export function originsJson(config: EnvoyConfig, locate: Locate): OriginsFile {
  return {
    format: originsFormat,
    listeners: resourcesJson(config.listeners, locate),
    routes: resourcesJson(config.routes, locate),
    clusters: resourcesJson(config.clusters, locate),
  };
}

function resourcesJson(resources: readonly Resource[], locate: Locate): OriginsByName {
  const entries = resources
    .filter(({ origins }) => origins.length > 0)
    .map((resource) => [resource.name, resource.origins.map((origin) => fragmentJson(origin, locate))] as const);
  return Object.fromEntries(entries);
}

/** One fragment's origins, as the file has them. */
export function fragmentJson({ path, decidedBy, overrode }: FragmentOrigin, locate: Locate): FragmentFields {
  return {
    path,
    decidedBy: decidedBy.map((origin) => originJson(origin, locate)),
    overrode: overrode.map((origin) => originJson(origin, locate)),
  };
}

/** Origins are shared by many fragments and proxies: one look-up each. */
const known = new WeakMap<Locate, WeakMap<PolicyOrigin, DecidingField>>();

function originJson(origin: PolicyOrigin, locate: Locate): DecidingField {
  const cache = known.get(locate) ?? new WeakMap<PolicyOrigin, DecidingField>();
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
